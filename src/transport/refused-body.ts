// Answers a refused request whose body is still arriving. A client that writes while the server
// closes sees only a broken connection, so the server reads and drops its bytes for a while.
// RFC 9112, 9.6.
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Answer } from '../request/answer.ts'
import { closeAfterwards } from './http-versions.ts'
import { sendJson } from './respond.ts'

/** Bounds for one body that is read and dropped: bytes, and time, ms. */
export const MAX_LINGER_BYTES = 16 * 2 ** 20
export const LINGER_MS = 5000
/** Bodies that are drained at the same time. Above that, the connection closes with the answer. */
export const MAX_LINGERING = 64

/** A body that announces at most this is read whole, and its connection is reused. */
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
    // The length is sent in advance, since the answer ends late.
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
  // Only the parser of a socket sets `complete`; an injected request lacks it.
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
