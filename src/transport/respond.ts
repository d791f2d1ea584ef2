// An answer → the wire: JSON, or the end of a stream that a notification has opened, or a stream of one where only that is taken.
import type { FastifyReply } from 'fastify'
import type { Answer } from '../answer.ts'
import type { Accepted } from './accept.ts'
import { type LazySink, SSE_HEADERS } from './sse.ts'

export function respond(
  reply: FastifyReply,
  answer: Answer,
  sink: LazySink | undefined,
  accepts: Accepted,
): FastifyReply {
  if (sink?.stream !== undefined) {
    sink.stream.finish(answer.json)
    return reply
  }
  if (!accepts.json && answer.status === 200) return reply.headers(SSE_HEADERS).send(`data: ${answer.json}\n\n`)
  return sendJson(reply, answer)
}

export function sendJson(reply: FastifyReply, { status, json, retryAfterS }: Answer): FastifyReply {
  if (retryAfterS !== undefined) reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfterS))))
  return reply.code(status).header('content-type', 'application/json').send(json)
}
