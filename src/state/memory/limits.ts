// A sliding window in two counters per key: the running window, and the share of the last one that still counts.
import type { LimitDecision, LimitRule, Limits } from '../limits.ts'

interface Counter {
  startMs: number
  windowMs: number
  current: number
  previous: number
}

/** Most keys that are kept; past it the one unused for longest goes. */
const MAX_KEYS = 100_000
const ALLOWED: LimitDecision = Object.freeze({ isAllowed: true, retryAfterMs: 0 })

/** @param now a clock that never steps back, ms */
export function memoryLimits(now: () => number = () => performance.now()): Limits {
  const counters = new Map<string, Counter>()

  function counterOf(key: string, { windowMs }: LimitRule, nowMs: number): Counter {
    const counter = counters.get(key) ?? { startMs: nowMs, windowMs, current: 0, previous: 0 }
    // Set again at the end, so that the first key of the map is the one unused for longest.
    counters.delete(key)
    counters.set(key, counter)
    if (counters.size > MAX_KEYS) counters.delete(counters.keys().next().value!)
    const windows = Math.floor((nowMs - counter.startMs) / windowMs)
    if (windows > 0) {
      counter.previous = windows === 1 ? counter.current : 0
      counter.current = 0
      counter.startMs += windows * windowMs
    }
    return counter
  }

  return {
    take(key, rule) {
      const nowMs = now()
      const counter = counterOf(key, rule, nowMs)
      const passed = (nowMs - counter.startMs) / rule.windowMs
      const used = counter.previous * (1 - passed) + counter.current
      if (used + 1 <= rule.max) {
        counter.current++
        return ALLOWED
      }
      return { isAllowed: false, retryAfterMs: waitOf(counter, rule, passed) }
    },
  }
}

// When enough of the last window has slid out; where this one is full by itself, when it ends and half of it slid out.
function waitOf({ current, previous }: Counter, { max, windowMs }: LimitRule, passed: number): number {
  const room = max - 1 - current
  if (room >= 0 && previous > 0) return Math.max(1, Math.ceil((1 - room / previous - passed) * windowMs))
  return Math.max(1, Math.ceil((1 - passed + 1 / Math.max(current, 1)) * windowMs))
}
