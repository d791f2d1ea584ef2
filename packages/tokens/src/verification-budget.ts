// Bounds the verification of new tokens: a fixed rate for the process, and more while it is idle.
// Then tokens wait, and addresses take turns.
import type { MaybePromise } from 'toolrack/protocol'
import { Turns, type Waiting } from './turns.ts'

/** One unit is an RSA signature with 2048 bits, about 0.1 ms including overhead. */
const UNITS_OF_CORE_PER_S = 10_000
/** A fifth of a core, under any load. */
export const UNITS_PER_S = UNITS_OF_CORE_PER_S / 5
/** Savings for a burst, such as all clients after a restart. */
export const MAX_SAVED_UNITS = 2000
/** Half of the event loop's idle time is spent too. */
const UNITS_PER_IDLE_MS = UNITS_OF_CORE_PER_S / 2 / 1000
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

interface WaitingToken extends Waiting {
  readonly cost: number
  isGone(): boolean
}

export class VerificationBudget {
  readonly #clock: BudgetClock
  readonly #turns = new Turns<WaitingToken>()
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
    return this.#turns.count
  }

  /**
   * @param cost in signatures of RSA with 2048 bits
   * @returns whether the token may be verified, at once or in its turn
   */
  take(address: string, cost: number, isGone: () => boolean = () => false): MaybePromise<boolean> {
    this.#count()
    if (this.#turns.count === 0 && this.#units > 0) {
      this.#units -= cost
      return true
    }
    return new Promise(resolve => {
      const waiting: WaitingToken = { sinceMs: this.#clock.now(), cost, isGone, resolve }
      if (this.#turns.add(address, waiting)) this.#schedule()
      else resolve(false)
    })
  }

  close(): void {
    this.#turns.close()
  }

  #count(): void {
    const [nowMs, idleMs] = [this.#clock.now(), this.#clock.idleMs()]
    const earned = ((nowMs - this.#countedAtMs) * UNITS_PER_S) / 1000 + (idleMs - this.#idleMs) * UNITS_PER_IDLE_MS
    this.#units = Math.min(MAX_SAVED_UNITS, this.#units + earned)
    this.#countedAtMs = nowMs
    this.#idleMs = idleMs
  }

  #schedule(): void {
    if (this.#isScheduled || this.#turns.count === 0) return
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
    for (let spent = 0; this.#turns.count > 0 && this.#units > 0 && spent < UNITS_AT_ONCE; ) {
      const next = this.#turns.takeNext()
      const isGone = next.isGone()
      if (!isGone) {
        this.#units -= next.cost
        spent += next.cost
      }
      next.resolve(!isGone)
    }
    // With units left, a long pause of the process must not expire tokens.
    if (this.#units <= 0) this.#turns.rejectExpired(this.#clock.now())
  }
}
