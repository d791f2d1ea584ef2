// What the audit has to know of a request from its first moment: when it came, how long its body was, and whether its
// line is written.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { findTarget } from '../src/methods/index.ts'
import type { Ending, RequestEvents } from '../src/observability/request-ended.ts'
import { findTraceId } from '../src/observability/trace-context.ts'
import type { LogContext } from '../src/observability/warnings.ts'
import { isObject } from '../src/protocol/messages.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Of `performance.now()`; 0 where nobody asks. */
    startedMs: number
    bodyBytes: number
    isAudited: boolean
  }
}

async function audit(app: FastifyInstance, { isTimed }: { isTimed: boolean }) {
  app.decorateRequest('startedMs', 0)
  app.decorateRequest('bodyBytes', 0)
  app.decorateRequest('isAudited', false)
  if (!isTimed) return
  app.addHook('onRequest', (request, _reply, done) => {
    request.startedMs = performance.now()
    done()
  })
}

export default fp(audit, { name: 'toolrack-audit' })

/** Ties the log lines of a request, or of one message of it, together. */
export function toLogContext({ id, headers, body }: FastifyRequest, message: unknown = body): LogContext {
  return { requestId: id, traceId: findTraceId(isObject(message) ? message['params'] : undefined, headers) }
}

export interface HttpEnding {
  readonly ending: Ending
  readonly status: number
  readonly error?: unknown
  readonly responseJson?: string | undefined
}

/** Says that a request has ended which no method has seen, unless that has been said. */
export function emitHttpEnded(events: RequestEvents, request: FastifyRequest, ended: HttpEnding): void {
  if (request.isAudited) return
  emitMessageEnded(events, request, { ...ended, message: request.body, bytes: readBytes(request) })
}

/**
 * The same for one message, of which a request may hold several.
 *
 * @param message as it came; anything
 */
export function emitMessageEnded(
  events: RequestEvents,
  request: FastifyRequest,
  { message, bytes, ...ended }: HttpEnding & { readonly message: unknown; readonly bytes: number | undefined },
): void {
  request.isAudited = true
  const { method, params } = isObject(message) ? message : {}
  events.emit({
    source: 'http',
    requestId: request.id,
    caller: request.caller,
    // Before it is counted it has none.
    clientKey: request.clientKey || `address ${request.ip}`,
    headers: request.headers,
    verb: request.method,
    method: typeof method === 'string' ? method : undefined,
    params,
    target: findTarget(method, params),
    durationMs: request.startedMs > 0 ? performance.now() - request.startedMs : undefined,
    requestBytes: bytes,
    responseJson: undefined,
    log: request.log,
    ...ended,
  })
}

/** What was read, or if nothing was read, what was announced. */
function readBytes({ bodyBytes, headers }: FastifyRequest): number | undefined {
  if (bodyBytes > 0) return bodyBytes
  const announced = Number(headers['content-length'])
  return Number.isSafeInteger(announced) && announced > 0 ? announced : undefined
}
