// Bounds the verification of new tokens: a fixed rate for the process, and more while it is idle.
// Then tokens wait and addresses take turns, so a flood from one address does not block the others.
// No address is banned: it may be a proxy with many clients.
import type { MaybePromise } from '../request/maybe-promise.ts'

/** One unit is an RSA signature with 2048 bits, about 0.1 ms including overhead. */
const UNITS_OF_CORE_PER_S = 10_000
/** A fifth of a core, under any load. */
export const UNITS_PER_S = UNITS_OF_CORE_PER_S / 5
/** Savings for a burst, such as all clients after a restart. */
export const MAX_SAVED_UNITS = 2000
/** Half of the event loop's idle time is spent too. */
const UNITS_PER_IDLE_MS = UNITS_OF_CORE_PER_S / 2 / 1000
/** Past this the address with most tokens loses one. */
export const MAX_WAITING_TOKENS = 1000
export const MAX_TURN_WAIT_MS = 1000
/** Units per turn of the event loop, about 2 ms. */
const UNITS_AT_ONCE = 20
const SERVE_INTERVAL_MS = 5

export interface BudgetClock {
  /** Monotonic, ms. */
  now(): number
  /** Total idle time of the event loop so far, ms. */
  idleMs(): number
}

const processClock: BudgetClock = {
  now: () => performance.now(),
  idleMs: () => performance.eventLoopUtilization().idle,
}

interface WaitingToken {
  readonly sinceMs: number
  readonly cost: number
  isGone(): boolean
  resolve(isAllowed: boolean): void
}

export class VerificationBudget {
  readonly #clock: BudgetClock
  /** By address, in turn order. */
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
   * @returns whether the token may be verified, at once or in its turn
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

  /** If the queues are full, the address with most tokens loses its latest. */
  #hasRoomFor(address: string): boolean {
    if (this.#waiting < MAX_WAITING_TOKENS) return true
    const own = this.#queues.get(address)?.length ?? 0
    let [longest, most]: [string | undefined, number] = [undefined, own]
    for (const [other, { length }] of this.#queues) if (length > most) [longest, most] = [other, length]
    // An address with as many tokens as the others cannot displace theirs.
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
    // With units left, only give other work its turn.
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
    // With units left, a long pause of the process must not expire tokens.
    if (this.#units <= 0) this.#rejectExpired(this.#clock.now() - MAX_TURN_WAIT_MS)
  }

  /** The first token of the next address, which moves to the end. */
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
