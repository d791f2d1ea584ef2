// The calls that one subject has under way, so that none can take all slots of the process, nor fill its queue.
import type { Cancellation } from '../cancellation.ts'
import { Slots } from './slots.ts'

/** Calls of one subject at once. */
export const MAX_CALLS_OF_SUBJECT = 32
/** Calls of one subject that may wait for its own others to end. */
export const MAX_QUEUED_OF_SUBJECT = 100

const OPTIONS = Object.freeze({ max: MAX_CALLS_OF_SUBJECT, maxQueued: MAX_QUEUED_OF_SUBJECT })

export class Shares {
  /** Of those subjects only that have a call under way. */
  readonly #slots = new Map<string, Slots>()

  /** Of the subject that ended last, for the next: most calls are alone, and end at once. */
  #idle: Slots | undefined

  get size(): number {
    return this.#slots.size
  }

  /** True where it may go on; a promise of it where it must wait for its turn; false where too many wait. */
  take(subject: string, cancellation: Cancellation): boolean | Promise<boolean> {
    let slots = this.#slots.get(subject)
    if (slots === undefined) {
      slots = this.#idle ?? new Slots(OPTIONS)
      this.#idle = undefined
      this.#slots.set(subject, slots)
    }
    return slots.take(subject, cancellation)
  }

  release(subject: string): void {
    const slots = this.#slots.get(subject)!
    slots.release(subject)
    if (slots.running > 0) return
    this.#slots.delete(subject)
    this.#idle = slots
  }
}
