// Reads a body into one buffer: not more than the route allows, as long as it was said to be, and counted as it comes.
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { McpError } from '../protocol/errors.ts'
import type { BodyBytes, Incoming } from './body-bytes.ts'

/** What comes in one piece, as most bodies do, is complete before it has to be counted. */
const UNCOUNTED_BYTES = 16 * 1024

type Done = (error: Error | null, body?: Buffer) => void

/** @param payload the request, or what a hook of the app has made of it */
export function readBody(bodies: BodyBytes, request: FastifyRequest, payload: Readable, done: Done): void {
  const maxBytes = request.routeOptions.bodyLimit ?? 0
  const announced = Number(request.headers['content-length'])
  if (announced > maxBytes) {
    done(tooLarge(maxBytes))
    return
  }
  const chunks: Buffer[] = []
  let size = 0
  let counted = 0
  let incoming: Incoming | undefined

  function onData(data: Buffer | string): void {
    const chunk = typeof data === 'string' ? Buffer.from(data) : data
    size += chunk.length
    if (Math.max(size, encodedBytes(payload)) > maxBytes) end(tooLarge(maxBytes))
    else keep(chunk)
  }
  function keep(chunk: Buffer): void {
    chunks.push(chunk)
    if (size <= UNCOUNTED_BYTES) return
    const bytes = size - counted
    counted = size
    incoming ??= bodies.begin(request.clientKey, end)
    bodies.add(incoming, bytes)
  }
  function onEnd(): void {
    const isWhole = Number.isNaN(announced) || (encodedBytes(payload) || size) === announced
    end(isWhole ? null : new McpError('PARSE_ERROR', 'the body is not as long as Content-Length says'))
  }
  function onError(error: Error & { statusCode?: number }): void {
    if (!((error.statusCode ?? 0) >= 400)) error.statusCode = 400
    end(error)
  }
  function end(error: Error | null): void {
    payload.off('data', onData).off('end', onEnd).off('error', onError)
    if (incoming !== undefined) bodies.end(incoming)
    if (error === null) done(null, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size))
    else done(error)
    chunks.length = 0
  }
  payload.on('data', onData).on('end', onEnd).on('error', onError)
  payload.resume()
}

// Of a body that a hook has decoded.
const encodedBytes = (payload: Readable & { receivedEncodedLength?: number }) => payload.receivedEncodedLength ?? 0

const tooLarge = (maxBytes: number) => new McpError('BODY_TOO_LARGE', `at most ${maxBytes} bytes`)
