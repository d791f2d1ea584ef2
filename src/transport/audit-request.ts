// What HTTP knows of a request, for its line in the audit: for what ends before it is dispatched, or is never dispatched.
import type { FastifyRequest } from 'fastify'
import type { Audit } from '../audit/audit.ts'
import type { Ending } from '../audit/outcome.ts'
import { isObject } from '../protocol/messages.ts'

export interface HttpEnding {
  readonly ending: Ending
  readonly status: number
  readonly responseBytes?: number | undefined
}

/** One line, unless the request has had its own. */
export function auditRequest(audit: Audit, request: FastifyRequest, ended: HttpEnding): void {
  if (request.isAudited) return
  auditMessage(audit, request, { ...ended, message: request.body, bytes: bytesOf(request) })
}

/**
 * One line for one message, of which a request may hold several.
 *
 * @param message as it came; anything
 */
export function auditMessage(
  audit: Audit,
  request: FastifyRequest,
  { message, bytes, ending, status, responseBytes }: HttpEnding & { message: unknown; bytes: number | undefined },
): void {
  request.isAudited = true
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
