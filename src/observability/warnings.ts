// What was refused, and what the operator can do about it. Of each reason one line in a while is a
// warning, with how many there were since the last; under a flood the rest is only for who looks
// closely.
import { type ErrorName, McpError } from '../protocol/errors.ts'
import { isObject } from '../protocol/messages.ts'
import type { Exchange, Log } from '../request/exchange.ts'
import { LogThrottle } from '../request/log-throttle.ts'
import type { RequestOutcome } from '../request/outcome.ts'
import type { RequestEndedListener } from './request-ended.ts'
import { findTraceId } from './trace-context.ts'

export const HINTS: Readonly<Partial<Record<ErrorName, string>>> = {
  UNAUTHENTICATED: 'the token was missing or is not for this server: JWT_AUDIENCE, JWT_ISSUER, docs/access.md',
  INSUFFICIENT_SCOPE: 'the token lacks a scope of the tool: grant it, or see SCOPES_SUPPORTED and SCOPE_HIERARCHY',
  FORBIDDEN_ORIGIN: 'a page of another origin called: add it to ALLOWED_ORIGINS if it is yours',
  FORBIDDEN_HOST: 'the server was called by a name it does not know: set PUBLIC_URL, or add it to ALLOWED_HOSTS',
  SESSION_NOT_FOUND:
    'the session has expired, or is of another process: its client begins anew; replicas need REDIS_URL',
  BODY_TOO_LARGE: 'raise MAX_BODY_BYTES if such bodies are wanted',
  RATE_LIMITED: 'a client asks more often than RATE_LIMIT_MAX in RATE_LIMIT_WINDOW; behind a proxy set TRUST_PROXY',
  BUSY: 'the process is full: raise MAX_CONCURRENT_CALLS and MAX_QUEUED_CALLS, or add a replica; of new tokens: docs/access.md',
  STATE_UNAVAILABLE: 'Redis does not answer: look at it and at REDIS_URL; calls without state go on',
  DRAINING: 'the server is going down: its proxy should send requests elsewhere once GET /ready is 503',
}
export const DEFAULT_HINT = 'the client sent what the protocol does not allow; its maker has to look'

/** Ties the log lines of one request together. */
export interface LogContext {
  readonly requestId: string
  readonly traceId?: string | undefined
}

export class RefusalLog {
  readonly #log: Log
  readonly #quietLevel: 'debug' | 'info'
  readonly #throttle: LogThrottle

  /**
   * @param quietLevel of the lines that are no warning
   * @param now a clock that never steps back, ms
   */
  constructor(log: Log, quietLevel: 'debug' | 'info', now?: () => number) {
    this.#log = log
    this.#quietLevel = quietLevel
    this.#throttle = new LogThrottle(now)
  }

  log(context: LogContext, { outcome, reason }: Refusal): void {
    const before = this.#throttle.count(reason)
    if (before === undefined) {
      this.#log[this.#quietLevel]({ ...context, outcome, reason }, 'refused')
      return
    }
    const hint = HINTS[reason] ?? DEFAULT_HINT
    this.#log.warn({ ...context, outcome, reason, ...(before > 0 && { before }), hint }, 'refused')
  }
}

export interface Refusal {
  readonly outcome: RequestOutcome
  readonly reason: ErrorName
}

/** Warns of what was refused before a method was asked for. */
export function warnOfRefusals(refusals: RefusalLog): RequestEndedListener {
  return ({ source, error, ending: { outcome }, requestId, params, headers }) => {
    if (source !== 'http' || !(error instanceof McpError)) return
    refusals.log({ requestId, traceId: findTraceId(params, headers) }, { outcome, reason: error.reason })
  }
}

// Calls that take long, told as a warning. What a client takes to answer a question is not the
// call's.

/** Of a call: its exchange, and how long it has waited for its client. */
export interface TimedExchange {
  readonly exchange: Exchange
  waitedMs(): number
}

const noWait = () => 0

/** Only where the client can be asked while the request waits. */
export function measureWaits(exchange: Exchange): TimedExchange {
  const { ask } = exchange
  if (ask === undefined) return { exchange, waitedMs: noWait }
  let waitedMs = 0
  return {
    exchange: {
      ...exchange,
      ask: (questions, signal) => {
        const askedMs = performance.now()
        return ask(questions, signal).finally(() => {
          waitedMs += performance.now() - askedMs
        })
      },
    },
    waitedMs: () => waitedMs,
  }
}

const SLOW_CALL_HINT =
  "look at the tool's own upstreams, and whether calls wait for a slot (MAX_CONCURRENT_CALLS); work that takes long can be a task (docs/tools.md)"

/**
 * @param slowCallMs a call that takes longer is told; the time in which its client answers
 *   questions does not count
 */
export function warnOfSlowCalls(slowCallMs: number): RequestEndedListener {
  return ({ source, method, params, ending, requestId, durationMs = 0, waitedMs = 0, log }) => {
    const elapsedMs = Math.round(durationMs - waitedMs)
    // A call that goes on as a task has only waited for it.
    if (source !== 'method' || method !== 'tools/call' || elapsedMs <= slowCallMs || ending.outcome === 'task') return
    log.warn({ requestId, tool: readName(params)?.slice(0, 128), elapsedMs, hint: SLOW_CALL_HINT }, 'slow call')
  }
}

function readName(params: unknown): string | undefined {
  const name = isObject(params) ? params['name'] : undefined
  return typeof name === 'string' ? name : undefined
}

/** One line for each request that a method served or refused, and for each task that has ended. */
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
