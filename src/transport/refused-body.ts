// Answers a refused request whose body is still arriving. A client that writes while the server
// closes sees only a broken connection, so the server reads and drops its bytes for a while.
// RFC 9112, 9.6.
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { ErrorName } from '../protocol/errors.ts'
import type { Answer } from '../request/answer.ts'
import { closeAfterwards } from './http-versions.ts'
import type { BodyBytes } from './request-body.ts'
import { sendJson } from './respond.ts'

/** How much of one body is read and dropped, and for how long, ms. */
export const MAX_LINGER_BYTES = 16 * 2 ** 20
export const LINGER_MS = 5000
/** Bodies that are drained at once; above it the connection closes with the answer. */
export const MAX_LINGERING = 64

/** A body that announces no more is read whole, and its connection is reused. */
const SMALL_BYTES = 64 * 1024

export class LingeringClose {
  #count = 0

  /** Sends an answer at once, and ends it once the body is drained or a limit is reached. */
  send(reply: FastifyReply, answer: Answer): void {
    const { raw: request } = reply.request
    if (!hasLongBody(request)) return void sendJson(reply, answer)
    closeAfterwards(reply)
    if (this.#count >= MAX_LINGERING || request.destroyed) return void sendJson(reply, answer)
    this.#count++
    const text = new Readable({ read() {} })
    text.push(answer.json)
    // Sent in advance, since the end of the answer comes late.
    reply.header('content-length', Buffer.byteLength(answer.json))
    drainBody(request, () => {
      this.#count--
      text.push(null)
    })
    sendJson(reply, answer, text)
  }
}

/** Whether a long body may still be arriving. */
function hasLongBody({ complete, readableEnded, headers }: IncomingMessage): boolean {
  // `complete` is of a socket's parser; a request that is injected has none.
  if (complete || readableEnded) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > SMALL_BYTES
}

function drainBody(request: IncomingMessage, done: () => void): void {
  let size = 0
  const onData = (chunk: Buffer) => {
    size += chunk.length
    if (size > MAX_LINGER_BYTES) end()
  }
  const timer = setTimeout(end, LINGER_MS)
  function end(): void {
    clearTimeout(timer)
    request.off('data', onData).off('end', end).off('close', end).off('error', end)
    done()
  }
  request.on('data', onData).on('end', end).on('close', end).on('error', end).resume()
}

// Reads the body of a refused request only for its JSON-RPC id, within tight bounds.

interface WaitLimit {
  /** Undefined: the route's limit applies. */
  readonly maxBytes?: number
  readonly waitMs: number
}

/** Without a token: short bodies and short waits. */
const ANONYMOUS_WAIT: WaitLimit = { maxBytes: 8 * 1024, waitMs: 250 }
/** An accepted caller could have sent the whole body anyway. */
const CALLER_WAIT: WaitLimit = { waitMs: 5000 }

/** Anonymous requests that are waited for at once. */
export const MAX_ANONYMOUS_WAITS = 100

/** Other errors, such as rate limits, are answered without the body. */
const WAIT_BY_REASON: Readonly<Partial<Record<ErrorName, WaitLimit>>> = {
  UNAUTHENTICATED: ANONYMOUS_WAIT,
  NOT_ACCEPTABLE: CALLER_WAIT,
  UNSUPPORTED_MEDIA_TYPE: CALLER_WAIT,
}

export interface RefusedRequest {
  readonly raw: IncomingMessage
  readonly clientKey: string
}

export class RefusedBodyReader {
  readonly #bodies: BodyBytes
  #anonymousWaits = 0

  constructor(bodies: BodyBytes) {
    this.#bodies = bodies
  }

  /**
   * @param done called once with the body; without it if it is too long, too late or one too many
   * @returns false if nothing is read; then `done` is not called
   */
  read(refused: RefusedRequest, reason: ErrorName, maxBytes: number, done: (body?: Buffer) => void): boolean {
    const { raw: request, clientKey } = refused
    const patience = WAIT_BY_REASON[reason]
    if (patience === undefined || request.method !== 'POST' || request.readableDidRead || request.destroyed)
      return false
    const isStranger = patience === ANONYMOUS_WAIT
    const most = Math.min(patience.maxBytes ?? maxBytes, maxBytes)
    const announced = getAnnouncedBytes(request, isStranger)
    if (!(announced > 0 && announced <= most) || (isStranger && this.#anonymousWaits >= MAX_ANONYMOUS_WAITS))
      return false
    if (isStranger) this.#anonymousWaits++
    collectBody(request, { maxBytes: most, waitMs: patience.waitMs, bodies: this.#bodies, clientKey }, body => {
      if (isStranger) this.#anonymousWaits--
      done(body)
    })
    return true
  }
}

// A body without a length is not read for an anonymous caller.
function getAnnouncedBytes({ headers, httpVersionMajor }: IncomingMessage, isStranger: boolean): number {
  const { 'transfer-encoding': transfer, 'content-length': length = httpVersionMajor === 2 ? undefined : '0' } = headers
  return transfer !== undefined || length === undefined ? Number(!isStranger) : Number(length)
}

interface CollectOptions extends Required<WaitLimit> {
  readonly bodies: BodyBytes
  readonly clientKey: string
}

function collectBody(
  request: IncomingMessage,
  { maxBytes, waitMs, bodies, clientKey }: CollectOptions,
  done: (body?: Buffer) => void,
) {
  const chunks: Buffer[] = []
  let size = 0
  const incoming = bodies.begin(clientKey, () => end())
  const onData = (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) end()
    else bodies.add(incoming, chunk.length)
  }
  const onEnd = () => end(Buffer.concat(chunks))
  const onClose = () => end()
  const timer = setTimeout(onClose, waitMs)
  function end(body?: Buffer): void {
    clearTimeout(timer)
    bodies.end(incoming)
    chunks.length = 0
    request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose).resume()
    done(body)
  }
  request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
}
