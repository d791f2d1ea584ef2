// The token endpoint of an authorization server, on a port of its own, which answers as a test
// tells it and keeps what it was asked.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { listen } from '../servers/http-server.ts'

export interface TokenAsk {
  readonly form: Readonly<Record<string, string>>
  /** Id and secret, from the header or from the form. */
  readonly client: readonly [way: 'basic' | 'post' | 'none', id: string | undefined, secret: string | undefined]
}

export type TokenAnswer = (ask: TokenAsk, response: ServerResponse) => void

export interface TokenService {
  readonly issuer: string
  readonly tokenUrl: string
  /** What the token endpoint was asked, in order. */
  readonly asked: TokenAsk[]
  /** How often its metadata was read. */
  discoveries: number
  answer: TokenAnswer
  metadata: object
}

export const json = (response: ServerResponse, status: number, body: object): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/**
 * Gives a token that says what it is for. It is opaque: no pattern for secrets would find it.
 *
 * @param expiresInS null: not said
 */
export const giveTokens =
  (expiresInS: number | null = 3600): TokenAnswer =>
  ({ form }, response) =>
    json(response, 200, {
      access_token: `given.${randomPart()}.${form['audience'] ?? form['resource'] ?? 'any'}.${randomPart()}`,
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      ...(expiresInS !== null && { expires_in: expiresInS }),
    })

/** @param error as Entra and others answer it */
export const refuseTokens =
  (error: object, status = 400): TokenAnswer =>
  (_ask, response) =>
    json(response, status, error)

let parts = 0
const randomPart = () => `part${(++parts).toString().padStart(8, '0')}`

export async function tokenService(t: Test, answer: TokenAnswer = giveTokens()): Promise<TokenService> {
  const issuer = await listen(t, (request, response) => void serve(service, request, response))
  const service: TokenService = {
    issuer,
    tokenUrl: `${issuer}/token`,
    asked: [],
    discoveries: 0,
    answer,
    metadata: { issuer, token_endpoint: `${issuer}/token` },
  }
  return service
}

async function serve(service: TokenService, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.on('error', () => {})
  if (request.url === '/.well-known/openid-configuration') {
    service.discoveries++
    return json(response, 200, service.metadata)
  }
  if (request.url !== '/token' || request.method !== 'POST') return void response.writeHead(404).end()
  const ask = readAsk(request, new URLSearchParams(await text(request)))
  service.asked.push(ask)
  service.answer(ask, response)
}

function readAsk({ headers: { authorization } }: IncomingMessage, parameters: URLSearchParams): TokenAsk {
  const { client_id: id, client_secret: secret, ...form } = Object.fromEntries(parameters)
  if (authorization === undefined) return { form, client: [secret === undefined ? 'none' : 'post', id, secret] }
  const [user, password] = Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
    .toString()
    .split(':')
    // As a form is encoded (RFC 6749, 2.3.1).
    .map(part => new URLSearchParams(`_=${part}`).get('_') ?? undefined)
  return { form, client: ['basic', user, password] }
}
