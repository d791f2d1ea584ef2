// A real authorization server on loopback: oidc-provider, which issues JWTs for the resource that a client names
// (RFC 8707, RFC 9068), registers clients (RFC 7591) and asks its user, on a page, which scopes to grant.
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import Provider from 'oidc-provider'
import type { Test } from 'tap'
import { addTokenExchange, EXCHANGE_METADATA, type ExchangeClient, toExchangeClient } from './token-exchange-grant.ts'

/** A client that its operator has registered; what it may ask for is not bound to what it asked for at first. */
export const REGISTERED = 'registered-before'

export interface AuthorizationServer {
  readonly issuer: string
  readonly jwksUrl: string
  /** What it was asked for so far, as `POST /token 200`, without what the user saw. */
  readonly served: string[]
}

export interface AuthorizationServerOptions {
  /** Whether pages of other origins may ask it; a registration may be left out. */
  readonly cors?: 'none' | 'all' | 'without registration'
  readonly hasRegistration?: boolean
  readonly issuesRefreshTokens?: boolean
  readonly accessTokenS?: number
  /** A client with a secret, which may exchange tokens of this server (RFC 8693). */
  readonly exchanges?: ExchangeClient
  /** Of access tokens, beside those of RFC 9068. */
  readonly claims?: object
}

/**
 * @param scopes what it knows, of whatever resource
 * @param redirectUrl where the client that is registered gets its answers
 */
export async function authorizationServer(
  t: Test,
  scopes: readonly string[],
  redirectUrl: string,
  options: AuthorizationServerOptions = {},
): Promise<AuthorizationServer> {
  const server = http.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, configuration(scopes, redirectUrl, options))
  if (options.exchanges !== undefined) addTokenExchange(provider, issuer)
  const serve = provider.callback()
  const served: string[] = []
  server.on('request', (request, response) => {
    const path = request.url!.split('?')[0]!
    if (path.startsWith('/interaction/')) return void askUser(provider, request, response)
    if (options.cors === 'all' && path === '/reg' && allowOrigin(request, response)) return
    response.on('finish', () => served.push(`${request.method} ${path} ${response.statusCode}`))
    serve(request, response)
  })
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return { issuer, jwksUrl: `${issuer}/jwks`, served }
}

/** The library allows other origins everywhere but there. @returns whether the request is answered */
function allowOrigin({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
  response.setHeader('access-control-allow-origin', headers.origin ?? '*')
  response.setHeader('access-control-allow-headers', 'content-type')
  if (method !== 'OPTIONS') return false
  response.writeHead(204).end()
  return true
}

function configuration(
  scopes: readonly string[],
  redirectUrl: string,
  {
    cors = 'none',
    hasRegistration = true,
    issuesRefreshTokens = false,
    accessTokenS = 600,
    exchanges,
    claims = {},
  }: AuthorizationServerOptions,
): object {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  return {
    jwks: { keys: [{ ...key, kid: randomUUID(), alg: 'ES256', use: 'sig' }] },
    scopes,
    clients: [
      {
        client_id: REGISTERED,
        redirect_uris: [redirectUrl],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
      ...(exchanges === undefined ? [] : [toExchangeClient(exchanges)]),
    ],
    extraClientMetadata: { properties: EXCHANGE_METADATA },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    cookies: { keys: [randomUUID()] },
    ttl: {
      AccessToken: accessTokenS,
      AuthorizationCode: 60,
      Grant: 600,
      Interaction: 600,
      RefreshToken: 600,
      Session: 600,
    },
    extraTokenClaims: () => claims,
    pkce: { required: () => true },
    clientBasedCORS: () => cors !== 'none',
    // Clients may register for refresh tokens whether or not they get one.
    issueRefreshToken: () => issuesRefreshTokens,
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    // The user is asked each time: what was refused once can be granted later.
    loadExistingGrant: ({ oidc }: Context) =>
      oidc.result?.consent && oidc.provider.Grant.find(oidc.result.consent.grantId),
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: hasRegistration },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => false,
        getResourceServerInfo: (_: unknown, resource: string) => ({
          audience: resource,
          scope: scopes.join(' '),
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  }
}

interface Context {
  readonly oidc: {
    readonly result?: { readonly consent?: { readonly grantId: string } }
    readonly provider: { readonly Grant: { find(id: string): Promise<unknown> } }
  }
}

/** GET shows the page; POST is its form: `account`, and a `grant` for each scope that the user ticks. */
async function askUser(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response)
  if (request.method === 'GET') {
    response.setHeader('content-type', 'text/html').end(`<form method="post" data-prompt="${prompt.name}"></form>`)
    return
  }
  const form = new URLSearchParams(await text(request))
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: form.get('account') } })
  }
  const grant = new provider.Grant({ accountId: session!.accountId, clientId: params['client_id']! })
  // It asks for its own scopes apart, and takes those that clients may register for its own; tokens have the resource's.
  grant.addOIDCScope((prompt.details.missingOIDCScope ?? []).join(' '))
  for (const [resource, scopes] of Object.entries(prompt.details.missingResourceScopes ?? {})) {
    for (const scope of scopes) {
      if (form.getAll('grant').includes(scope)) grant.addResourceScope(resource, scope)
      else grant.rejectResourceScope(resource, scope)
    }
  }
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
}
