// HTTP for the checks: each request on a new connection, without redirects, timed and bounded. The
// token goes only to the server's own origin.
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

export interface Timing {
  /** Time since the start of the request, ms. */
  lookup?: number
  connect?: number
  secure?: number
  headers?: number
  firstByte?: number
  end?: number
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Whether the body was longer than the part that was read. */
  readonly isCut: boolean
  readonly timing: Timing
  /** From the TLS certificate. */
  readonly validTo?: Date | undefined
}

export interface Sending {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
  readonly timeoutMs?: number
  readonly maxBytes?: number
  /** Stops reading once the body so far fulfils this. */
  readonly until?: (body: string) => boolean
  /** Called when the headers have arrived, before the body. */
  readonly onHeaders?: (answer: Pick<HttpAnswer, 'status' | 'headers'>) => void
  readonly signal?: AbortSignal
  /** Leaves out the user's token and headers. */
  readonly isAnonymous?: boolean
}

export type Send = (url: URL, sending?: Sending) => Promise<HttpAnswer>

interface HttpOptions {
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

const MAX_BYTES = 8 * 1024 * 1024
const DECODERS = { gzip: createGunzip, br: createBrotliDecompress, deflate: createInflate } as const

/** The part of an answer before a timeout, or an error of the network. */
export class HttpTimeout extends Error {
  override name = 'HttpTimeout'
  readonly timing: Timing
  /** The status, if the headers have arrived. */
  readonly status: number | undefined
  readonly afterMs: number

  constructor(timing: Timing, status: number | undefined, afterMs: number) {
    super(`no whole answer came within ${Math.round(afterMs / 1000)} s`)
    this.timing = timing
    this.status = status
    this.afterMs = afterMs
  }
}

/** The part of an answer before its connection broke. */
export class BrokenAnswer extends Error {
  override name = 'BrokenAnswer'
  readonly status: number

  constructor(status: number, cause: unknown) {
    super(`status ${status} came, and the answer broke off`, { cause })
    this.status = status
  }
}

export const createSend =
  ({ origin, headers: own, signal, timeoutMs: usualMs }: HttpOptions): Send =>
  (url, sending = {}) => {
    const { method = 'GET', headers, body, timeoutMs = usualMs, isAnonymous = false } = sending
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const all = {
      'user-agent': 'toolrack-doctor',
      'accept-encoding': 'gzip, br, deflate',
      // Uses the global agent, which takes the proxy of the environment; with `close` it keeps no
      // connection.
      connection: 'close',
      ...(payload && { 'content-type': 'application/json', 'content-length': String(payload.length) }),
      ...(isAnonymous || url.origin !== origin ? {} : own),
      ...headers,
    }
    return new Promise<HttpAnswer>((resolve, reject) => {
      const startMs = performance.now()
      const timing: Timing = {}
      const mark = (name: keyof Timing) => () => (timing[name] ??= Math.round(performance.now() - startMs))
      const open = url.protocol === 'https:' ? requestHttps : requestHttp
      let status: number | undefined
      const stop = sending.signal === undefined ? signal : AbortSignal.any([signal, sending.signal])
      const request = open(url, { method, headers: all, signal: stop, servername: toServerName(url) }, response => {
        mark('headers')()
        status = response.statusCode ?? 0
        sending.onHeaders?.({ status, headers: response.headers })
        const validTo = readValidTo(response)
        read(response, sending, mark).then(({ text, isCut }) => {
          mark('end')()
          request.destroy()
          clearTimeout(timer)
          resolve({ status: status ?? 0, headers: response.headers, body: text, isCut, timing, validTo })
        }, fail)
      })
      const fail = (error: unknown) => {
        clearTimeout(timer)
        const isOurs = stop.aborted || error instanceof HttpTimeout || status === undefined
        reject(isOurs ? error : new BrokenAnswer(status ?? 0, error))
      }
      const giveUp = () => request.destroy(new HttpTimeout(timing, status, timeoutMs))
      // After a standstill of this process, timers run before data that has arrived is read.
      const timer = setTimeout(() => setImmediate(giveUp), timeoutMs)
      request.on('socket', socket => {
        socket.once('lookup', mark('lookup')).once('connect', mark('connect')).once('secureConnect', mark('secure'))
      })
      request.on('error', fail)
      request.end(payload)
    })
  }

/**
 * For the certificate: Node would take the name from the Host of a check. An address has none (RFC
 * 6066, 3).
 */
const toServerName = ({ hostname }: URL) => (isIP(hostname.replace(/^\[|\]$/g, '')) ? '' : hostname)

function readValidTo({ socket }: IncomingMessage): Date | undefined {
  if (!('getPeerCertificate' in socket)) return undefined
  const { valid_to: validTo } = (socket as TLSSocket).getPeerCertificate()
  return validTo === undefined ? undefined : new Date(validTo)
}

async function read(
  response: IncomingMessage,
  { maxBytes = MAX_BYTES, until }: Sending,
  mark: (name: keyof Timing) => () => void,
): Promise<{ text: string; isCut: boolean }> {
  const encoding = response.headers['content-encoding'] as keyof typeof DECODERS
  const decoder = Object.hasOwn(DECODERS, encoding ?? '') ? DECODERS[encoding]() : undefined
  response.on('error', error => decoder?.destroy(error))
  const stream = decoder === undefined ? response : response.pipe(decoder)
  const text = new TextDecoder()
  let [body, size] = ['', 0]
  for await (const chunk of stream) {
    mark('firstByte')()
    size += chunk.length
    body += text.decode(chunk, { stream: true })
    if (size > maxBytes) return { text: body, isCut: true }
    if (until?.(body)) return { text: body, isCut: true }
  }
  return { text: body, isCut: false }
}
