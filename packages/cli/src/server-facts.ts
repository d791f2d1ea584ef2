// The facts on a server for `toolrack connect`. Asks the server itself. If it does not answer, reads
// the settings of the environment.
import type { ServerFacts } from 'toolrack/clients'
import { readEnvironment } from 'toolrack/environment'
import { composeDoors, readAuthorizationServers } from 'toolrack/server'
import { getPublicUrl, getToolsUrl, hasAccessControl, isWildcard, toOpenUrl } from 'toolrack/settings'
import { hasCredentials } from 'toolrack/text'
import { findServer } from './client/servers.ts'
import { DISCOVER_REQUEST } from './discover-request.ts'
import { UsageError } from './errors.ts'

type Access = Pick<ServerFacts, 'access' | 'authorizationServers'>
type PlainHttp = ServerFacts['plainHttp']

export interface KnownServer {
  readonly facts: ServerFacts
  /** Whether it has answered. */
  readonly isRunning: boolean
  /** Whether only this machine can open the URL, because the setting names no other host. */
  readonly isUnnamed: boolean
}

/** Long, since an idle server may have to start first. */
const TIMEOUT_MS = 10_000
const MAX_METADATA_BYTES = 64 * 1024
const OPEN: Access = { access: 'open', authorizationServers: [] }

/**
 * @param given the URL of another server
 * @throws UsageError, ConfigError
 */
export async function readServer(name: string, given?: string): Promise<KnownServer> {
  const known = given === undefined ? await readOwn() : describeOther(toOpenUrl(parseUrl(given)))
  const { url, access, isUnnamed } = known
  const answer = await askAccess(url).catch(() => undefined)
  const plainHttp = given === undefined ? known.plainHttp : await askPlainHttp(known.plainHttp)
  return {
    facts: { url: url.href, name, ...(answer ?? access), plainHttp },
    isRunning: answer !== undefined,
    isUnnamed,
  }
}

interface Target {
  readonly url: URL
  readonly access: Access
  readonly plainHttp: PlainHttp
  readonly isUnnamed: boolean
}

async function readOwn(): Promise<Target> {
  const settings = readEnvironment()
  if (settings.port === 0 && settings.publicUrl === undefined)
    throw new UsageError('PORT is 0, so the port is not known; pass --url with the URL that the server has printed')
  const access: Access = hasAccessControl(settings)
    ? { access: 'token', authorizationServers: await readAuthorizationServers(settings) }
    : OPEN
  const bound = getPublicUrl(settings)
  const url = toOpenUrl(bound)
  return {
    url,
    access,
    plainHttp: {
      url: getToolsUrl(settings, url.href),
      isOn: (await composeDoors({ settings, isPlugin: false })).isOpen('plain-http'),
    },
    isUnnamed: settings.publicUrl === undefined && isWildcard(bound),
  }
}

/** Plain HTTP is beside the endpoint, unless it was moved. */
const describeOther = (url: URL): Target => ({
  url,
  access: OPEN,
  plainHttp: { url: new URL('tools', url).href, isOn: true },
  isUnnamed: false,
})

function parseUrl(text: string): URL {
  const url = URL.parse(findServer(text)?.url ?? text)
  if (url !== null && hasCredentials(url))
    throw new UsageError('--url: the URL has a password in it; leave it out, since it would be shown in every step')
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) return url
  throw new UsageError(
    `--url: expected the URL of an endpoint, such as http://127.0.0.1:3000/mcp, or the name of a server`,
  )
}

/** If the server does not answer, assumes that it has plain HTTP. */
async function askPlainHttp({ url, isOn }: PlainHttp): Promise<PlainHttp> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const answer = await fetch(url, { headers: { Accept: 'application/json' }, redirect: 'manual', signal }).catch(
    () => undefined,
  )
  await answer?.body?.cancel()
  return { url, isOn: answer === undefined ? isOn : answer.status !== 404 }
}

/**
 * Sends the first request of any client without a token. The answer is 401 if the server requires
 * one.
 */
async function askAccess(url: URL): Promise<Access> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const response = await fetch(url, { ...DISCOVER_REQUEST, redirect: 'manual', signal })
  await response.body?.cancel()
  if (response.status !== 401) return OPEN
  const challenge = response.headers.get('www-authenticate') ?? ''
  const metadata = URL.parse(/resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '')
  const isOwn = metadata?.origin === url.origin
  return { access: 'token', authorizationServers: isOwn ? await readNamedServers(metadata, signal) : [] }
}

/** RFC 9728. */
async function readNamedServers(url: URL, signal: AbortSignal): Promise<readonly string[]> {
  const response = await fetch(url, { redirect: 'error', signal })
  let text = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (text.length > MAX_METADATA_BYTES) return []
  }
  const { authorization_servers: servers } = JSON.parse(text) as { authorization_servers?: unknown }
  return Array.isArray(servers) ? servers.filter(each => typeof each === 'string') : []
}
