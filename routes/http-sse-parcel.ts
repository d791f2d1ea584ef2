// A POST of HTTP+SSE that has reached another replica than the one that holds its stream, as it is handed to that one:
// checked and counted where it arrived, served where the stream is. A token never goes with it.
import type { FastifyRequest } from 'fastify'
import { traceparentIn } from '../src/audit/trace.ts'
import type { Caller } from '../src/exchange.ts'
import { CATALOGUE, type ErrorName, McpError } from '../src/protocol/errors.ts'
import { parseJson } from '../src/protocol/json.ts'
import { isObject, type JsonObject } from '../src/protocol/messages.ts'

/** @param body as it came: read here, it would lose what JSON can say and numbers cannot */
export function parcelOf(connection: string, request: FastifyRequest, body: Buffer): JsonObject {
  const { id, headers, caller, clientKey } = request
  const traceparent = traceparentIn(undefined, headers)
  return { connection, body: body.toString(), id, caller, clientKey, traceparent }
}

/**
 * The request as it would be, had it arrived here.
 *
 * @throws McpError INVALID_REQUEST, PARSE_ERROR where it is no parcel
 */
export function requestOf(parcel: JsonObject): FastifyRequest {
  const { body, id, caller, clientKey, traceparent } = parcel
  if (typeof body !== 'string' || typeof clientKey !== 'string' || !(caller === undefined || isCaller(caller)))
    throw new McpError('INVALID_REQUEST', 'it was not handed on by a replica')
  const bytes = Buffer.from(body)
  const request = {
    id: String(id),
    method: 'POST',
    headers: typeof traceparent === 'string' ? { traceparent } : {},
    body: parseJson(bytes),
    bodyBytes: bytes.length,
    caller,
    clientKey,
    startedMs: performance.now(),
    isAudited: false,
    // Its connection is not here.
    raw: {},
  }
  // Nothing below reads more of one.
  return request as unknown as FastifyRequest
}

export const isCaller = (caller: unknown): caller is Caller =>
  isObject(caller) &&
  typeof caller['subject'] === 'string' &&
  Array.isArray(caller['scopes']) &&
  caller['scopes'].every(scope => typeof scope === 'string')

/** What goes back of an error. */
export function refusalOf(error: unknown): JsonObject {
  const { reason, message } = error instanceof McpError ? error : new McpError('INTERNAL_ERROR')
  return { reason, message }
}

/** @throws McpError as it was thrown at the other replica */
export function assertTaken({ reason, message }: JsonObject): void {
  if (reason === undefined) return
  const isKnown = typeof reason === 'string' && Object.hasOwn(CATALOGUE, reason)
  throw McpError.restored(isKnown ? (reason as ErrorName) : 'INTERNAL_ERROR', String(message), undefined)
}
