// The broker as a process of its own, the provider behind it, and clients that speak to it by hand.
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Test } from 'tap'
import { freePort } from '../../../../test/support/free-port.ts'
import { type Process, start } from '../../../../test/support/servers/own-process.ts'
import { Browser, leftFor } from './browser.ts'
import { CLIENT_ID, CLIENT_SECRET, type UpstreamServer, upstreamServer } from './upstream.ts'

export const PROGRAM = resolve('packages/broker/src/server.ts')
export const RESOURCE = 'https://mcp.example/mcp'
export const REDIRECT = 'https://client.example/callback'
export const SCOPES = 'prices:read,prices:write?roles=Writer'

export interface Broker {
  readonly url: string
  readonly process: Process
  readonly upstream: UpstreamServer
  browser(): Browser
}

/** Of a file for signing keys, which several brokers can share; it goes with the test. */
export function keysPath(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolrack-broker-keys-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'keys.json')
}

export function brokerSettings(url: string, issuer: string): Record<string, string> {
  return {
    BROKER_URL: url,
    PORT: new URL(url).port,
    RESOURCE_URL: RESOURCE,
    SCOPES,
    CLAIMS: 'email,tenant=tid,groups,roles',
    ALLOWED_USERS: 'hd=example.com',
    UPSTREAM_ISSUER: issuer,
    UPSTREAM_CLIENT_ID: CLIENT_ID,
    UPSTREAM_CLIENT_SECRET: CLIENT_SECRET,
    UPSTREAM_NAME: 'Example ID',
  }
}

export async function startBroker(t: Test, settings: Record<string, string> = {}): Promise<Broker> {
  const url = `http://127.0.0.1:${await freePort()}`
  const upstream = await upstreamServer(t, url)
  const process = await start(t, PROGRAM, { ...brokerSettings(url, upstream.issuer), ...settings })
  return { url, process, upstream, browser: () => new Browser([url, upstream.issuer]) }
}

/** What the broker was given to register; most clients register as this one does. */
export const PUBLIC_CLIENT = {
  client_name: 'Test client',
  redirect_uris: [REDIRECT],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
export type Body = any

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

async function read(response: Response): Promise<Answered> {
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text }
}

export async function register({ url }: { readonly url: string }, metadata: object = {}): Promise<Answered> {
  const body = JSON.stringify({ ...PUBLIC_CLIENT, ...metadata })
  return read(await fetch(`${url}/register`, { method: 'POST', headers: { 'content-type': 'application/json' }, body }))
}

export async function registered(broker: { readonly url: string }, metadata: object = {}): Promise<string> {
  const { status, body } = await register(broker, metadata)
  if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body.client_id
}

export interface Asked {
  readonly url: URL
  readonly verifier: string
  readonly state: string
}

/** An authorization request; members that are undefined are left out. */
export function ask(
  { url }: { readonly url: string },
  clientId: string,
  changes: Record<string, string | undefined> = {},
): Asked {
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(8).toString('hex')
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    scope: 'prices:read',
    resource: RESOURCE,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  }
  const start = new URL('/authorize', url)
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) start.searchParams.set(name, value)
  return { url: start, verifier, state }
}

export async function post(
  { url }: { readonly url: string },
  path: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answered> {
  return read(await fetch(`${url}${path}`, { method: 'POST', headers, body: new URLSearchParams(form) }))
}

export const exchange = (
  broker: { readonly url: string },
  clientId: string,
  code: string,
  verifier: string,
  changes: Record<string, string> = {},
): Promise<Answered> =>
  post(broker, '/token', {
    grant_type: 'authorization_code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code,
    code_verifier: verifier,
    ...changes,
  })

export const refresh = (broker: { readonly url: string }, clientId: string, token: string): Promise<Answered> =>
  post(broker, '/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token })

/** As the server asks for a token of another service. */
export const exchangeToken = (
  broker: { readonly url: string },
  secret: string,
  token: string,
  changes: Record<string, string> = {},
): Promise<Answered> =>
  post(
    broker,
    '/token',
    {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      audience: 'https://graph.example',
      ...changes,
    },
    { authorization: `Basic ${Buffer.from(`toolrack-server:${secret}`).toString('base64')}` },
  )

export const payloadOf = (token: string): Body => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())
export const headerOf = (token: string): Body => JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString())

interface SignInWish {
  /** Default: one that registers now. */
  readonly clientId?: string | undefined
  /** Parameters that the client asks with. */
  readonly changes?: Record<string, string | undefined>
}

/** A client has a user sign in, and exchanges the code. */
export async function signIn(broker: Broker, account: string, { clientId: known, changes = {} }: SignInWish = {}) {
  const clientId = known ?? (await registered(broker))
  const { url, verifier, state } = ask(broker, clientId, changes)
  const answer = leftFor(await broker.browser().authorize(url, { account }))
  const code = answer.get('code')!
  const tokens = await exchange(broker, clientId, code, verifier)
  return { clientId, state, answer, code, verifier, tokens, token: tokens.body.refresh_token as string }
}
