// The one way out for tools that ask for URLs which a model, a page or a server names: GET only, to public addresses,
// bounded in time and size. No cookies, no proxies of the environment, a connection of its own for each hop.
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
  /** In all: names, connections, redirects, headers and body. */
  readonly deadlineMs?: number
}

export interface WebRequest extends BodyBounds {
  readonly signal: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
  /** Headers for the origin of the URL alone; a redirect elsewhere ends them. */
  readonly credentials?: Readonly<Record<string, string>>
  /** What errors call the other side; the host, unless it is nobody's business. */
  readonly who?: string
  /** Asked of every hop before anything of it is looked up; refuses by a throw. */
  readonly permit?: (url: URL, signal: AbortSignal) => Promise<void>
  /** Looks at an answer before its body is read; refuses by a throw. */
  readonly check?: (answer: AnswerHead) => void
}

export interface AnswerHead {
  /** Where the last redirect led. */
  readonly url: URL
  readonly status: number
  /** The first field of that name, '' for none. */
  header(name: string): string
}

export interface WebAnswer extends AnswerHead {
  readonly body: Buffer
}

export interface WebClient {
  /** @throws ToolError for whatever is refused or fails; the signal's reason where that has aborted */
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
  if (next === null) throw new ToolError(`${url.host} redirects to what is no URL. Use another page.`)
  if (url.protocol === 'https:' && next.protocol === 'http:') {
    throw new ToolError(`${url.host} redirects from https: to http:, which is not followed. Use another page.`)
  }
  return next
}

async function hop(url: URL, request: WebRequest, options: Options): Promise<WebAnswer> {
  const { signal } = request
  const addresses = await addressesOf(url, options, signal)
  const { Client, buildConnector } = await import('undici')
  const connect = pinned(buildConnector({ lookup: lookupOf(addresses), rejectUnauthorized: true }), addresses, signal)
  const client = new Client(url.origin, { connect, maxHeaderSize: MAX_HEADER_BYTES })
  try {
    const { statusCode, headers, body } = await client.request({
      method: 'GET',
      path: url.pathname + url.search,
      headers: { 'accept-encoding': ENCODINGS, ...request.headers, ...request.credentials },
      signal,
    })
    // A body that is not read ends with the connection, and that is no fault.
    body.on('error', () => {})
    const header = (name: string) => [headers[name]].flat()[0] ?? ''
    const head: AnswerHead = { url, status: statusCode, header }
    if (isRedirect(head)) return { ...head, body: Buffer.alloc(0) }
    request.check?.(head)
    // All of its fields: the first may be only the first layer.
    const encoding = [headers['content-encoding'] ?? ''].flat().join(', ')
    return { ...head, body: await readBody(body, encoding, request) }
  } finally {
    await client.destroy()
  }
}

// What was checked is what is connected to: a name is never looked up again.
function lookupOf(addresses: readonly HostAddress[]): LookupFunction {
  return (_hostname, { all }, callback) => {
    if (all === true) callback(null, [...addresses])
    else callback(null, addresses[0]!.address, addresses[0]!.family)
  }
}

/** Looks once more where the connection leads, and lets no attempt outlive its signal. */
function pinned(
  connect: buildConnector.connector,
  addresses: readonly HostAddress[],
  signal: AbortSignal,
): buildConnector.connector {
  return (target, callback) => {
    // The declarations leave out that it returns the socket.
    const socket = connect(target, (...[error, connected]) => {
      const remote = connected?.remoteAddress ?? ''
      if (error !== null || addresses.some(({ address }) => isSame(address, remote))) {
        return error === null ? callback(null, connected) : callback(error, null)
      }
      connected.destroy()
      callback(new ToolError('The connection leads elsewhere than it should, and was closed.'), null)
    }) as unknown as Socket
    // With an error: undici hears of no other end of a connection that was never made.
    const stop = () => socket.destroy(new Error('aborted'))
    signal.addEventListener('abort', stop, { once: true })
  }
}
