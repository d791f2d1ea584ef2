// Bounds the calls of each subject, so that no subject takes all slots or fills the queue.
import type { Cancellation } from '../request/cancellation.ts'
import { Semaphore } from './semaphore.ts'

/** Concurrent calls of one subject. */
export const MAX_CALLS_PER_SUBJECT = 32
/** Calls of one subject that may wait for its others. */
export const MAX_QUEUED_PER_SUBJECT = 100

const SUBJECT_LIMITS = Object.freeze({ max: MAX_CALLS_PER_SUBJECT, maxQueued: MAX_QUEUED_PER_SUBJECT })

export class PerSubjectSemaphore {
  /** Of subjects with a call under way only. */
  readonly #semaphores = new Map<string, Semaphore>()

  /** Reused for the next subject: most calls run alone and end at once. */
  #idle: Semaphore | undefined

  get size(): number {
    return this.#semaphores.size
  }

  /** True if acquired; a promise if the call must wait; false if too many wait. */
  acquire(subject: string, cancellation: Cancellation): boolean | Promise<boolean> {
    return this.#getOrCreate(subject).acquire(subject, cancellation)
  }

  /** True if acquired; false if no slot is free. */
  tryAcquire(subject: string): boolean {
    return this.#getOrCreate(subject).tryAcquire(subject)
  }

  #getOrCreate(subject: string): Semaphore {
    let slots = this.#semaphores.get(subject)
    if (slots === undefined) {
      slots = this.#idle ?? new Semaphore(SUBJECT_LIMITS)
      this.#idle = undefined
      this.#semaphores.set(subject, slots)
    }
    return slots
  }

  release(subject: string): void {
    const slots = this.#semaphores.get(subject)!
    slots.release(subject)
    if (slots.running > 0) return
    this.#semaphores.delete(subject)
    this.#idle = slots
  }
}
