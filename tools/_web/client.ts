// The HTTP client for tools whose URLs come from a model, a page or a server. GET only, to public
// addresses, bounded in time and size. No cookies, no proxy of the environment, and a new
// connection for each hop.
import type { LookupFunction, Socket } from 'node:net'
import { ToolError } from 'toolrack'
import type { buildConnector } from 'undici'
import { isSame } from './address.ts'
import type { AllowList } from './allow-list.ts'
import { type BodyBounds, ENCODINGS, readBody } from './body.ts'
import { failureOf, tooSlow } from './failure.ts'
import { addressesOf, type HostAddress, type Resolve, systemResolve } from './resolve.ts'
import { checkTarget, parseTarget } from './target.ts'

const DEADLINE_MS = 10_000
const MAX_REDIRECTS = 20
const MAX_HEADER_BYTES = 32 * 1024
const REDIRECTS = new Set([301, 302, 303, 307, 308])

export interface ClientOptions {
  readonly allow: AllowList
  readonly resolve?: Resolve
  /** Deadline for everything: names, connections, redirects, headers and body. */
  readonly deadlineMs?: number
}

export interface WebRequest extends BodyBounds {
  readonly signal: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
  /** Headers for the URL's own origin only; a redirect to another origin drops them. */
  readonly credentials?: Readonly<Record<string, string>>
  /** The name of the other side in errors; set it if its host must not be shown. */
  readonly who?: string
  /** Called for each hop before its host is resolved; throws to refuse it. */
  readonly permit?: (url: URL, signal: AbortSignal) => Promise<void>
  /** Called before the body is read; throws to refuse the response. */
  readonly check?: (answer: AnswerHead) => void
}

export interface AnswerHead {
  /** The URL after all redirects. */
  readonly url: URL
  readonly status: number
  /** The first field of that name; '' if there is none. */
  header(name: string): string
}

export interface WebAnswer extends AnswerHead {
  readonly body: Buffer
}

export interface WebClient {
  /** @throws ToolError for any refusal or failure; the signal's reason if it has aborted */
  get(url: string, request: WebRequest): Promise<WebAnswer>
}

type Options = Required<ClientOptions>

export function webClient({ allow, resolve = systemResolve, deadlineMs = DEADLINE_MS }: ClientOptions): WebClient {
  const options: Options = { allow, resolve, deadlineMs }
  return {
    async get(text, request) {
      const url = parseTarget(text, allow)
      const deadline = AbortSignal.timeout(deadlineMs)
      const signal = AbortSignal.any([request.signal, deadline])
      const who = request.who ?? url.host
      try {
        return await follow(url, { ...request, signal }, options)
      } catch (error) {
        request.signal.throwIfAborted()
        throw deadline.aborted ? tooSlow(who, deadlineMs) : failureOf(error, who)
      }
    },
  }
}

async function follow(start: URL, request: WebRequest, options: Options): Promise<WebAnswer> {
  let url = start
  let { credentials } = request
  for (let redirects = 0; ; redirects++) {
    await request.permit?.(url, request.signal)
    const answer = await hop(url, { ...request, credentials }, options)
    if (!isRedirect(answer)) return answer
    if (redirects === MAX_REDIRECTS) throw new ToolError(`More than ${MAX_REDIRECTS} redirects. Use another page.`)
    const next = checkTarget(targetOf(answer), options.allow)
    if (next.origin !== url.origin) credentials = undefined
    url = next
  }
}

const isRedirect = ({ status, header }: AnswerHead) => REDIRECTS.has(status) && header('location') !== ''

function targetOf({ url, header }: AnswerHead): URL {
  const next = URL.parse(header('location'), url.href)
  if (next === null) throw new ToolError(`${url.host} redirects to an invalid URL. Use another page.`)
  if (url.protocol === 'https:' && next.protocol === 'http:') {
    throw new ToolError(`${url.host} redirects from https: to http:, which is not followed. Use another page.`)
  }
  return next
}

async function hop(url: URL, request: WebRequest, options: Options): Promise<WebAnswer> {
  const { signal } = request
  const addresses = await addressesOf(url, options, signal)
  const { Client, buildConnector } = await import('./undici.ts')
  const connect = pinned(buildConnector({ lookup: lookupOf(addresses), rejectUnauthorized: true }), addresses, signal)
  const client = new Client(url.origin, { connect, maxHeaderSize: MAX_HEADER_BYTES })
  try {
    const { statusCode, headers, body } = await client.request({
      method: 'GET',
      path: url.pathname + url.search,
      headers: { 'accept-encoding': ENCODINGS, ...request.headers, ...request.credentials },
      signal,
    })
    // An unread body ends with the connection, and that is no error.
    body.on('error', () => {})
    const header = (name: string) => [headers[name]].flat()[0] ?? ''
    const head: AnswerHead = { url, status: statusCode, header }
    if (isRedirect(head)) return { ...head, body: Buffer.alloc(0) }
    request.check?.(head)
    // All fields of this name: the first one may be only the first encoding.
    const encoding = [headers['content-encoding'] ?? ''].flat().join(', ')
    return { ...head, body: await readBody(body, encoding, request) }
  } finally {
    await client.destroy()
  }
}

// Connects to the addresses that were checked; a name is never resolved twice.
function lookupOf(addresses: readonly HostAddress[]): LookupFunction {
  return (_hostname, { all }, callback) => {
    if (all === true) callback(null, [...addresses])
    else callback(null, addresses[0]!.address, addresses[0]!.family)
  }
}

/** Checks the remote address of the connection again, and ends each attempt with the signal. */
function pinned(
  connect: buildConnector.connector,
  addresses: readonly HostAddress[],
  signal: AbortSignal,
): buildConnector.connector {
  return (target, callback) => {
    // The type declarations omit that it returns the socket.
    const socket = connect(target, (...[error, connected]) => {
      const remote = connected?.remoteAddress ?? ''
      if (error !== null || addresses.some(({ address }) => isSame(address, remote))) {
        return error === null ? callback(null, connected) : callback(error, null)
      }
      connected.destroy()
      callback(new ToolError('The connection leads elsewhere than it should, and was closed.'), null)
    }) as unknown as Socket
    // With an error: otherwise undici does not notice the end of a connection that was never made.
    const stop = () => socket.destroy(new Error('aborted'))
    signal.addEventListener('abort', stop, { once: true })
  }
}
