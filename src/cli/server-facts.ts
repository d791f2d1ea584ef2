// What `toolrack connect` says of the server: the server itself is asked; if it does not answer, the
// settings of the environment say what it will be.
import type { ServerFacts } from '../clients/index.ts'
import { getAuthorizationServers, hasAccessControl } from '../config/access.ts'
import { getPublicUrl, toOpenUrl } from '../config/public-url.ts'
import { readEnvironment } from '../config/settings.ts'
import { UsageError } from './errors.ts'

type Access = Pick<ServerFacts, 'access' | 'authorizationServers'>

export interface KnownServer {
  readonly facts: ServerFacts
  /** It has answered. */
  readonly isRunning: boolean
}

/** A server that nobody has called for a while may have to start first. */
const TIMEOUT_MS = 10_000
const MAX_METADATA_BYTES = 64 * 1024
const OPEN: Access = { access: 'open', authorizationServers: [] }

/**
 * @param given the URL of another server
 * @throws UsageError, ConfigError
 */
export async function readServer(name: string, given?: string): Promise<KnownServer> {
  const { url, access } = given === undefined ? readOwn() : { url: parseUrl(given), access: OPEN }
  const answer = await askAccess(url).catch(() => undefined)
  return { facts: { url: url.href, name, ...(answer ?? access) }, isRunning: answer !== undefined }
}

function readOwn(): { readonly url: URL; readonly access: Access } {
  const settings = readEnvironment()
  if (settings.port === 0 && settings.publicUrl === undefined)
    throw new UsageError('PORT is 0, so the port is not known; pass --url with the URL that the server has printed')
  const access: Access = hasAccessControl(settings)
    ? { access: 'token', authorizationServers: getAuthorizationServers(settings) }
    : OPEN
  return { url: toOpenUrl(getPublicUrl(settings)), access }
}

function parseUrl(text: string): URL {
  const url = URL.parse(text)
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) return url
  throw new UsageError(`--url: expected the URL of an endpoint, such as http://127.0.0.1:3000/mcp`)
}

/** Asks without a token. The answer to a request that says nothing is 401 if the server wants one. */
async function askAccess(url: URL): Promise<Access> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
  const response = await fetch(url, { method: 'POST', body: '{}', headers, redirect: 'manual', signal })
  await response.body?.cancel()
  if (response.status !== 401) return OPEN
  const challenge = response.headers.get('www-authenticate') ?? ''
  const metadata = URL.parse(/resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '')
  const isOwn = metadata?.origin === url.origin
  return { access: 'token', authorizationServers: isOwn ? await readAuthorizationServers(metadata, signal) : [] }
}

/** RFC 9728. */
async function readAuthorizationServers(url: URL, signal: AbortSignal): Promise<readonly string[]> {
  const response = await fetch(url, { redirect: 'error', signal })
  let text = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (text.length > MAX_METADATA_BYTES) return []
  }
  const { authorization_servers: servers } = JSON.parse(text) as { authorization_servers?: unknown }
  return Array.isArray(servers) ? servers.filter(each => typeof each === 'string') : []
}
