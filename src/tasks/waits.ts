// Requests that wait for the end of a task: each keeps a connection, so that nobody may have many.

/** Of one subject, or of one session where nobody is verified. */
export const MAX_WAITS = 32

export interface Waiter {
  /** Nobody reads any more what it waits for. */
  isLeft(): boolean
  letGo(): void
}

export class Waits {
  readonly #waiting = new Map<string, Set<Waiter>>()

  /**
   * Who has left gives its place to who comes.
   *
   * @returns how to leave; undefined where too many wait
   */
  enter(who: string, waiter: Waiter): (() => void) | undefined {
    const waiting = this.#waiting.get(who) ?? new Set()
    if (waiting.size >= MAX_WAITS && !this.#letOneGo(waiting)) return undefined
    this.#waiting.set(who, waiting.add(waiter))
    return () => {
      waiting.delete(waiter)
      if (waiting.size === 0 && this.#waiting.get(who) === waiting) this.#waiting.delete(who)
    }
  }

  #letOneGo(waiting: Set<Waiter>): boolean {
    for (const waiter of waiting) {
      if (!waiter.isLeft()) continue
      waiting.delete(waiter)
      waiter.letGo()
      return true
    }
    return false
  }
}
