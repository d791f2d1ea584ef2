// RequestEnded, the one event of observability. Audit, metrics, traces and log listen to it.
import { ToolFailure } from '../execution/tool-failure.ts'
import { type ErrorName, McpError } from '../protocol/errors.ts'
import type { Headers } from '../protocol/headers.ts'
import type { CancelReason } from '../request/cancellation.ts'
import type { Caller, Log } from '../request/exchange.ts'
import type { OutcomeKind, RequestOutcome } from '../request/outcome.ts'
import { toLogged } from '../text/logged-error.ts'

export interface Target {
  readonly kind: 'tool' | 'prompt' | 'uri' | 'task'
  /** A string, if the request is valid. */
  readonly name: unknown
  /** The arguments of a tool or a prompt. */
  readonly arguments?: unknown
}

/** The label of unknown names. */
export const UNKNOWN = '_OTHER'

/** Metric labels: bounded values, never text of a client. */
export interface Labels {
  readonly method: string
  /** The door instead, if the client does not speak MCP. */
  readonly revision: string
  /** Undefined unless a served tool is called. */
  readonly tool: string | undefined
}

export interface RequestEnded {
  /**
   * - `method`: a method was served, or its params were refused
   * - `http`: refused before that, or GET or DELETE of a session
   * - `task`: a task whose client has its id
   */
  readonly source: 'method' | 'http' | 'task'
  readonly requestId: string
  readonly caller: Caller | undefined
  /** Key of the client's limits; for an anonymous caller its IPv4 address or IPv6 /64. */
  readonly clientKey: string
  readonly door?: string | undefined
  /** Of MCP, if the client speaks it and a message was read. */
  readonly revision?: string | undefined
  readonly headers: Headers
  /** W3C trace context of the request's span, if it has one. */
  readonly traceparent?: string | undefined
  /** The request's span, which ends with it. */
  readonly span?: OpenSpan | undefined
  /** HTTP method, if no message was read. */
  readonly verb?: string | undefined
  readonly method?: string | undefined
  readonly params?: unknown
  /** The target that the params name, unverified. */
  readonly target?: Target | undefined
  /** Missing if no method was requested. */
  readonly labels?: Labels
  readonly taskId?: string | undefined
  readonly ending: Ending
  readonly error?: unknown
  /** HTTP status. */
  readonly status?: number | undefined
  readonly durationMs: number | undefined
  /** How much of the duration the client took to answer questions. */
  readonly waitedMs?: number
  readonly requestBytes: number | undefined
  /** The response text; undefined if a stream continues. */
  readonly responseJson: string | undefined
  readonly log: Log
}

/** The span of a request that is under way. */
export interface OpenSpan {
  end(ended: Pick<RequestEnded, 'ending' | 'error' | 'durationMs'>): void
}

export type RequestEndedListener = (ended: RequestEnded) => unknown

/** Calls every listener in the order in which they were added. */
export class RequestEvents {
  /** Replaced, since a listener may add or remove one. */
  #listeners: readonly RequestEndedListener[] = []

  on(listener: RequestEndedListener): this {
    this.#listeners = [...this.#listeners, listener]
    return this
  }

  off(listener: RequestEndedListener): void {
    this.#listeners = this.#listeners.filter(each => each !== listener)
  }

  /** Never throws: a listener that fails is logged, and the others are called. */
  emit(ended: RequestEnded): void {
    for (const listener of this.#listeners) {
      try {
        const returned = listener(ended)
        if (isThenable(returned)) Promise.resolve(returned).catch(error => logFailure(ended, error))
      } catch (error) {
        logFailure(ended, error)
      }
    }
  }
}

/** Promises of libraries, too: their rejections would be unhandled. */
const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'

const logFailure = ({ log, requestId }: RequestEnded, error: unknown): void =>
  log.error({ err: toLogged(error), requestId }, 'a listener to the end of a request has failed')

export interface Ending {
  readonly outcome: RequestOutcome
  /** The error's name, the cancel reason, or the outcome itself. */
  readonly reason?: string | undefined
}

/** Errors of `CATALOGUE` (protocol/errors.ts) that are not just `refused`. */
const OUTCOME_BY_ROW: { readonly [N in ErrorName]?: RequestOutcome } = {
  UNAUTHENTICATED: 'denied',
  INSUFFICIENT_SCOPE: 'denied',
  FORBIDDEN_ORIGIN: 'denied',
  FORBIDDEN_HOST: 'denied',
  RATE_LIMITED: 'limited',
  BUSY: 'busy',
  INVALID_ARGUMENTS: 'invalid_arguments',
  HANDLER_FAILED: 'error',
  INTERNAL_ERROR: 'error',
}

export const OK: Ending = Object.freeze({ outcome: 'ok' })
export const STREAMING: Ending = Object.freeze({ outcome: 'streaming' })

/**
 * @param isError whether the tool's result has `isError`
 * @param cancelled the reason, if it was cancelled
 */
export function toEnding(
  kind: OutcomeKind | 'input_required' | 'task' = 'ok',
  isError: boolean,
  cancelled: CancelReason | undefined,
): Ending {
  if (kind === 'ok') return isError ? { outcome: 'tool_error', reason: 'tool_error' } : OK
  if (kind === 'cancelled') return { outcome: 'cancelled', reason: cancelled }
  return { outcome: kind, reason: kind === 'denied' ? 'INSUFFICIENT_SCOPE' : kind }
}

/** @param cancelled the reason, if the request was cancelled */
export function toErrorEnding(error: unknown, cancelled?: CancelReason): Ending {
  if (!(error instanceof McpError)) return { outcome: 'error', reason: 'INTERNAL_ERROR' }
  // Prompts and resources have no `isError`; the failure is the error's cause.
  if (error.cause instanceof ToolFailure) return toEnding(error.cause.kind, false, cancelled)
  return { outcome: OUTCOME_BY_ROW[error.reason] ?? 'refused', reason: error.reason }
}
