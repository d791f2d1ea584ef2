// An answer → the wire: JSON, or the end of a stream that a notification has opened, or a stream of one where that is preferred.
import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Answer } from '../answer.ts'
import type { UnsentBytes } from '../unsent-bytes.ts'
import type { Accepted } from './accept.ts'
import type { LazySink } from './lazy-sink.ts'
import { SSE_HEADERS } from './sse.ts'
import { cutStalled } from './stalled.ts'

// With the charset, since Fastify would add it to each reply.
export const JSON_TYPE = 'application/json; charset=utf-8'

/** What the kernel takes at once, whoever reads; nobody has to be watched for so little. */
const KERNEL_BYTES = 16 * 1024

/** How an answer may leave. */
export interface Way {
  readonly accepts: Accepted
  readonly sink: LazySink | undefined
  readonly unsent: UnsentBytes
}

export function respond(reply: FastifyReply, answer: Answer, { accepts, sink, unsent }: Way): void {
  if (sink?.stream !== undefined) {
    sink.stream.finish(answer.json)
    return
  }
  if (accepts.prefersSse && answer.status === 200) send(reply.headers(SSE_HEADERS), `data: ${answer.json}\n\n`)
  else sendJson(reply, answer)
  if (reply.raw.writableLength > 0) countUnsent(unsent, reply, answer.json)
}

// Synchronous, so that the next answer finds it counted.
function countUnsent(unsent: UnsentBytes, { request, raw }: FastifyReply, text: string): void {
  const bytes = Buffer.byteLength(text)
  const waiting = unsent.of(request.clientKey, request.raw.socket)
  waiting.isAnswer = true
  waiting.add(bytes)
  raw.once('finish', () => waiting.add(-bytes))
}

/** A request that is not answered: its client has cancelled it. */
export function respondNothing(reply: FastifyReply, { sse }: Accepted): void {
  if (sse) reply.headers(SSE_HEADERS).send('')
  else reply.code(202).send()
}

/** @param payload in place of its text, which it is then made of */
export function sendJson(
  reply: FastifyReply,
  { status, json, retryAfterS, challenge }: Answer,
  payload: string | Readable = json,
): FastifyReply {
  if (challenge !== undefined) reply.header('www-authenticate', challenge)
  if (retryAfterS !== undefined) reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfterS))))
  return send(reply.code(status).header('content-type', JSON_TYPE), payload)
}

function send(reply: FastifyReply, payload: string | Readable): FastifyReply {
  reply.send(payload)
  if (typeof payload === 'string' && payload.length > KERNEL_BYTES) cutStalled(reply.raw)
  return reply
}
