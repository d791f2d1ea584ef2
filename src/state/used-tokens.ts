// The interface of used tokens: the ids of single-use tokens, for as long as each token is valid.
import type { MaybePromise } from '../request/maybe-promise.ts'
import type { Store } from './store.ts'

/** Ids that a process keeps at most; past it, the oldest is forgotten. */
export const MAX_USED_TOKENS = 100_000

/** Remembers which single-use tokens were used. */
export interface UsedTokens extends Store {
  /**
   * Returns true for the first use of an id, and false for every later one.
   *
   * @param expiresAtMs Unix time in ms, after which the store may forget the id
   */
  consumeOnce(id: string, expiresAtMs: number): MaybePromise<boolean>
  /** Lets an id be used once more, since its use had no effect. */
  release(id: string): MaybePromise<void>
}
