// The numbers that a server counts, in addition to the ends of requests. packages/metrics counts
// them for Prometheus.
import type { ExchangeOutcome } from '../execution/caller-tokens.ts'
import type { Limits } from '../state/limits.ts'
import type { State } from '../state/state.ts'
import type { RequestEndedListener } from './request-ended.ts'

/** In seconds, as the conventions advise for `mcp.server.operation.duration`. */
export const DURATION_BUCKETS = Object.freeze([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300])

export type LimiterName = 'requests' | 'tools' | 'failures' | 'tokens'
export type Decision = 'allowed' | 'limited'

export interface Metrics {
  /** They get each end of a request. */
  readonly listeners: readonly RequestEndedListener[]
  limited(limiter: LimiterName, decision: Decision): void
  /** @returns the limiter; its decisions are counted */
  countLimits<L extends Limits>(limits: L, name: LimiterName): Pick<L, 'take' | 'peek'>
  replayed(events: number): void
  jwksFetched(isFetched: boolean): void
  tokenExchanged(outcome: ExchangeOutcome): void
  /** An unhandled error of a tool or of a tool file's top level. */
  unhandledError(tool: string): void
  auditLinesLost(lines: number): void
  /** From now on, reads the sizes of the server's parts at each scrape. */
  watch(server: WatchedServer): void
  /** In the Prometheus text format. */
  text(): Promise<string>
  close(): void
}

/** The parts whose sizes change, and their bounds. */
export interface WatchedServer {
  readonly settings: { readonly maxConcurrentCalls: number; readonly maxQueuedCalls: number }
  readonly state: State
  readonly changes: { readonly listenerCount: number }
  readonly executor: {
    readonly admission: { readonly load: Readonly<Record<string, number>>; readonly abandonedRuns: number }
  }
  readonly sessions: { readonly size: number }
  readonly inflight: { readonly size: number }
  readonly streams: { readonly size: number }
  readonly maxStreams: number
  readonly unsent: WatchedBytes
  readonly bodies: WatchedBytes
}

interface WatchedBytes {
  readonly bytes: number
  readonly bounds: { readonly process: number }
}

export const noMetrics: Metrics = Object.freeze({
  listeners: [],
  limited: () => {},
  countLimits: <L>(limits: L) => limits,
  replayed: () => {},
  jwksFetched: () => {},
  tokenExchanged: () => {},
  unhandledError: () => {},
  auditLinesLost: () => {},
  watch: () => {},
  text: async () => '',
  close: () => {},
})
