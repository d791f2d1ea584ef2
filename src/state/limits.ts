// How often something may happen per key. The memory pair counts in this process.

export interface LimitRule {
  readonly max: number
  readonly windowMs: number
}

export interface LimitDecision {
  readonly isAllowed: boolean
  /** Milliseconds until the next one may pass; 0 where allowed. */
  readonly retryAfterMs: number
}

/** Those of one process. */
export interface LocalLimits extends Limits {
  take(key: string, rule: LimitRule): LimitDecision
  peek(key: string, rule: LimitRule): LimitDecision
}

export interface Limits {
  /** Counts one use of `key`; a refused one is not counted. */
  take(key: string, rule: LimitRule): LimitDecision | Promise<LimitDecision>
  /** Whether one more may pass, without counting it. */
  peek(key: string, rule: LimitRule): LimitDecision | Promise<LimitDecision>
}
