// The interface of rate limiters: how often something may happen per key.
import type { Store } from './store.ts'

/** The number of uses in a window. */
export interface LimitRule {
  readonly max: number
  readonly windowMs: number
}

/** Whether a use may pass, and when the next use may. */
export interface LimitDecision {
  readonly isAllowed: boolean
  /** Milliseconds until the next use may pass; 0 if this one is allowed. */
  readonly retryAfterMs: number
}

/** A limiter that counts in this process only, so it answers synchronously. */
export interface LocalLimits extends Limits {
  take(key: string, rule: LimitRule): LimitDecision
  peek(key: string, rule: LimitRule): LimitDecision
}

/** Counts uses by key. */
export interface Limits extends Store {
  /** Counts one use of `key`; a refused one is not counted. */
  take(key: string, rule: LimitRule): LimitDecision | Promise<LimitDecision>
  /** Reports if one more use may pass, without counting it. */
  peek(key: string, rule: LimitRule): LimitDecision | Promise<LimitDecision>
}
