// An issuer on a port of its own: its metadata, its keys and what it says of opaque tokens. A test
// says what is at each path, and sees what was asked.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { listen } from '../servers/http-server.ts'
import { AUDIENCE, type Issuer } from './forge.ts'

export interface Asked {
  readonly path: string
  readonly authorization: string | undefined
  readonly body: string
}

type Answer = (asked: Asked, response: ServerResponse) => void

export interface IssuerServer {
  readonly origin: string
  /** By path; others are 404. */
  readonly paths: Record<string, Answer | object>
  readonly asked: Asked[]
}

export const sendJson = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** @param path of the issuer, such as `/realms/acme` */
export async function issuerServer(t: Test): Promise<IssuerServer> {
  const server: IssuerServer = {
    origin: await listen(t, (request, response) => void serve(request, response)),
    paths: {},
    asked: [],
  }
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '', headers } = request
    const asked = { path, authorization: headers.authorization, body: await text(request) }
    server.asked.push(asked)
    const answer = server.paths[path]
    if (answer === undefined) return void response.writeHead(404).end()
    if (typeof answer === 'function') answer(asked, response)
    else sendJson(response, 200, answer)
  }
  return server
}

/** Publishes the keys, and metadata that names them. @returns the issuer */
export function publish(server: IssuerServer, keys: readonly Issuer[], at = '', wellKnown = OPENID): string {
  const issuer = `${server.origin}${at}`
  server.paths[wellKnown(at)] = { issuer, jwks_uri: `${issuer}/jwks` }
  server.paths[`${at}/jwks`] = { keys: keys.map(({ jwk }) => jwk) }
  return issuer
}

export const OPENID = (at: string) => `${at}/.well-known/openid-configuration`
export const OPENID_BEFORE = (at: string) => `/.well-known/openid-configuration${at}`
export const OAUTH = (at: string) => `/.well-known/oauth-authorization-server${at}`

/** Headers with a token of an issuer, signed with a key. */
export const tokenOf = (key: Issuer, iss: string, over: object = {}) => ({
  authorization: `Bearer ${key.token({ iss, aud: AUDIENCE, client_id: 'app', ...over })}`,
})
