// The rate limiter of one process: a sliding window per key. No window ever has more uses than
// the limit, and no wait is longer than a window. Uses are counted in slices; a slice expires one
// window after its latest use. The number of keys is bounded: new keys evict the least recently
// used ones, but no key that is at its limit.
import type { LimitDecision, LimitRule, LocalLimits } from './limits.ts'

interface Counter {
  readonly windowMs: number
  /** End of the newest slice, ms. */
  sliceEndMs: number
  /** A pair per live slice, oldest first: the number of uses, and the time of the latest, ms. */
  uses: number[]
  sum: number
}

type Counters = Map<string, Counter>

const SLICES = 10
/** Bound of the keys below their limit, and of those at it; the least recently used go first. */
const MAX_KEYS = 100_000
/** Keys evicted at once: a map iterates past all deleted keys before it finds the first. */
const FORGOTTEN_AT_ONCE = 1000
const ALLOWED: LimitDecision = Object.freeze({ isAllowed: true, retryAfterMs: 0 })

/** Limits that are counted in memory. */
export class MemoryLimits implements LocalLimits {
  readonly #now: () => number
  readonly #belowLimit: Counters = new Map()
  /** Keys at their limit, kept apart: a flood of new keys cannot evict them and so reset them. */
  readonly #atLimit: Counters = new Map()

  /** @param now a clock that never steps back, ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  take(key: string, { max, windowMs }: LimitRule): LimitDecision {
    const nowMs = this.#now()
    const counter = this.#getOrCreateCounter(key, windowMs, nowMs)
    dropExpired(counter, nowMs)
    if (counter.sum >= max) return { isAllowed: false, retryAfterMs: computeWaitMs(counter, max, nowMs) }
    countUse(counter, nowMs)
    if (counter.sum >= max) move(key, counter, this.#belowLimit, this.#atLimit)
    else if (this.#atLimit.size > 0) move(key, counter, this.#atLimit, this.#belowLimit)
    return ALLOWED
  }

  peek(key: string, { max, windowMs }: LimitRule): LimitDecision {
    const counter = this.#findCounter(key)
    if (counter?.windowMs !== windowMs) return ALLOWED
    const nowMs = this.#now()
    dropExpired(counter, nowMs)
    return counter.sum < max ? ALLOWED : { isAllowed: false, retryAfterMs: computeWaitMs(counter, max, nowMs) }
  }

  #findCounter(key: string): Counter | undefined {
    return this.#belowLimit.get(key) ?? this.#atLimit.get(key)
  }

  #getOrCreateCounter(key: string, windowMs: number, nowMs: number): Counter {
    const counter = this.#findCounter(key)
    if (counter?.windowMs !== windowMs) {
      this.#atLimit.delete(key)
      const fresh = { windowMs, sliceEndMs: nowMs, uses: [], sum: 0 }
      touch(this.#belowLimit, key, fresh)
      return fresh
    }
    // While there is room, it is enough to reorder a key once per slice.
    const isCrowded = this.#belowLimit.size >= MAX_KEYS / 2 || this.#atLimit.size >= MAX_KEYS / 2
    if (nowMs >= counter.sliceEndMs || isCrowded)
      touch(this.#belowLimit.has(key) ? this.#belowLimit : this.#atLimit, key, counter)
    return counter
  }
}

function move(key: string, counter: Counter, from: Counters, to: Counters): void {
  if (from.delete(key)) touch(to, key, counter)
}

/** Moves a key to the end, so that the map begins with the least recently used one. */
function touch(counters: Counters, key: string, counter: Counter): void {
  counters.delete(key)
  counters.set(key, counter)
  if (counters.size <= MAX_KEYS) return
  for (const oldest of counters.keys()) {
    counters.delete(oldest)
    if (counters.size <= MAX_KEYS - FORGOTTEN_AT_ONCE) return
  }
}

function countUse(counter: Counter, nowMs: number): void {
  const { uses, windowMs } = counter
  const last = uses.length - 1
  counter.sum++
  if (last > 0 && nowMs < counter.sliceEndMs) {
    uses[last - 1]!++
    uses[last] = Math.max(uses[last]!, nowMs)
    return
  }
  // Most clients come once or seldom, so the array starts as short as possible.
  if (last < 0) counter.uses = [1, nowMs]
  else uses.push(1, nowMs)
  const sliceMs = windowMs / SLICES
  counter.sliceEndMs = (Math.floor(nowMs / sliceMs) + 1) * sliceMs
}

function dropExpired(counter: Counter, nowMs: number): void {
  const { uses, windowMs } = counter
  while (uses.length > 0 && uses[1]! + windowMs <= nowMs) {
    counter.sum -= uses[0]!
    uses.splice(0, 2)
  }
}

/** Computes when enough slices have expired for one more use, as ms from now. */
function computeWaitMs({ windowMs, uses, sum }: Counter, max: number, nowMs: number): number {
  let left = sum
  let lastMs = nowMs
  for (let at = 0; left >= max; at += 2) {
    left -= uses[at]!
    lastMs = uses[at + 1]!
  }
  return Math.min(windowMs, Math.max(1, Math.ceil(lastMs + windowMs - nowMs)))
}
