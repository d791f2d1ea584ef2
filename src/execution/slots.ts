// How many may run at once, and how many may wait. Subjects take turns: a slot that is given back goes to whoever holds
// fewest, and in a full queue whoever has most makes way. Refuses rather than grows.
import type { Cancellation } from '../cancellation.ts'

export interface SlotsOptions {
  readonly max: number
  readonly maxQueued: number
}

/** So many subjects more than there are slots may wait patiently, one place each where others have taken theirs. */
export const MAX_PATIENT_SUBJECTS = 16

/** How one waits: behind the others of its subject, before them, or behind them for however long. */
type Manner = 'queued' | 'first' | 'patient'

interface Waiter {
  /** Takes no place in the queue. */
  readonly isPatient: boolean
  end(isTaken: boolean): void
}

interface Lane {
  readonly subject: string
  /** Slots, but for one that was taken last of all. */
  held: number
  readonly waiting: Waiter[]
  queued: number
}

export class Slots {
  readonly #max: number
  readonly #maxQueued: number
  /** Of subjects that hold a slot or wait for one. */
  readonly #lanes = new Map<string, Lane>()
  /** Those that wait; of equals the first is next. */
  readonly #waiting = new Set<Lane>()
  /** Who took the last slot, counted when another is taken: most calls end before that, and cost no entry in a map. */
  #latest: string | undefined
  #running = 0
  #queued = 0
  #patient = 0

  constructor({ max, maxQueued }: SlotsOptions) {
    this.#max = max
    this.#maxQueued = maxQueued
  }

  get running(): number {
    return this.#running
  }

  get queued(): number {
    return this.#queued + this.#patient
  }

  /** Subjects that something is kept of. */
  get subjects(): number {
    return this.#lanes.size
  }

  /**
   * All are taken, and as many wait for them whose wait has no bound. A few more subjects may, where they have nothing
   * here: nobody waits behind all that another has.
   */
  isCrowded(subject: string): boolean {
    if (this.#running < this.#max || this.#patient < this.#max) return false
    if (subject === this.#latest || this.#lanes.has(subject)) return true
    const patient = this.#waiting.values().filter(lane => lane.waiting.length > lane.queued)
    return patient.toArray().length >= this.#max + MAX_PATIENT_SUBJECTS
  }

  /** The same for one that waits however long, and takes no place of those whose wait has a bound. */
  async takePatiently(subject: string, cancellation: Cancellation): Promise<boolean> {
    if (this.#running < this.#max) return this.take(subject, cancellation)
    return this.#wait(subject, cancellation, 'patient')
  }

  /** True with a slot taken; a promise of one where it must wait; false where the queue is full. */
  take(subject: string, cancellation: Cancellation, manner: Manner = 'queued'): boolean | Promise<boolean> {
    if (this.#running < this.#max) {
      this.#running++
      if (this.#latest !== undefined) this.#laneOf(this.#latest).held++
      this.#latest = subject
      return true
    }
    return this.#hasPlace(subject) && this.#wait(subject, cancellation, manner)
  }

  /** Hands the slot to whoever holds fewest; of equals, to another than had it, and to who was not served for longest. */
  release(subject: string): void {
    this.#letGo(subject)
    const lane = this.#nextAfter(subject)
    if (lane === undefined) this.#running--
    else {
      const [waiter] = lane.waiting as [Waiter]
      lane.held++
      this.#leave(lane, waiter)
      // Behind the others, where it has more that wait.
      if (this.#waiting.delete(lane)) this.#waiting.add(lane)
      waiter.end(true)
    }
  }

  #letGo(subject: string): void {
    if (this.#latest === subject) this.#latest = undefined
    else {
      const lane = this.#lanes.get(subject)!
      lane.held--
      this.#forget(lane)
    }
  }

  #nextAfter(subject: string): Lane | undefined {
    let next: Lane | undefined
    let least = Number.POSITIVE_INFINITY
    for (const lane of this.#waiting) {
      const rank = 2 * this.#heldBy(lane) + Number(lane.subject === subject)
      if (rank >= least) continue
      least = rank
      next = lane
      if (rank === 0) break
    }
    return next
  }

  /** Makes one, if another would still have more than this subject, of slots and places together. */
  #hasPlace(subject: string): boolean {
    if (this.#queued < this.#maxQueued) return true
    let most: Lane | undefined
    for (const lane of this.#waiting)
      if (lane.queued > 0 && (most === undefined || this.#partOf(lane) > this.#partOf(most))) most = lane
    const own = this.#lanes.get(subject)
    const part = own === undefined ? Number(subject === this.#latest) : this.#partOf(own)
    if (most === undefined || this.#partOf(most) <= part + 1) return false
    const newest = most.waiting.findLast(each => !each.isPatient)!
    this.#leave(most, newest)
    newest.end(false)
    return true
  }

  #heldBy({ subject, held }: Lane): number {
    return subject === this.#latest ? held + 1 : held
  }

  #partOf(lane: Lane): number {
    return this.#heldBy(lane) + lane.queued
  }

  #wait(subject: string, cancellation: Cancellation, manner: Manner): Promise<boolean> {
    if (cancellation.reason !== undefined) return Promise.resolve(false)
    return new Promise(resolve => {
      const lane = this.#laneOf(subject)
      const waiter: Waiter = {
        isPatient: manner === 'patient',
        end(isTaken) {
          cancellation.onCancel(undefined)
          resolve(isTaken)
        },
      }
      if (manner === 'first') lane.waiting.unshift(waiter)
      else lane.waiting.push(waiter)
      this.#waiting.add(lane)
      this.#count(lane, waiter, 1)
      cancellation.onCancel(() => {
        this.#leave(lane, waiter)
        resolve(false)
      })
    })
  }

  #leave(lane: Lane, waiter: Waiter): void {
    lane.waiting.splice(lane.waiting.indexOf(waiter), 1)
    this.#count(lane, waiter, -1)
    if (lane.waiting.length === 0) this.#waiting.delete(lane)
    this.#forget(lane)
  }

  #count(lane: Lane, { isPatient }: Waiter, change: 1 | -1): void {
    if (isPatient) this.#patient += change
    else {
      lane.queued += change
      this.#queued += change
    }
  }

  #laneOf(subject: string): Lane {
    let lane = this.#lanes.get(subject)
    if (lane === undefined) {
      lane = { subject, held: 0, waiting: [], queued: 0 }
      this.#lanes.set(subject, lane)
    }
    return lane
  }

  #forget(lane: Lane): void {
    if (lane.held === 0 && lane.waiting.length === 0) this.#lanes.delete(lane.subject)
  }
}
