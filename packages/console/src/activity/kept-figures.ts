// The same figures as for all callers, from the kept calls: for a reader who may see only some callers.
import type { RequestOutcome } from 'toolrack/protocol'
import type { FigureAnswer, FigureQuery, ToolFigures } from './call-figures.ts'
import { type Figures, findBucket, isFailure, isTimed } from './call-series.ts'
import { roundMs } from './latency-bins.ts'

interface KeptCall {
  readonly endedAtMs: number
  readonly method: string
  readonly target?: string | undefined
  readonly outcome: RequestOutcome
  readonly durationMs: number
}

export function toFigures(
  kept: readonly KeptCall[],
  { now: nowMs, buckets, tool, hasAllMethods = false }: FigureQuery,
): FigureAnswer {
  const first = findBucket(nowMs) - buckets + 1
  const recent = kept.filter(({ endedAtMs }) => findBucket(endedAtMs) >= first)
  const ofTools = recent.filter(isOfTool)
  const calls =
    tool === undefined ? (hasAllMethods ? recent : ofTools) : ofTools.filter(({ target }) => target === tool)
  const byBucket = Map.groupBy(calls, ({ endedAtMs }) => findBucket(endedAtMs))
  const figures = Array.from({ length: buckets }, (_, index) => summarize(byBucket.get(first + index) ?? []))
  return {
    columns: {
      calls: figures.map(each => each.calls),
      errors: figures.map(each => each.errors),
      p50Ms: figures.map(each => each.p50Ms),
      p95Ms: figures.map(each => each.p95Ms),
    },
    sum: summarize(calls),
    tools: groupTools(ofTools),
  }
}

const isOfTool = ({ method }: KeptCall): boolean => method === 'tools/call'

const groupTools = (calls: readonly KeptCall[]): readonly ToolFigures[] =>
  [...Map.groupBy(calls, ({ target }) => target)]
    .flatMap(([name, group]) => (name === undefined ? [] : [{ name, ...summarize(group) }]))
    .sort((a, b) => b.calls - a.calls)

/** The latency of tools. */
function summarize(calls: readonly KeptCall[]): Figures {
  const durations = calls
    .filter(call => isOfTool(call) && isTimed(call.outcome))
    .map(({ durationMs }) => durationMs)
    .sort((a, b) => a - b)
  return {
    calls: calls.length,
    errors: calls.filter(({ outcome }) => isFailure(outcome)).length,
    p50Ms: percentile(durations, 0.5),
    p95Ms: percentile(durations, 0.95),
  }
}

/** By nearest rank, so that the value has occurred. */
function percentile(sorted: readonly number[], share: number): number | null {
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]
  return value === undefined ? null : roundMs(value)
}
