// How many may run at once, and how many may wait for their turn. Refuses rather than grows.
import type { Cancellation } from '../cancellation.ts'

export interface SlotsOptions {
  readonly max: number
  readonly maxQueued: number
}

interface Waiter {
  admit(): void
}

export class Slots {
  readonly #max: number
  readonly #maxQueued: number
  readonly #queue: Waiter[] = []
  #running = 0
  #patient = 0

  constructor({ max, maxQueued }: SlotsOptions) {
    this.#max = max
    this.#maxQueued = maxQueued
  }

  get running(): number {
    return this.#running
  }

  get queued(): number {
    return this.#queue.length
  }

  /** All are taken, and as many wait for them whose wait has no bound. */
  get isCrowded(): boolean {
    return this.#running >= this.#max && this.#patient >= this.#max
  }

  /** The same for one that waits however long, and takes no place of those whose wait has a bound. */
  async takePatiently(cancellation: Cancellation): Promise<boolean> {
    if (this.#running < this.#max) return this.take(cancellation)
    this.#patient++
    const isTaken = await this.#wait(cancellation)
    this.#patient--
    return isTaken
  }

  /** True with a slot taken; a promise of one where it must wait; false where the queue is full. */
  take(cancellation: Cancellation): boolean | Promise<boolean> {
    if (this.#running < this.#max) {
      this.#running++
      return true
    }
    return this.#queue.length - this.#patient < this.#maxQueued ? this.#wait(cancellation) : false
  }

  /** Hands the slot to who has waited longest. */
  release(): void {
    const next = this.#queue.shift()
    if (next === undefined) this.#running--
    else next.admit()
  }

  #wait(cancellation: Cancellation): Promise<boolean> {
    return new Promise(resolve => {
      const waiter: Waiter = {
        admit() {
          cancellation.onCancel(undefined)
          resolve(true)
        },
      }
      this.#queue.push(waiter)
      cancellation.onCancel(() => {
        const at = this.#queue.indexOf(waiter)
        if (at !== -1) this.#queue.splice(at, 1)
        resolve(false)
      })
    })
  }
}
