// Requests that wait for the end of a task: each keeps a connection, so that nobody may have many.

/** Of one subject, or of one session where nobody is verified. */
export const MAX_WAITS = 32

export class Waits {
  readonly #counts = new Map<string, number>()

  /** @returns how to leave; undefined where too many wait */
  enter(who: string): (() => void) | undefined {
    const count = this.#counts.get(who) ?? 0
    if (count >= MAX_WAITS) return undefined
    this.#counts.set(who, count + 1)
    return () => this.#leave(who)
  }

  #leave(who: string): void {
    const left = this.#counts.get(who)! - 1
    if (left > 0) this.#counts.set(who, left)
    else this.#counts.delete(who)
  }
}
