// Figures for the charts: three buckets of 5 s make a bar.
import type { Figures } from '../../../src/activity/activity.ts'

const BUCKETS_IN_BAR = 3

export interface Bars {
  /** The start of each bar, seconds since 1970. */
  readonly times: readonly number[]
  readonly calls: readonly number[]
  readonly errors: readonly number[]
  /** Milliseconds; null without calls. */
  readonly p50: readonly (number | null)[]
  readonly p95: readonly (number | null)[]
  /** The maximum at the same time; null where it was not measured. */
  readonly running: readonly (number | null)[]
}

/** Seconds of one bar. */
export const toStep = ({ stepS }: Pick<Figures, 'stepS'>): number => stepS * BUCKETS_IN_BAR

/** Bars start at whole multiples of their length, so that they do not move while time passes. */
export function toBars(figures: Figures): Bars {
  const { from, stepS, calls, errors, p50Ms, p95Ms, running = [] } = figures
  const first = Date.parse(from) / 1000 / stepS
  // The bucket with which the first whole bar starts.
  const begin = (BUCKETS_IN_BAR - (first % BUCKETS_IN_BAR)) % BUCKETS_IN_BAR
  const count = Math.ceil((calls.length - begin) / BUCKETS_IN_BAR)
  const starts = Array.from({ length: count }, (_, bar) => begin + bar * BUCKETS_IN_BAR)
  const cut = <T>(values: readonly T[]) => starts.map(start => values.slice(start, start + BUCKETS_IN_BAR))
  const weights = cut(calls)
  return {
    times: starts.map(start => (first + start) * stepS),
    calls: weights.map(add),
    errors: cut(errors).map(add),
    p50: cut(p50Ms).map((values, bar) => average(values, weights[bar]!)),
    p95: cut(p95Ms).map(findMost),
    running: cut(running).map(findMost),
  }
}

const add = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

const findMost = (values: readonly (number | null)[]): number | null => {
  const known = values.filter(value => value !== null)
  return known.length === 0 ? null : Math.max(...known)
}

/** The mean of the medians, weighted by the number of calls. */
function average(values: readonly (number | null)[], weights: readonly number[]): number | null {
  const known = values.flatMap((value, index) => (value === null ? [] : [{ value, weight: weights[index]! }]))
  const weight = add(known.map(each => each.weight))
  return weight === 0 ? null : add(known.map(each => each.value * each.weight)) / weight
}

/**
 * Marks of an axis from 0: at most five, in whole steps of 1, 2 or 5. The last one is above all
 * values.
 */
export function toMarks(most: number, least: number): readonly number[] {
  const end = Math.max(most, least)
  const power = 10 ** Math.max(0, Math.floor(Math.log10(end / 4)))
  const step = [1, 2, 5, 10].map(digit => digit * power).find(each => each * 4 >= end)!
  return Array.from({ length: Math.ceil(end / step) + 1 }, (_, index) => index * step)
}

export interface Spark {
  readonly line: string
  readonly area: string
}

/** Paths in a box of 280 × 32. A gap counts as 0, since nothing ran. */
export function toSpark(values: readonly (number | null)[]): Spark {
  const most = Math.max(1, ...values.map(value => value ?? 0))
  const points = values.map((value, index) => {
    const x = (index * 280) / Math.max(1, values.length - 1)
    return `${round(x)} ${round(32 - ((value ?? 0) / most) * 24)}`
  })
  const line = `M${points.join(' L')}`
  return { line, area: `M0 32 L${points.join(' L')} L280 32z` }
}

const round = (value: number): number => Math.round(value * 10) / 10
