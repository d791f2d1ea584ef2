// The used tokens of one process: a bounded map, from which expired ids go first, then the oldest.
import { MAX_USED_TOKENS, type UsedTokens } from 'toolrack/stores'

export class MemoryUsedTokens implements UsedTokens {
  readonly #now: () => number
  readonly #expiries = new Map<string, number>()

  /** @param now Unix time, ms */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  consumeOnce(id: string, expiresAtMs: number): boolean {
    if (this.#expiries.has(id)) return false
    this.#makeRoom()
    this.#expiries.set(id, expiresAtMs)
    return true
  }

  release(id: string): void {
    this.#expiries.delete(id)
  }

  #makeRoom(): void {
    const nowMs = this.#now()
    for (const [id, expiresAtMs] of this.#expiries) {
      if (expiresAtMs > nowMs && this.#expiries.size < MAX_USED_TOKENS) return
      this.#expiries.delete(id)
    }
  }
}
