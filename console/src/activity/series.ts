// Calls as numbers over time, for the charts.
import { type ActivityCall, type ActivityStats, isError } from './history.ts'

/** The charts of calls show 60 intervals of 5 seconds: five minutes. */
export const INTERVAL_S = 5
export const INTERVALS = 60

export interface CallSeries {
  /** The start of each interval, seconds since 1970. */
  readonly times: readonly number[]
  readonly calls: readonly number[]
  readonly errors: readonly number[]
  /** Milliseconds; null in an interval without calls. */
  readonly p50: readonly (number | null)[]
  readonly p95: readonly (number | null)[]
}

/** @param nowMs the server's clock, which calls are dated by */
export function toCallSeries(calls: readonly ActivityCall[], nowMs: number): CallSeries {
  const last = Math.floor(nowMs / 1000 / INTERVAL_S)
  const first = last - INTERVALS + 1
  const groups = Array.from({ length: INTERVALS }, (): ActivityCall[] => [])
  for (const call of calls) groups[Math.floor(Date.parse(call.at) / 1000 / INTERVAL_S) - first]?.push(call)
  const durations = groups.map(sortDurations)
  return {
    times: groups.map((_, index) => (first + index) * INTERVAL_S),
    calls: groups.map(group => group.length),
    errors: groups.map(group => group.filter(isError).length),
    p50: durations.map(sorted => percentile(sorted, 0.5)),
    p95: durations.map(sorted => percentile(sorted, 0.95)),
  }
}

export interface ToolSummary {
  readonly name: string
  readonly calls: number
  readonly errors: number
  readonly p50: number | null
  readonly p95: number | null
}

/** One row for each tool of these calls; the tool with the most calls comes first. */
export function summarizeTools(calls: readonly ActivityCall[]): ToolSummary[] {
  const ofTools = calls.filter(({ method, target }) => method === 'tools/call' && target !== undefined)
  return [...Map.groupBy(ofTools, ({ target }) => target!)]
    .map(([name, group]) => {
      const sorted = sortDurations(group)
      const errors = group.filter(isError).length
      return { name, calls: group.length, errors, p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95) }
    })
    .sort((a, b) => b.calls - a.calls)
}

const sortDurations = (calls: readonly ActivityCall[]): number[] =>
  calls.map(({ durationMs }) => durationMs).sort((a, b) => a - b)

/** The nearest rank: a value that occurred. */
export function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null
}

export const toTimes = (stats: readonly ActivityStats[]): number[] => stats.map(({ now }) => Date.parse(now) / 1000)

/** Such as `3.2 ms` or `1.5 s`. */
export function formatMs(ms: number | null): string {
  if (ms === null) return '–'
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}
