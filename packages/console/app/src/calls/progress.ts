// The progress of a call, and an estimate of the remaining time.
import type { JsonObject } from '../client/json-rpc.ts'
import { formatNumber } from '../results/format.ts'

/** The steps of a call so far: the first, and the newest. */
export interface Steps {
  readonly progress: number
  readonly total?: number
  readonly message?: string
  /** When the newest step arrived. */
  readonly at: number
  readonly count: number
  readonly first: { readonly at: number; readonly progress: number }
}

/** Two steps are not enough to know the pace. */
const MIN_STEPS = 3

export function addStep(before: Steps | undefined, params: JsonObject, at: number): Steps {
  const { progress, total, message } = params
  const now = Number(progress)
  return {
    progress: now,
    ...(typeof total === 'number' && { total }),
    // A step without a message keeps that of the step before.
    ...(typeof message === 'string' ? { message } : before?.message !== undefined && { message: before.message }),
    at,
    count: (before?.count ?? 0) + 1,
    first: before?.first ?? { at, progress: now },
  }
}

/** `6 of 14`, or `6`. */
export const describeReached = ({ progress, total }: Steps): string =>
  total === undefined ? formatNumber(progress) : `${formatNumber(progress)} of ${formatNumber(total)}`

/** Percent, 0 to 100. */
export function findShare({ progress, total }: Steps): number | undefined {
  if (total === undefined || !(total > 0)) return undefined
  return Math.min(100, Math.max(0, Math.round((100 * progress) / total)))
}

/** Remaining seconds at the current pace, from the third step on. */
export function estimateSeconds({ progress, total, at, count, first }: Steps): number | undefined {
  const done = progress - first.progress
  const tookMs = at - first.at
  if (total === undefined || count < MIN_STEPS || done <= 0 || tookMs <= 0 || progress >= total) return undefined
  return Math.max(1, Math.round(((total - progress) * tookMs) / done / 1_000))
}
