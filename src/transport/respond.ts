// Writes an answer to the client: as JSON, or as the last event of an SSE response.
import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { McpError } from '../protocol/errors.ts'
import type { Answer } from '../request/answer.ts'
import type { DetachedStream, NotificationSink } from '../request/exchange.ts'
import type { UnsentBytes } from '../request/unsent-bytes.ts'
import type { AcceptedTypes } from './accept.ts'
import { type SseResponse, setStallTimeout } from './event-stream.ts'
import { isGone } from './http-versions.ts'
import { CLIENT_KEY } from './request-facts.ts'
import { detach, SSE_HEADERS, type StreamRegistry } from './sse.ts'

/** The stream of one request. Opens at the first notification, or if the request is quiet for long. */
export class ReplyStream implements NotificationSink {
  response: SseResponse | undefined
  readonly #streams: StreamRegistry
  readonly #reply: FastifyReply
  readonly #opensIfQuiet: boolean
  #onDrain: (() => void) | undefined

  constructor(streams: StreamRegistry, reply: FastifyReply, { namesSse }: Pick<AcceptedTypes, 'namesSse'>) {
    this.#streams = streams
    this.#reply = reply
    this.#opensIfQuiet = namesSse
  }

  /**
   * Whether the call was answered without a stream, or its client has left. Then nothing can be
   * sent.
   */
  get isTooLate(): boolean {
    return this.response === undefined && (this.#reply.sent || isGone(this.#reply.raw))
  }

  send(json: string): boolean {
    return !this.isTooLate && this.open().send(json)
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener
    this.response?.onDrain(listener)
  }

  get isOpen(): boolean {
    return this.response !== undefined
  }

  keepAlive(): void {
    if (this.#opensIfQuiet && !this.isOpen && !this.isTooLate) this.open().keepAlive()
  }

  detach(): DetachedStream {
    this.#streams.quota.acquire(this.#reply)
    return detach(this.open(), this.#reply)
  }

  open(): SseResponse {
    if (this.response === undefined) {
      this.response = this.#streams.open(this.#reply)
      if (this.#onDrain !== undefined) this.response.onDrain(this.#onDrain)
    }
    return this.response
  }
}

// With the charset, since Fastify would otherwise append it to each reply.
export const JSON_TYPE = 'application/json; charset=utf-8'

/** The kernel buffers this much, so a shorter answer needs no stall timeout. */
const SOCKET_BUFFER_BYTES = 16 * 1024

export interface ResponseOptions {
  readonly accepts: AcceptedTypes
  readonly sink: ReplyStream | undefined
  readonly unsent: UnsentBytes
}

export function respond(reply: FastifyReply, answer: Answer, { accepts, sink, unsent }: ResponseOptions): void {
  if (sink?.response !== undefined) {
    sink.response.finish(answer.json)
    return
  }
  if (accepts.prefersSse && answer.status === 200) send(reply.headers(SSE_HEADERS), `data: ${answer.json}\n\n`)
  else sendJson(reply, answer)
  countUnsent(unsent, reply, answer.json)
}

/** Sends a body, or an answer as JSON whatever the client accepts. Its bytes count as unread. */
export function sendCounted(reply: FastifyReply, payload: Answer | string | Buffer, unsent: UnsentBytes): void {
  const isBody = typeof payload === 'string' || Buffer.isBuffer(payload)
  if (isBody) send(reply, payload)
  else sendJson(reply, payload)
  countUnsent(unsent, reply, isBody ? payload : payload.json)
}

// Synchronous, so that the next answer sees the new count.
function countUnsent(unsent: UnsentBytes, { request, raw }: FastifyReply, text: string | Buffer): void {
  if (raw.writableLength === 0) return
  const bytes = Buffer.byteLength(text)
  const waiting = unsent.getOrCreate(request[CLIENT_KEY], request.raw.socket)
  waiting.isAnswer = true
  waiting.add(bytes)
  raw.once('finish', () => waiting.add(-bytes))
}

/** Ends a request without an answer, since the client has cancelled it. */
export function respondEmpty(reply: FastifyReply, { sse }: AcceptedTypes): void {
  if (sse) reply.headers(SSE_HEADERS).send('')
  else reply.code(202).send()
}

/** @param payload sent in place of the answer's text */
export function sendJson(
  reply: FastifyReply,
  { status, json, retryAfterS, challenge, mediaType = JSON_TYPE }: Answer,
  payload: string | Readable = json,
): FastifyReply {
  if (challenge !== undefined) reply.header('www-authenticate', challenge)
  if (retryAfterS !== undefined) reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfterS))))
  return send(reply.code(status).header('content-type', mediaType), payload)
}

function send(reply: FastifyReply, payload: string | Buffer | Readable): FastifyReply {
  reply.send(payload)
  if ((typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > SOCKET_BUFFER_BYTES)
    setStallTimeout(reply.raw)
  return reply
}

/** METHOD_NOT_ALLOWED (405), with an `Allow` header. RFC 9110, 15.5.6. */
export function methodNotAllowed(reply: FastifyReply, why: string, allow = 'POST, GET, DELETE'): McpError {
  reply.header('allow', allow)
  return new McpError('METHOD_NOT_ALLOWED', why)
}
