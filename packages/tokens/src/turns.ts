// Those who wait, by address: addresses take turns, so a flood from one does not block the others.
// No address is banned: it may be a proxy with many clients.
import { jitterRetryAfter, McpError } from 'toolrack/protocol'

export interface Waiting {
  /** Monotonic, ms. */
  readonly sinceMs: number
  resolve(isAllowed: boolean): void
}

/** Past this the address with most of them loses one. */
export const MAX_WAITING = 1000
export const MAX_TURN_WAIT_MS = 1000

export class Turns<T extends Waiting> {
  /** By address, in turn order. */
  readonly #queues = new Map<string, T[]>()
  #count = 0

  get count(): number {
    return this.#count
  }

  /** @returns false if there is no room for it */
  add(address: string, waiting: T): boolean {
    if (!this.#hasRoomFor(address)) return false
    const queue = this.#queues.get(address)
    if (queue === undefined) this.#queues.set(address, [waiting])
    else queue.push(waiting)
    this.#count++
    return true
  }

  /** The first of the next address, which moves to the end. */
  takeNext(): T {
    const [address, queue] = this.#queues.entries().next().value!
    this.#queues.delete(address)
    const next = queue.shift()!
    if (queue.length > 0) this.#queues.set(address, queue)
    this.#count--
    return next
  }

  /** Refuses those who have waited for too long. */
  rejectExpired(nowMs: number): void {
    for (const [address, queue] of this.#queues) {
      while (queue.length > 0 && queue[0]!.sinceMs < nowMs - MAX_TURN_WAIT_MS) {
        queue.shift()!.resolve(false)
        this.#count--
      }
      if (queue.length === 0) this.#queues.delete(address)
    }
  }

  close(): void {
    for (const queue of this.#queues.values()) for (const { resolve } of queue) resolve(false)
    this.#queues.clear()
    this.#count = 0
  }

  /** If the queues are full, the address with most loses its latest. */
  #hasRoomFor(address: string): boolean {
    if (this.#count < MAX_WAITING) return true
    const own = this.#queues.get(address)?.length ?? 0
    let [longest, most]: [string | undefined, number] = [undefined, own]
    for (const [other, { length }] of this.#queues) if (length > most) [longest, most] = [other, length]
    // An address with as many as the others cannot displace theirs.
    if (longest === undefined || most <= own + 1) return false
    this.#queues.get(longest)!.pop()!.resolve(false)
    this.#count--
    return true
  }
}

/** For those who got no turn. */
export const createBusyError = () =>
  new McpError('BUSY', 'too many new tokens wait to be verified; retry', { retryAfterS: jitterRetryAfter(2) })
