// The span of a request, as the server sees it. packages/tracing implements it with OpenTelemetry.
import type { Exchange } from '../request/exchange.ts'
import type { OpenSpan, RequestEnded } from './request-ended.ts'

export interface RequestSpan extends OpenSpan {
  /** The exchange with this span's trace and log. */
  readonly exchange: Exchange
  /** Runs work in the span's context, so that its spans become children. */
  within<T>(work: () => T): T
}

export interface Tracing {
  /** @param target the served tool or prompt, if the request names one */
  startRequest(exchange: Exchange, target: string | undefined): RequestSpan
  /** Starts one run of a task. Its request has been answered already. */
  startTaskRun(exchange: Exchange, tool: string): RequestSpan
}

/** Listens to the end of requests. */
export const endSpanOf = (ended: RequestEnded): void => ended.span?.end(ended)
