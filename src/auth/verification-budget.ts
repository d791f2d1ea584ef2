// How many tokens that were not seen before are verified: so many a second for the whole process, and more while it has
// nothing else to do. Past that they wait for a moment, and addresses take turns, so that a flood from one neither keeps
// the process from its work nor the tokens of others from being looked at. Nobody is shut out: behind one address may be
// a proxy with everybody behind it, and a good token cannot be told from a bad one before it is verified.
import type { MaybePromise } from '../request/maybe-promise.ts'

/** What a whole core could verify: a unit is a signature of RSA with 2048 bits, some 0.1 ms with all around it. */
const UNITS_OF_CORE_PER_S = 10_000
/** A fifth of a core, whatever else there is to do. */
export const UNITS_PER_S = UNITS_OF_CORE_PER_S / 5
/** What may be saved up for a crowd, such as all clients of a replica that has restarted. */
export const MAX_SAVED_UNITS = 2000
/** Half of the time in which the event loop had nothing to do is given away too. */
const UNITS_PER_IDLE_MS = UNITS_OF_CORE_PER_S / 2 / 1000
/** Tokens that wait; past it one goes of the address that has most of them. */
export const MAX_WAITING_TOKENS = 1000
export const MAX_TURN_WAIT_MS = 1000
/** What is spent on those that wait before others have their turn of the event loop: some 2 ms. */
const UNITS_AT_ONCE = 20
const SERVE_INTERVAL_MS = 5

export interface BudgetClock {
  /** A clock that never steps back, ms. */
  now(): number
  /** How long the event loop has waited for work so far, ms. */
  idleMs(): number
}

const processClock: BudgetClock = {
  now: () => performance.now(),
  idleMs: () => performance.eventLoopUtilization().idle,
}

interface WaitingToken {
  readonly sinceMs: number
  readonly cost: number
  /** Whether nobody waits for the answer any more. */
  isGone(): boolean
  resolve(isAllowed: boolean): void
}

export class VerificationBudget {
  readonly #clock: BudgetClock
  /** By address; the first is the next to be served. */
  readonly #queues = new Map<string, WaitingToken[]>()
  #waiting = 0
  #units = MAX_SAVED_UNITS
  #countedAtMs: number
  #idleMs: number
  #isScheduled = false

  constructor(clock: BudgetClock = processClock) {
    this.#clock = clock
    this.#countedAtMs = clock.now()
    this.#idleMs = clock.idleMs()
  }

  get waiting(): number {
    return this.#waiting
  }

  /**
   * @param cost in signatures of RSA with 2048 bits
   * @returns whether a token of this address may be verified: at once, or when it had its turn
   */
  take(address: string, cost: number, isGone: () => boolean = () => false): MaybePromise<boolean> {
    this.#count()
    if (this.#waiting === 0 && this.#units > 0) {
      this.#units -= cost
      return true
    }
    if (!this.#hasRoomFor(address)) return false
    return new Promise(resolve => {
      const waiting: WaitingToken = { sinceMs: this.#clock.now(), cost, isGone, resolve }
      const queue = this.#queues.get(address)
      if (queue === undefined) this.#queues.set(address, [waiting])
      else queue.push(waiting)
      this.#waiting++
      this.#schedule()
    })
  }

  /** All that wait are refused. */
  close(): void {
    for (const queue of this.#queues.values()) for (const { resolve } of queue) resolve(false)
    this.#queues.clear()
    this.#waiting = 0
  }

  #count(): void {
    const [nowMs, idleMs] = [this.#clock.now(), this.#clock.idleMs()]
    const earned = ((nowMs - this.#countedAtMs) * UNITS_PER_S) / 1000 + (idleMs - this.#idleMs) * UNITS_PER_IDLE_MS
    this.#units = Math.min(MAX_SAVED_UNITS, this.#units + earned)
    this.#countedAtMs = nowMs
    this.#idleMs = idleMs
  }

  /** Where all is full, who has most gives the latest of it. */
  #hasRoomFor(address: string): boolean {
    if (this.#waiting < MAX_WAITING_TOKENS) return true
    const own = this.#queues.get(address)?.length ?? 0
    let [longest, most]: [string | undefined, number] = [undefined, own]
    for (const [other, { length }] of this.#queues) if (length > most) [longest, most] = [other, length]
    // One that has as many as the others may not push them out.
    if (longest === undefined || most <= own + 1) return false
    this.#queues.get(longest)!.pop()!.resolve(false)
    this.#waiting--
    return true
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting === 0) return
    this.#isScheduled = true
    const serve = () => {
      this.#isScheduled = false
      this.#serve()
      this.#schedule()
    }
    // Where there are units left, those that wait only let others go first.
    if (this.#units > 0) setImmediate(serve)
    else setTimeout(serve, SERVE_INTERVAL_MS)
  }

  #serve(): void {
    this.#count()
    for (let spent = 0; this.#waiting > 0 && this.#units > 0 && spent < UNITS_AT_ONCE; ) {
      const next = this.#takeNext()
      const isGone = next.isGone()
      if (!isGone) {
        this.#units -= next.cost
        spent += next.cost
      }
      next.resolve(!isGone)
    }
    // Not while there are units left: a process that stood still for long has not given them their turn.
    if (this.#units <= 0) this.#rejectExpired(this.#clock.now() - MAX_TURN_WAIT_MS)
  }

  /** The first of the address whose turn it is, which goes behind the others. */
  #takeNext(): WaitingToken {
    const [address, queue] = this.#queues.entries().next().value!
    this.#queues.delete(address)
    const next = queue.shift()!
    if (queue.length > 0) this.#queues.set(address, queue)
    this.#waiting--
    return next
  }

  #rejectExpired(beforeMs: number): void {
    for (const [address, queue] of this.#queues) {
      while (queue.length > 0 && queue[0]!.sinceMs < beforeMs) {
        queue.shift()!.resolve(false)
        this.#waiting--
      }
      if (queue.length === 0) this.#queues.delete(address)
    }
  }
}
