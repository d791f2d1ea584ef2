// A sliding window per key: never more than the limit within any window, and never longer to wait than a window. Uses are
// counted in slices, each of which is forgotten a window after its latest use.
// Bounded: a flood of new keys makes it forget those unused for longest, but none that is at its limit.
import type { LimitDecision, LocalLimits } from '../limits.ts'

interface Counter {
  readonly windowMs: number
  /** When the newest slice ends, ms. */
  sliceEndMs: number
  /** Of each slice that counts, the oldest first: how many uses, and when the latest of them was, ms. */
  uses: number[]
  sum: number
}

type Counters = Map<string, Counter>

const SLICES = 10
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

  function counterOf(key: string, windowMs: number, nowMs: number): Counter {
    const counter = open.get(key) ?? full.get(key)
    if (counter?.windowMs === windowMs) {
      // While there is room, once a slice is often enough.
      const isCrowded = open.size >= MAX_KEYS / 2 || full.size >= MAX_KEYS / 2
      if (nowMs >= counter.sliceEndMs || isCrowded) renew(open.has(key) ? open : full, key, counter)
      return counter
    }
    full.delete(key)
    const fresh = { windowMs, sliceEndMs: nowMs, uses: [], sum: 0 }
    renew(open, key, fresh)
    return fresh
  }

  return {
    take(key, { max, windowMs }) {
      const nowMs = now()
      const counter = counterOf(key, windowMs, nowMs)
      slide(counter, nowMs)
      if (counter.sum >= max) return { isAllowed: false, retryAfterMs: waitOf(counter, max, nowMs) }
      count(counter, nowMs)
      if (counter.sum >= max) move(key, counter, open, full)
      else if (full.size > 0) move(key, counter, full, open)
      return ALLOWED
    },
    peek(key, { max, windowMs }) {
      const counter = open.get(key) ?? full.get(key)
      if (counter?.windowMs !== windowMs) return ALLOWED
      const nowMs = now()
      slide(counter, nowMs)
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

function count(counter: Counter, nowMs: number): void {
  const { uses, windowMs } = counter
  const last = uses.length - 1
  counter.sum++
  if (last > 0 && nowMs < counter.sliceEndMs) {
    uses[last - 1]!++
    uses[last] = Math.max(uses[last]!, nowMs)
    return
  }
  // Most clients come once, or seldom: as long as it has to be, and no longer.
  if (last < 0) counter.uses = [1, nowMs]
  else uses.push(1, nowMs)
  const sliceMs = windowMs / SLICES
  counter.sliceEndMs = (Math.floor(nowMs / sliceMs) + 1) * sliceMs
}

function slide(counter: Counter, nowMs: number): void {
  const { uses, windowMs } = counter
  while (uses.length > 0 && uses[1]! + windowMs <= nowMs) {
    counter.sum -= uses[0]!
    uses.splice(0, 2)
  }
}

// When the latest use will have slid out of the last slice that has to.
function waitOf({ windowMs, uses, sum }: Counter, max: number, nowMs: number): number {
  let left = sum
  let lastMs = nowMs
  for (let at = 0; left >= max; at += 2) {
    left -= uses[at]!
    lastMs = uses[at + 1]!
  }
  return Math.min(windowMs, Math.max(1, Math.ceil(lastMs + windowMs - nowMs)))
}
