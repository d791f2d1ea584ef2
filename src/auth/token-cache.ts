// Tokens that were verified a moment ago, by the whole token: for at most a minute, and never past their own end.
import type { Caller } from '../request/exchange.ts'

/** How long a token is not verified again, ms. */
export const TOKEN_CACHE_MS = 60_000

const MAX_TOKENS = 10_000
/** Of all tokens together, in characters. */
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

  /** @param now Unix time in ms */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** @param generation of the keys: what an older one verified is verified again */
  find(token: string, generation: number): Caller | undefined {
    const found = this.#tokens.get(token)
    if (found === undefined) return undefined
    if (found.untilMs > this.#now() && found.generation === generation) return found.caller
    // Also where the clock steps back.
    found.untilMs = 0
    return undefined
  }

  /** Whether it has been verified before, so that a good caller does not pay for what others send from its address. */
  isKnown(token: string): boolean {
    return this.#tokens.has(token)
  }

  /** @param expiresAtMs Unix time after which the token is refused */
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
