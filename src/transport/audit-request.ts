// What HTTP knows of a request, for its line in the audit: for what ends before it is dispatched, or is never dispatched.
import type { FastifyRequest } from 'fastify'
import type { Audit } from '../audit/audit.ts'
import { type Ending, labelOf } from '../audit/outcome.ts'
import { traceIdOf } from '../audit/trace.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { isObject } from '../protocol/messages.ts'
import type { Marks } from '../refusal-log.ts'

/** What tells the lines of one request, or of one message of it. */
export function marksOf({ id, headers, body }: FastifyRequest, message: unknown = body): Marks {
  return { requestId: id, traceId: traceIdOf(isObject(message) ? message['params'] : undefined, headers) }
}

export interface HttpEnding {
  readonly ending: Ending
  readonly status: number
  readonly responseBytes?: number | undefined
}

const SERVED: ReadonlySet<string> = new Set(['ok', 'streaming'])

/** Who is told how a request ended. */
export interface Observers {
  readonly audit: Audit
  readonly metrics: Metrics
}

/** One line, unless the request has had its own. */
export function auditRequest(observers: Observers, request: FastifyRequest, ended: HttpEnding): void {
  if (request.isAudited) return
  auditMessage(observers, request, { ...ended, message: request.body, bytes: bytesOf(request) })
}

/**
 * One line for one message, of which a request may hold several.
 *
 * @param message as it came; anything
 */
export function auditMessage(
  { audit, metrics }: Observers,
  request: FastifyRequest,
  { message, bytes, ending, status, responseBytes }: HttpEnding & { message: unknown; bytes: number | undefined },
): void {
  request.isAudited = true
  if (!SERVED.has(ending.outcome)) metrics.refused(labelOf(ending))
  if (!audit.isOn) return
  const { method, params } = isObject(message) ? message : {}
  audit.write({
    requestId: request.id,
    caller: request.caller,
    // Before it is counted it has none.
    clientKey: request.clientKey || `address ${request.ip}`,
    headers: request.headers,
    verb: request.method,
    method: typeof method === 'string' ? method : undefined,
    params,
    ending,
    status,
    durationMs: request.startedMs > 0 ? performance.now() - request.startedMs : undefined,
    requestBytes: bytes,
    responseBytes,
  })
}

/** What was read, or where nothing was read, what was announced. */
function bytesOf({ bodyBytes, headers }: FastifyRequest): number | undefined {
  if (bodyBytes > 0) return bodyBytes
  const announced = Number(headers['content-length'])
  return Number.isSafeInteger(announced) && announced > 0 ? announced : undefined
}
