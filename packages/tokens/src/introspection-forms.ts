// The kinds of requests about opaque tokens. Each maps the issuer's answer to claims.

import type { JsonObject } from 'toolrack'
import { isObject } from 'toolrack/protocol'

export interface IntrospectionClient {
  readonly url: string
  readonly clientId: string | undefined
  readonly clientSecret: string | undefined
}

export interface IntrospectionForm {
  /** The URL in the issuer's documentation; with RFC 7662, the metadata has it. */
  readonly url?: string
  readonly needsClient: boolean
  /** Statuses that mean that the token is not valid. */
  readonly inactive: readonly number[]
  request(token: string, client: IntrospectionClient): Pick<RequestInit, 'method' | 'headers' | 'body'>
  /** @returns undefined if the token is not valid */
  toClaims(answer: JsonObject): JsonObject | undefined
}

export const INTROSPECTION_FORMS = {
  rfc7662: {
    needsClient: true,
    inactive: [],
    request: (token, client) => ({
      method: 'POST',
      headers: { authorization: createBasic(client) },
      body: new URLSearchParams({ token, token_type_hint: 'access_token' }),
    }),
    toClaims: answer => (answer['active'] === true ? answer : undefined),
  },
  // https://docs.github.com/rest/apps/oauth-applications#check-a-token
  github: {
    url: 'https://api.github.com/applications/{clientId}/token',
    needsClient: true,
    inactive: [404, 422],
    request: (token, client) => ({
      method: 'POST',
      headers: { authorization: createBasic(client), accept: 'application/vnd.github+json' },
      body: JSON.stringify({ access_token: token }),
    }),
    toClaims: readGitHubToken,
  },
  // https://developers.google.com/identity/protocols/oauth2, as google-auth-library asks
  google: {
    url: 'https://oauth2.googleapis.com/tokeninfo',
    needsClient: false,
    inactive: [400],
    request: token => ({
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' },
    }),
    toClaims: ({ expires_in: _, ...answer }) => ({ ...answer, exp: Number(answer['exp']) }),
  },
} as const satisfies Record<string, IntrospectionForm>

export type IntrospectionFormName = keyof typeof INTROSPECTION_FORMS

function readGitHubToken(answer: JsonObject): JsonObject | undefined {
  const { user, app, scopes, expires_at: end } = answer
  if (!isObject(user) || !isObject(app) || !Array.isArray(scopes)) return undefined
  if (!Number.isSafeInteger(user['id'])) return undefined
  return {
    sub: String(user['id']),
    client_id: app['client_id'],
    scope: scopes.join(' '),
    login: user['login'],
    ...(typeof end === 'string' && { exp: Date.parse(end) / 1000 }),
  }
}

/** RFC 6749, 2.3.1: id and secret are encoded before they are joined. */
function createBasic({ clientId = '', clientSecret = '' }: IntrospectionClient): string {
  const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64')}`
}
