// The provider that users of the broker sign in with: a real oidc-provider, shaped as Entra and
// Google are. One confidential client, no registration, no `resource`, tokens of its own that
// nobody else can read, and a session that signs in silently.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import Provider from 'oidc-provider'
import type { Test } from 'tap'
import { rsaKey } from '../../../../test/support/auth/rsa-keys.ts'
import { listen } from '../../../../test/support/servers/http-server.ts'

export const CLIENT_ID = 'broker-at-provider'
export const CLIENT_SECRET = 'a-secret-of-the-broker-and-the-provider'

export type UpstreamClaims = Record<string, unknown>

/** Who can sign in there, and what the provider says of each. */
export const USERS: Record<string, UpstreamClaims> = {
  alice: {
    email: 'alice@example.com',
    email_verified: true,
    hd: 'example.com',
    tid: 'tenant-1',
    roles: ['Writer'],
    groups: ['staff'],
  },
  bob: { email: 'bob@example.com', email_verified: true, hd: 'example.com', tid: 'tenant-1', groups: ['staff'] },
  mallory: { email: 'mallory@evil.example', email_verified: true, tid: 'tenant-2' },
  // An address that anybody can write into a directory of their own, as Entra lets them.
  eve: { email: 'alice@example.com', email_verified: false, tid: 'tenant-3' },
}

const CLAIMS = ['email', 'email_verified', 'hd', 'tid', 'roles', 'groups']

export interface UpstreamServer {
  readonly issuer: string
  /** What it was asked for so far, as `POST /token 200`. */
  readonly served: string[]
  /** Of each authorization request, in order. */
  readonly asked: URLSearchParams[]
  /** Who can sign in here, and stays. */
  readonly users: Record<string, UpstreamClaims>
  /** While it is set, tokens are answered with it. */
  trouble: number | undefined
  /** While it is set, tokens are answered with it, too. */
  answer: { readonly status: number; readonly body: object } | undefined
  /** While it is set, its keys cannot be had. */
  isWithoutKeys: boolean
  /** Runs before a refresh is answered. */
  onRefresh: (() => Promise<void>) | undefined
  /** Services, as they begin scopes, that nobody has consented to. */
  readonly withoutConsent: string[]
}

export async function upstreamServer(t: Test, brokerUrl: string): Promise<UpstreamServer> {
  const served: string[] = []
  const asked: URLSearchParams[] = []
  const users = structuredClone(USERS)
  const issuer = await listen(t, (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, issuer)
    if (pathname === '/auth') asked.push(searchParams)
    if (pathname === '/token' && server.trouble !== undefined) {
      served.push(`${request.method} ${pathname} ${server.trouble}`)
      return void response.writeHead(server.trouble).end('trouble')
    }
    if (pathname === '/token' && server.answer !== undefined) {
      const { status, body } = server.answer
      return void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (pathname === '/jwks' && server.isWithoutKeys) return void response.writeHead(503).end('trouble')
    if (pathname === '/token' && request.headers[PLAYED] === undefined) return void playToken(server, request, response)
    if (pathname.startsWith('/interaction/')) return void signIn(provider, request, response)
    response.on('finish', () => served.push(`${request.method} ${pathname} ${response.statusCode}`))
    serve(request, response)
  })
  const provider = new Provider(issuer, configuration(brokerUrl, users))
  const serve = provider.callback()
  const server: UpstreamServer = {
    issuer,
    served,
    asked,
    users,
    trouble: undefined,
    answer: undefined,
    isWithoutKeys: false,
    onRefresh: undefined,
    withoutConsent: [],
  }
  return server
}

interface Context {
  readonly oidc: {
    readonly provider: Provider
    readonly session: { readonly accountId: string }
    readonly client: { readonly clientId: string }
    readonly requestParamOIDCScopes: ReadonlySet<string>
  }
}

function configuration(brokerUrl: string, users: Record<string, UpstreamClaims>): object {
  const key = rsaKey().export({ format: 'jwk' })
  return {
    jwks: { keys: [{ ...key, kid: randomUUID(), alg: 'RS256', use: 'sig' }] },
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [`${brokerUrl}/callback`],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub'], email: CLAIMS, profile: [] },
    conformIdTokenClaims: false,
    cookies: { keys: [randomUUID()] },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      RefreshToken: 600,
      Session: 600,
    },
    pkce: { required: () => true },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false }, resourceIndicators: { enabled: false } },
    findAccount: (_: unknown, sub: string) =>
      sub in users ? { accountId: sub, claims: () => ({ sub, ...users[sub] }) } : undefined,
    issueRefreshToken: () => true,
    rotateRefreshToken: () => true,
    // Its administrator has consented for everybody.
    async loadExistingGrant({ oidc: { provider, session, client, requestParamOIDCScopes } }: Context) {
      const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId })
      grant.addOIDCScope([...requestParamOIDCScopes].join(' '))
      await grant.save()
      return grant
    },
  }
}

const PLAYED = 'x-played'

/** As Entra: a refresh token is good for each service whose permissions the application has. */
async function playToken(server: UpstreamServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const form = new URLSearchParams(await text(request))
  if (form.get('grant_type') === 'refresh_token') await server.onRefresh?.()
  const service = form.get('scope')?.includes('/') === true ? form.get('scope')! : undefined
  if (service !== undefined) form.delete('scope')
  response.setHeader('content-type', 'application/json')
  if (server.withoutConsent.some(each => service?.startsWith(each))) {
    const answer = { error: 'invalid_grant', suberror: 'consent_required', error_description: 'AADSTS65001: …' }
    return void response.writeHead(400).end(JSON.stringify(answer))
  }
  const { authorization = '' } = request.headers
  const own = await fetch(`${server.issuer}/token`, {
    method: 'POST',
    headers: { authorization, [PLAYED]: 'true' },
    body: form,
  })
  const answer = (await own.json()) as object
  const token = service && own.ok && { access_token: `provider.${Buffer.from(service).toString('base64url')}` }
  response.writeHead(own.status).end(JSON.stringify({ ...answer, ...token }))
}

/** GET shows a form; POST signs `account` in, or refuses if there is none. */
async function signIn(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'text/html').end('<form method="post" data-prompt="login"></form>')
    return
  }
  const account = new URLSearchParams(await text(request)).get('account')
  const result = account === null ? { error: 'access_denied' } : { login: { accountId: account } }
  await provider.interactionFinished(request, response, result)
}
