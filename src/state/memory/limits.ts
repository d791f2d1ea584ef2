// A sliding window in slices per key: never more than the limit within any window, at the cost of one slice more to wait.
import type { LimitDecision, Limits } from '../limits.ts'

interface Counter {
  readonly windowMs: number
  /** The newest slice, counted since the clock began. */
  slice: number
  /** Uses by slice: the newest, and those that may still be within the window. */
  readonly uses: number[]
  sum: number
}

const SLICES = 10
const KEPT = SLICES + 1
/** Most keys that are kept; past it the one unused for longest goes. */
const MAX_KEYS = 100_000
const ALLOWED: LimitDecision = Object.freeze({ isAllowed: true, retryAfterMs: 0 })

/** @param now a clock that never steps back, ms */
export function memoryLimits(now: () => number = () => performance.now()): Limits {
  const counters = new Map<string, Counter>()

  function counterOf(key: string, windowMs: number, slice: number): Counter {
    let counter = counters.get(key)
    if (counter?.windowMs !== windowMs) counter = { windowMs, slice, uses: new Array(KEPT).fill(0), sum: 0 }
    // Moved to the end, so that the first key of the map is the one unused for longest; while there is room, once a slice.
    else if (counter.slice === slice && counters.size < MAX_KEYS / 2) return counter
    counters.delete(key)
    counters.set(key, counter)
    if (counters.size > MAX_KEYS) counters.delete(counters.keys().next().value!)
    return counter
  }

  return {
    take(key, { max, windowMs }) {
      const nowMs = now()
      const slice = Math.floor((nowMs / windowMs) * SLICES)
      const counter = counterOf(key, windowMs, slice)
      slide(counter, slice)
      if (counter.sum >= max) return { isAllowed: false, retryAfterMs: waitOf(counter, max, nowMs) }
      counter.uses[counter.slice % KEPT]!++
      counter.sum++
      return ALLOWED
    },
    peek(key, { max, windowMs }) {
      const counter = counters.get(key)
      if (counter?.windowMs !== windowMs) return ALLOWED
      const nowMs = now()
      slide(counter, Math.floor((nowMs / windowMs) * SLICES))
      return counter.sum < max ? ALLOWED : { isAllowed: false, retryAfterMs: waitOf(counter, max, nowMs) }
    },
  }
}

function slide(counter: Counter, slice: number): void {
  const passed = Math.min(slice - counter.slice, KEPT)
  for (let step = 0; step < passed; step++) {
    const oldest = (slice - step) % KEPT
    counter.sum -= counter.uses[oldest]!
    counter.uses[oldest] = 0
  }
  counter.slice = Math.max(slice, counter.slice)
}

// When enough of the oldest slices will have slid out.
function waitOf({ windowMs, slice, uses, sum }: Counter, max: number, nowMs: number): number {
  let left = sum
  let out = slice - SLICES
  for (; left >= max; out++) left -= uses[(out + KEPT) % KEPT]!
  return Math.max(1, Math.ceil(((out + SLICES) * windowMs) / SLICES - nowMs))
}
