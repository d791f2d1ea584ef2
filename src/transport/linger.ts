// The answer to a request of which a large body is still on its way. A client that writes on while the server closes is
// told of a broken connection, and never sees its answer; so what it writes is read and dropped for a while.
// RFC 9112, 9.6.
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Answer } from '../answer.ts'
import { sendJson } from './respond.ts'

/** What is read and dropped of one body, and for how long, ms. */
export const MAX_LINGER_BYTES = 16 * 2 ** 20
export const LINGER_MS = 5000
/** Bodies that are read so at once; past them the connection closes with the answer. */
export const MAX_LINGERING = 64

/** A rest that is no longer than this is read anyway, and its connection used again. */
const SMALL_BYTES = 64 * 1024

export class Lingering {
  #count = 0

  /** Sends an answer at once, and ends it when its body has been read, or enough of that. */
  send(reply: FastifyReply, answer: Answer): void {
    const { raw: request } = reply.request
    if (!isLong(request)) return void sendJson(reply, answer)
    reply.header('connection', 'close')
    if (this.#count >= MAX_LINGERING || request.destroyed) return void sendJson(reply, answer)
    this.#count++
    const text = new Readable({ read() {} })
    text.push(answer.json)
    // Told before its end, which comes late.
    reply.header('content-length', Buffer.byteLength(answer.json))
    drop(request, () => {
      this.#count--
      text.push(null)
    })
    sendJson(reply, answer, text)
  }
}

/** Whether much of its body has not come, as far as is known. */
function isLong({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > SMALL_BYTES
}

function drop(request: IncomingMessage, done: () => void): void {
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
