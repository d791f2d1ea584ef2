// Reads a body into one buffer: at most the route's limit, as long as announced, and counted.
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { McpError } from '../protocol/errors.ts'
import type { BodyBytes, IncomingBody } from './body-bytes.ts'
import { BODY_BYTES, CLIENT_KEY } from './request-facts.ts'

interface BodyParser {
  /** The media type. */
  readonly type: string
  readonly bodies: BodyBytes
  parse(body: Buffer, request: FastifyRequest): unknown
}

/** Reads and parses the bodies of one media type. */
export function addBodyParser(app: FastifyInstance, { type, bodies, parse }: BodyParser): void {
  app.addContentTypeParser(type, (request, payload, done) => {
    readBody(bodies, request, payload, (error, body) => {
      if (body === undefined) return done(error)
      request[BODY_BYTES] = body.length
      try {
        done(null, parse(body, request))
      } catch (fault) {
        // The error handler reads the request id from the bytes.
        request.body = body
        done(fault as Error)
      }
    })
  })
}

/**
 * What an app leaves on a request after it has read the body: the bytes, or the value that it
 * parsed.
 */
interface ReadRequest {
  readonly rawBody?: unknown
  readonly body?: unknown
}

/**
 * The events of the body are over, so it is used or refused at once.
 *
 * @throws McpError; Error if the app is at fault
 */
function takeReadBody(request: FastifyRequest, maxBytes: number): Buffer {
  const places: readonly ReadRequest[] = [request.raw as ReadRequest, request]
  const isJson = /json/i.test(request.headers['content-type'] ?? '')
  const bodies = places.map(({ body }) => body)
  const kept = [...places.map(({ rawBody }) => rawBody), ...bodies].map(toBytes)
  const bytes = [...kept, ...(isJson ? bodies.map(toJsonBytes) : [])].find(each => each !== undefined)
  if (bytes === undefined && !request.raw.readableEnded) throw createLeftError()
  if (bytes === undefined) throw new Error(`the app has read the body of this request already: ${READ_BODY_FIX}`)
  if (bytes.length > maxBytes) throw bodyTooLarge(maxBytes)
  return bytes
}

const createLeftError = () => new McpError('PARSE_ERROR', 'the client left before its body had ended')

const READ_BODY_FIX = 'let it leave out the paths of Toolrack, or keep the bytes as rawBody of the request'

const toBytes = (read: unknown) =>
  typeof read === 'string' || read instanceof Uint8Array ? Buffer.from(read) : undefined

const toJsonBytes = (parsed: unknown) =>
  typeof parsed === 'object' && parsed !== null ? Buffer.from(JSON.stringify(parsed)) : undefined

/** @param payload from a hook of the app is decoded already @throws McpError */
function assertPlainCoding({ headers, raw }: FastifyRequest, payload: Readable): void {
  const { 'transfer-encoding': transfer, 'content-encoding': coding } = headers
  // Node decodes chunks only, and no other coding. RFC 9112, 6.1.
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked')
    throw new McpError('NOT_IMPLEMENTED', `Transfer-Encoding: ${transfer}; expected chunked`)
  if (coding === undefined || payload !== raw || /^(?:identity)?$/i.test(coding)) return
  throw new McpError('UNSUPPORTED_MEDIA_TYPE', `Content-Encoding: ${coding}; expected a body without one`)
}

/** Smaller bodies, which usually arrive in one chunk, are not counted. */
const UNCOUNTED_BYTES = 16 * 1024

type BodyCallback = (error: Error | null, body?: Buffer) => void

/** @param payload the request, or the stream that a hook of the app returned for it */
function readBody(bodies: BodyBytes, request: FastifyRequest, payload: Readable, done: BodyCallback): void {
  const maxBytes = request.routeOptions.bodyLimit ?? 0
  const announced = Number(request.headers['content-length'])
  try {
    if (announced > maxBytes) throw bodyTooLarge(maxBytes)
    assertPlainCoding(request, payload)
    if (payload.readableEnded || payload.destroyed) {
      done(null, takeReadBody(request, maxBytes))
      return
    }
  } catch (fault) {
    done(fault as Error)
    return
  }
  const chunks: Buffer[] = []
  let size = 0
  let counted = 0
  let incoming: IncomingBody | undefined

  function onData(data: Buffer | string): void {
    const chunk = typeof data === 'string' ? Buffer.from(data) : data
    size += chunk.length
    if (Math.max(size, encodedBytes(payload)) > maxBytes) end(bodyTooLarge(maxBytes))
    else keep(chunk)
  }
  function keep(chunk: Buffer): void {
    chunks.push(chunk)
    if (size <= UNCOUNTED_BYTES) return
    const bytes = size - counted
    counted = size
    if (incoming === undefined) {
      incoming = bodies.begin(request[CLIENT_KEY], end)
      // In HTTP/2, a body that the client gives up closes without an error.
      payload.on('close', onClose)
    }
    bodies.add(incoming, bytes)
  }
  function onClose(): void {
    end(createLeftError())
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
    payload.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
    if (incoming !== undefined) bodies.end(incoming)
    if (error === null) done(null, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size))
    else done(error)
    chunks.length = 0
  }
  payload.on('data', onData).on('end', onEnd).on('error', onError)
  payload.resume()
}

// A hook that decodes the body sets it.
const encodedBytes = (payload: Readable & { receivedEncodedLength?: number }) => payload.receivedEncodedLength ?? 0

const bodyTooLarge = (maxBytes: number) => new McpError('BODY_TOO_LARGE', `at most ${maxBytes} bytes`)
