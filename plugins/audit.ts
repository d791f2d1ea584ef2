// Stores facts for the audit at the start of a request: time, body size, whether it was audited.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { emitRefused } from '../src/dispatch.ts'
import type { Ending, RequestEvents } from '../src/observability/request-ended.ts'
import { findTraceId } from '../src/observability/trace-context.ts'
import type { LogContext } from '../src/observability/warnings.ts'
import { isObject } from '../src/protocol/messages.ts'
import { isCaller } from '../src/request/caller.ts'
import { BODY_BYTES, CLIENT_KEY, IS_AUDITED, NAMED, STARTED_MS } from '../src/transport/request-facts.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The door, for routes of clients that do not speak MCP. */
    door?: string | undefined
  }
}

async function audit(app: FastifyInstance, { isTimed }: { isTimed: boolean }) {
  app.decorateRequest(STARTED_MS, 0)
  app.decorateRequest(BODY_BYTES, 0)
  app.decorateRequest(IS_AUDITED, false)
  app.decorateRequest(NAMED, undefined)
  if (!isTimed) return
  app.addHook('onRequest', (request, _reply, done) => {
    request[STARTED_MS] = performance.now()
    done()
  })
}

export default fp(audit, { name: 'toolrack-audit' })

/** Ids that tie the log lines of a request or message together. */
export function toLogContext({ id, headers, body }: FastifyRequest, message: unknown = body): LogContext {
  return { requestId: id, traceId: findTraceId(isObject(message) ? message['params'] : undefined, headers) }
}

export interface HttpEnding {
  readonly ending: Ending
  readonly status: number
  readonly error?: unknown
  readonly responseJson?: string | undefined
}

/** Emits the end of a request that no method handled, at most once. */
export function emitHttpEnded(events: RequestEvents, request: FastifyRequest, ended: HttpEnding): void {
  if (request[IS_AUDITED]) return
  emitMessageEnded(events, request, { ...ended, message: request.body, bytes: readBytes(request) })
}

/**
 * The same for one message of a request, which may contain several.
 * @param message unvalidated
 */
export function emitMessageEnded(
  events: RequestEvents,
  request: FastifyRequest,
  { message, bytes, ...ended }: HttpEnding & { readonly message: unknown; readonly bytes: number | undefined },
): void {
  request[IS_AUDITED] = true
  const connection = {
    requestId: request.id,
    // The guard may not have read yet what an app has set.
    caller: isCaller(request.caller) ? request.caller : undefined,
    // The rate limit has not set the key yet.
    clientKey: request[CLIENT_KEY] || `address ${request.ip}`,
    headers: request.headers,
    door: request.routeOptions.config.door,
    log: request.log,
  }
  emitRefused(events, connection, {
    message,
    verb: request.method,
    durationMs: request[STARTED_MS] > 0 ? performance.now() - request[STARTED_MS] : undefined,
    requestBytes: bytes,
    ...ended,
  })
}

/** The bytes read, or the announced length if none were. */
function readBytes({ [BODY_BYTES]: bodyBytes, headers }: FastifyRequest): number | undefined {
  if (bodyBytes > 0) return bodyBytes
  const announced = Number(headers['content-length'])
  return Number.isSafeInteger(announced) && announced > 0 ? announced : undefined
}
