// Which jobs are ours: a lease that was not renewed in time may be somebody else's by now.

interface Lease {
  readonly lost: AbortController
  readonly timer: NodeJS.Timeout
}

export class Leases {
  readonly #ms: number
  readonly #held = new Map<string, Lease>()

  /** @param ms how long one lasts, less than it does in Redis: what runs is to stop before another begins */
  constructor(ms: number) {
    this.#ms = ms
  }

  /** @returns aborts when the lease is lost */
  take(id: string): AbortSignal {
    const lost = new AbortController()
    this.#held.set(id, { lost, timer: setTimeout(() => lost.abort(), this.#ms).unref() })
    return lost.signal
  }

  renew(ids: readonly string[]): void {
    for (const id of ids) this.#held.get(id)?.timer.refresh()
  }

  lose(ids: readonly string[]): void {
    for (const id of ids) this.#held.get(id)?.lost.abort()
  }

  leave(id: string): void {
    clearTimeout(this.#held.get(id)?.timer)
    this.#held.delete(id)
  }
}
