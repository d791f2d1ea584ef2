// Caches verified tokens for at most a minute and never past their expiry.
import type { Caller } from 'toolrack'

export const TOKEN_CACHE_MS = 60_000

const MAX_TOKENS = 10_000
/** Of all tokens together, characters. */
const MAX_SIZE = 16 * 1024 * 1024

interface CachedToken {
  readonly caller: Caller
  /** Unix time, ms; after it the token has to be verified again. */
  untilMs: number
  readonly generation: number
}

export class TokenCache {
  readonly #tokens = new Map<string, CachedToken>()
  readonly #now: () => number
  #size = 0

  /** @param now Unix time, ms */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** @param generation of the keys; tokens of an older one are verified again */
  find(token: string, generation: number): Caller | undefined {
    const found = this.#tokens.get(token)
    if (found === undefined) return undefined
    const leftMs = found.untilMs - this.#now()
    if (leftMs > 0 && leftMs <= TOKEN_CACHE_MS && found.generation === generation) return found.caller
    // Stays expired even if the clock steps back, by which nothing lives longer.
    found.untilMs = 0
    return undefined
  }

  /** Known tokens skip the verification budget, whatever others send from the same address. */
  isKnown(token: string): boolean {
    return this.#tokens.has(token)
  }

  /** @param expiresAtMs Unix time, ms, after which the token is refused */
  remember(
    token: string,
    caller: Caller,
    { expiresAtMs, generation }: { expiresAtMs: number; generation: number },
  ): void {
    this.forget(token)
    this.#tokens.set(token, { caller, untilMs: Math.min(expiresAtMs, this.#now() + TOKEN_CACHE_MS), generation })
    this.#size += token.length
    for (const oldest of this.#tokens.keys()) {
      if (this.#tokens.size <= MAX_TOKENS && this.#size <= MAX_SIZE) break
      this.forget(oldest)
    }
  }

  forget(token: string): void {
    if (this.#tokens.delete(token)) this.#size -= token.length
  }
}
