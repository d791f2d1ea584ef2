// Throttles repeated log lines. Logs some lines of a kind at once, then one per interval, with the
// number of lines that were left out.
import { TokenBucket } from './token-bucket.ts'

export const THROTTLE_MS = 10_000
/** Past this the oldest kind is dropped, so its next line is logged. */
const MAX_KINDS = 1000

export interface ThrottleOptions {
  /** A monotonic clock, ms. */
  readonly now?: (() => number) | undefined
  /** Lines of a kind that are logged before any is left out. */
  readonly atOnce?: number
  readonly intervalMs?: number
}

export class LogThrottle {
  readonly #options: ThrottleOptions
  readonly #kinds = new Map<string, { readonly bucket: TokenBucket; leftOut: number }>()

  constructor(options: ThrottleOptions = {}) {
    this.#options = options
  }

  get size(): number {
    return this.#kinds.size
  }

  /**
   * @returns fields with the number of lines left out before it; undefined if the line is left out
   *   itself
   */
  pass(kind: string): { readonly before?: number } | undefined {
    let state = this.#kinds.get(kind)
    if (state === undefined) {
      const { now, atOnce = 1, intervalMs = THROTTLE_MS } = this.#options
      this.#kinds.set(kind, (state = { bucket: new TokenBucket(atOnce, 1000 / intervalMs, now), leftOut: 0 }))
      if (this.#kinds.size > MAX_KINDS) this.#kinds.delete(this.#kinds.keys().next().value!)
    }
    if (!state.bucket.take()) {
      state.leftOut++
      return undefined
    }
    const before = state.leftOut
    state.leftOut = 0
    return before > 0 ? { before } : {}
  }
}
