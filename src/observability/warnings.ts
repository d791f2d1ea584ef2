// Logs refusals, slow calls and ended requests. Each refusal reason is a warning at intervals, with
// a hint for the operator and the number since the last; other lines have a lower level.
import { type ErrorName, McpError } from '../protocol/errors.ts'
import { isObject } from '../protocol/messages.ts'
import type { Log } from '../request/exchange.ts'
import { LogThrottle } from '../request/log-throttle.ts'
import type { RequestOutcome } from '../request/outcome.ts'
import type { RequestEndedListener } from './request-ended.ts'
import { findTraceId } from './trace-context.ts'

export const HINTS: Readonly<Partial<Record<ErrorName, string>>> = {
  UNAUTHENTICATED:
    'the token or API key was missing, or is not for this server: JWT_AUDIENCE, JWT_ISSUER, API_KEYS_FILE; docs/guides/access.md',
  INSUFFICIENT_SCOPE:
    'the token lacks a scope of the tool: grant it, or see SCOPES_SUPPORTED, SCOPE_HIERARCHY and JWT_SCOPE_CLAIMS',
  FORBIDDEN_ORIGIN: 'a page of another origin called: add it to ALLOWED_ORIGINS if it is yours',
  FORBIDDEN_HOST: 'the server was called by a name it does not know: set PUBLIC_URL, or add it to ALLOWED_HOSTS',
  SESSION_NOT_FOUND:
    'the session has ended, or is of another process: STATE_SECRET or STATE lets it outlive a restart; replicas need REDIS_URL',
  BODY_TOO_LARGE: 'raise MAX_BODY_BYTES if such bodies are wanted',
  RATE_LIMITED: 'a client asks more often than RATE_LIMIT_MAX in RATE_LIMIT_WINDOW; behind a proxy set TRUST_PROXY',
  BUSY: 'the process is full: raise MAX_CONCURRENT_CALLS and MAX_QUEUED_CALLS, or add a replica; of new tokens: docs/guides/access.md',
  UNVERIFIABLE: 'the issuer of the tokens does not answer: GET /ready and the log say why',
  STATE_UNAVAILABLE:
    'the kept state cannot be reached: look at the Redis of REDIS_URL, or the file of STATE; calls without state go on',
  AUDIT_UNAVAILABLE: 'AUDIT_FILE cannot be written: look at its disk; GET /ready says why',
  DRAINING: 'the server is going down: its proxy should send requests elsewhere once GET /ready is 503',
}
export const DEFAULT_HINT = 'the client sent what the protocol does not allow; its maker has to look'

export interface LogContext {
  readonly requestId: string
  readonly traceId?: string | undefined
}

export class RefusalLog {
  readonly #log: Log
  readonly #quietLevel: 'debug' | 'info'
  readonly #throttle: LogThrottle

  /**
   * @param quietLevel level of the lines that are not warnings
   * @param now a monotonic clock, ms
   */
  constructor(log: Log, quietLevel: 'debug' | 'info', now?: () => number) {
    this.#log = log
    this.#quietLevel = quietLevel
    this.#throttle = new LogThrottle({ now })
  }

  log(context: LogContext, { outcome, reason }: Refusal): void {
    const repeated = this.#throttle.pass(reason)
    if (repeated === undefined) {
      this.#log[this.#quietLevel]({ ...context, outcome, reason }, 'refused')
      return
    }
    const hint = HINTS[reason] ?? DEFAULT_HINT
    this.#log.warn({ ...context, outcome, reason, ...repeated, hint }, 'refused')
  }
}

export interface Refusal {
  readonly outcome: RequestOutcome
  readonly reason: ErrorName
}

/** Warns about requests that were refused before a method was served. */
export function warnOfRefusals(refusals: RefusalLog): RequestEndedListener {
  return ({ source, error, ending: { outcome }, requestId, params, headers }) => {
    if (source !== 'http' || !(error instanceof McpError)) return
    refusals.log({ requestId, traceId: findTraceId(params, headers) }, { outcome, reason: error.reason })
  }
}

const SLOW_CALL_HINT =
  "look at the tool's own upstreams, and whether calls wait for a slot (MAX_CONCURRENT_CALLS); work that takes long can be a task (docs/reference/tools.md)"

/** @param slowCallMs calls that take longer are logged; waits for the client do not count */
export function warnOfSlowCalls(slowCallMs: number): RequestEndedListener {
  return ({ source, method, params, ending, requestId, durationMs = 0, waitedMs = 0, log }) => {
    const elapsedMs = Math.round(durationMs - waitedMs)
    // A call that became a task has only waited for it.
    if (source !== 'method' || method !== 'tools/call' || elapsedMs <= slowCallMs || ending.outcome === 'task') return
    log.warn({ requestId, tool: readName(params)?.slice(0, 128), elapsedMs, hint: SLOW_CALL_HINT }, 'slow call')
  }
}

function readName(params: unknown): string | undefined {
  const name = isObject(params) ? params['name'] : undefined
  return typeof name === 'string' ? name : undefined
}

/** Logs each request that a method served or refused, and each task that ended. */
export function logEnded(level: 'debug' | 'info'): RequestEndedListener {
  return ({ source, method = '', params, ending: { outcome, reason }, requestId, durationMs = 0, log }) => {
    if (source === 'http' || log.isLevelEnabled?.(level) === false) return
    const elapsedMs = Math.round(durationMs * 10) / 10
    const why = reason === outcome ? undefined : reason
    const name = readName(params)?.slice(0, 128)
    if (source === 'task') log[level]({ requestId, tool: name, outcome, reason: why, elapsedMs }, 'task ended')
    else log[level]({ requestId, method: method.slice(0, 128), name, outcome, reason: why, elapsedMs }, 'served')
  }
}
