// Cancels requests whose client has left, closes connections, and answers malformed HTTP.
// Spec 2026-07-28: basic/patterns/cancellation, "Transport-Specific Cancellation".
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { McpError } from '../protocol/errors.ts'
import { type Answer, createErrorAnswer } from '../request/answer.ts'
import type { Cancellation } from '../request/cancellation.ts'
import { isGone } from './http-versions.ts'
import { JSON_TYPE } from './respond.ts'

export function cancelOnDisconnect(response: ServerResponse, cancellation: Cancellation): void {
  if (isGone(response) && !response.writableEnded) cancellation.cancel('client-left')
  // `request.signal` ends with the body, and `writableFinished` lags under inject.
  response.on('close', () => {
    if (!response.writableEnded) cancellation.cancel('client-left')
  })
}

/** How long clients may take to read their last answers when the server closes, ms. */
const ANSWER_FLUSH_MS = 2000

/**
 * Tracks a server's connections. An unused one would block the close, so it is ended at once.
 *
 * @returns ends them; call it after all requests are answered
 */
export function trackConnections(server: Server): () => void {
  const open = new Set<Socket>()
  server.on('connection', socket => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  return () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    setTimeout(() => server.closeAllConnections(), ANSWER_FLUSH_MS).unref()
  }
}

export const HEADERS_WITHIN_MS = 5000
export const REQUEST_WITHIN_MS = 10_000
export const MAX_HEADER_BYTES = 16 * 1024

/** How long a new connection may send nothing, ms: a busy client connects long before it sends. */
const FIRST_BYTE_WITHIN_MS = 60_000

/** How much, and how long, the server reads on, so that the client can read the refusal. */
const MAX_DRAIN_BYTES = 1024 * 1024
const MAX_DRAIN_MS = 1000

type ClientError = Error & { readonly code?: string; readonly reason?: string }

function translateClientError({ code, reason = '' }: ClientError): McpError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT': {
      const [headersS, requestS] = [HEADERS_WITHIN_MS / 1000, REQUEST_WITHIN_MS / 1000]
      return new McpError(
        'REQUEST_TIMEOUT',
        `expected its headers within ${headersS} s, and all of it in ${requestS} s`,
      )
    }
    case 'HPE_HEADER_OVERFLOW':
      return new McpError('TOO_MANY_HEADERS', `at most ${MAX_HEADER_BYTES} bytes`)
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new McpError('BODY_TOO_LARGE', 'its chunks have extensions')
    default:
      return new McpError('INVALID_REQUEST', `expected HTTP/1.1${reason && `: ${reason}`}`)
  }
}

/** For Fastify's `clientErrorHandler`: the connection sent invalid HTTP, or timed out. */
export function clientErrorHandler(): (error: ClientError, socket: Socket) => void {
  /** Bytes read when the socket was refused. */
  const refused = new WeakMap<Socket, number>()
  return (error, socket) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) return waitForFirstByte(socket)
    const readBefore = refused.get(socket)
    // Anything after the refusal is not parsed either.
    if (readBefore !== undefined) return void (socket.bytesRead - readBefore > MAX_DRAIN_BYTES && socket.destroy())
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) return void socket.destroy()
    refused.set(socket, socket.bytesRead)
    refuseSocket(socket, translateClientError(error))
  }
}

/**
 * Replaces the answers that Node would send in a format of its own.
 *
 * @param createAnswer in the format of the path
 */
export function refuseBelowRoutes(server: Server, createAnswer: (error: McpError, url?: string) => Answer): void {
  // RFC 9110, 10.1.1: an empty list expects nothing.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const expected = String(request.headers.expect)
    if (/^[\s,]*$/.test(expected)) return void server.emit('request', request, response)
    const error = new McpError('EXPECTATION_FAILED', `${expected} is not supported; expected 100-continue`)
    const { status, json, mediaType = JSON_TYPE } = createAnswer(error, request.url)
    const headers = { 'content-type': mediaType, 'content-length': Buffer.byteLength(json), connection: 'close' }
    response.writeHead(status, headers).end(json)
  })
  server.on('connect', (_request, socket: Duplex) => {
    socket.on('error', () => {})
    refuseSocket(socket, new McpError('METHOD_NOT_ALLOWED', 'this server is not a proxy'))
  })
}

// Node checks the connection again after its first byte, and then applies its own timeouts.
function waitForFirstByte(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), FIRST_BYTE_WITHIN_MS - HEADERS_WITHIN_MS).unref()
  socket.once('data', () => clearTimeout(timer)).once('close', () => clearTimeout(timer))
}

function refuseSocket(socket: Duplex, error: McpError): void {
  const { status, json } = createErrorAnswer(error, undefined)
  // Not imported: an import of node:http also loads its WebSocket, which takes 25 ms at each start.
  const { STATUS_CODES } = process.getBuiltinModule('node:http')
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(json)}`,
    'Connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${json}`)
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), MAX_DRAIN_MS)
  socket.once('close', () => clearTimeout(timer))
}

/** True if a response has begun: the client would take an error for the rest of its body. */
function isAnswering(socket: Socket): boolean {
  const { _httpMessage: message } = socket as Socket & { readonly _httpMessage?: ServerResponse | null }
  return message?.headersSent === true
}
