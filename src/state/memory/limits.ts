// A sliding window in slices per key: never more than the limit within any window, at the cost of one slice more to wait.
// Bounded: a flood of new keys makes it forget those unused for longest, but none that is at its limit.
import type { LimitDecision, LocalLimits } from '../limits.ts'

interface Counter {
  readonly windowMs: number
  /** The newest slice, counted since the clock began. */
  slice: number
  /** Uses by slice: the newest, and those that may still be within the window. */
  readonly uses: number[]
  sum: number
}

type Counters = Map<string, Counter>

const SLICES = 10
const KEPT = SLICES + 1
/** Most keys that are kept; and as many more that are at their limit. Of each the one unused for longest goes first. */
const MAX_KEYS = 100_000
/** How many go at once: to find the first key, a map walks past all that were deleted before it. */
const FORGOTTEN_AT_ONCE = 1000
const ALLOWED: LimitDecision = Object.freeze({ isAllowed: true, retryAfterMs: 0 })

/** @param now a clock that never steps back, ms */
export function memoryLimits(now: () => number = () => performance.now()): LocalLimits {
  const open: Counters = new Map()
  /** Those at their limit: who fills the one map with new keys cannot so get out of the other. */
  const full: Counters = new Map()

  function counterOf(key: string, windowMs: number, slice: number): Counter {
    const counter = open.get(key) ?? full.get(key)
    if (counter?.windowMs === windowMs) {
      // While there is room, once a slice is often enough.
      const isCrowded = open.size >= MAX_KEYS / 2 || full.size >= MAX_KEYS / 2
      if (counter.slice !== slice || isCrowded) renew(open.has(key) ? open : full, key, counter)
      return counter
    }
    full.delete(key)
    const fresh = { windowMs, slice, uses: new Array(KEPT).fill(0), sum: 0 }
    renew(open, key, fresh)
    return fresh
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
      if (counter.sum >= max) move(key, counter, open, full)
      else if (full.size > 0) move(key, counter, full, open)
      return ALLOWED
    },
    peek(key, { max, windowMs }) {
      const counter = open.get(key) ?? full.get(key)
      if (counter?.windowMs !== windowMs) return ALLOWED
      const nowMs = now()
      slide(counter, Math.floor((nowMs / windowMs) * SLICES))
      return counter.sum < max ? ALLOWED : { isAllowed: false, retryAfterMs: waitOf(counter, max, nowMs) }
    },
  }
}

function move(key: string, counter: Counter, from: Counters, to: Counters): void {
  if (from.delete(key)) renew(to, key, counter)
}

/** Puts it at the end, so that the first key of the map is the one unused for longest. */
function renew(counters: Counters, key: string, counter: Counter): void {
  counters.delete(key)
  counters.set(key, counter)
  if (counters.size <= MAX_KEYS) return
  for (const oldest of counters.keys()) {
    counters.delete(oldest)
    if (counters.size <= MAX_KEYS - FORGOTTEN_AT_ONCE) return
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
