// Bounds running and waiting calls. A released slot goes to the subject that holds fewest; in a
// full queue, the subject with the most entries loses one. A call beyond the bounds is refused.
import type { Cancellation } from '../request/cancellation.ts'

export interface SemaphoreOptions {
  readonly max: number
  readonly maxQueued: number
}

/** Subjects that may wait patiently in addition to the number of slots, with one entry each. */
export const MAX_PATIENT_SUBJECTS = 16

/** Behind the subject's other entries, before them, or behind them with no bound on the wait. */
type QueuePosition = 'queued' | 'first' | 'patient'

interface SemaphoreWaiter {
  /** Does not count towards `maxQueued`. */
  readonly isPatient: boolean
  end(isTaken: boolean): void
}

interface SubjectState {
  readonly subject: string
  /** Slots held, without the one that #lastSubject took. */
  held: number
  readonly waiting: SemaphoreWaiter[]
  queued: number
}

export class Semaphore {
  readonly #max: number
  readonly #maxQueued: number
  /** Subjects that hold or await a slot. */
  readonly #subjects = new Map<string, SubjectState>()
  /** Subjects that wait. Among equals, the first is next. */
  readonly #waitingSubjects = new Set<SubjectState>()
  /**
   * Holder of the last slot. It gets a map entry only when the next one comes: most calls end
   * before.
   */
  #lastSubject: string | undefined
  #runningCount = 0
  #queuedCount = 0
  #patientCount = 0

  constructor({ max, maxQueued }: SemaphoreOptions) {
    this.#max = max
    this.#maxQueued = maxQueued
  }

  get running(): number {
    return this.#runningCount
  }

  get queued(): number {
    return this.#queuedCount + this.#patientCount
  }

  /** Number of subjects with state. */
  get subjectCount(): number {
    return this.#subjects.size
  }

  /**
   * True if all slots are taken and as many patient entries wait. A few more subjects may wait if
   * they have nothing here, so that one subject's entries do not block another.
   */
  isCrowded(subject: string): boolean {
    if (this.#runningCount < this.#max || this.#patientCount < this.#max) return false
    if (subject === this.#lastSubject || this.#subjects.has(subject)) return true
    const patient = this.#waitingSubjects.values().filter(state => state.waiting.length > state.queued)
    return patient.toArray().length >= this.#max + MAX_PATIENT_SUBJECTS
  }

  /** Like `acquire`, but waits without a bound and does not count towards `maxQueued`. */
  async acquirePatiently(subject: string, cancellation: Cancellation): Promise<boolean> {
    return this.tryAcquire(subject) || this.#wait(subject, cancellation, 'patient')
  }

  /** True if a slot is acquired; a promise if the call must wait; false if the queue is full. */
  acquire(subject: string, cancellation: Cancellation, position: QueuePosition = 'queued'): boolean | Promise<boolean> {
    return this.tryAcquire(subject) || (this.#makeRoom(subject) && this.#wait(subject, cancellation, position))
  }

  /** True if a slot is acquired; false if no slot is free. */
  tryAcquire(subject: string): boolean {
    if (this.#runningCount >= this.#max) return false
    this.#runningCount++
    if (this.#lastSubject !== undefined) this.#getOrCreateSubject(this.#lastSubject).held++
    this.#lastSubject = subject
    return true
  }

  /** Passes the slot on: fewest held first, then another subject, then the longest unserved. */
  release(subject: string): void {
    this.#releaseHeld(subject)
    const state = this.#findNext(subject)
    if (state === undefined) this.#runningCount--
    else {
      const [waiter] = state.waiting as [SemaphoreWaiter]
      state.held++
      this.#removeWaiter(state, waiter)
      // Moves the subject behind the others, if it still waits.
      if (this.#waitingSubjects.delete(state)) this.#waitingSubjects.add(state)
      waiter.end(true)
    }
  }

  #releaseHeld(subject: string): void {
    if (this.#lastSubject === subject) this.#lastSubject = undefined
    else {
      const state = this.#subjects.get(subject)!
      state.held--
      this.#removeIfIdle(state)
    }
  }

  #findNext(subject: string): SubjectState | undefined {
    let next: SubjectState | undefined
    let least = Number.POSITIVE_INFINITY
    for (const state of this.#waitingSubjects) {
      const rank = 2 * this.#countHeld(state) + Number(state.subject === subject)
      if (rank >= least) continue
      least = rank
      next = state
      if (rank === 0) break
    }
    return next
  }

  /**
   * Evicts an entry of the subject with the most entries, if that one keeps more than this subject
   * has.
   */
  #makeRoom(subject: string): boolean {
    if (this.#queuedCount < this.#maxQueued) return true
    let most: SubjectState | undefined
    for (const state of this.#waitingSubjects)
      if (state.queued > 0 && (most === undefined || this.#countHeldAndQueued(state) > this.#countHeldAndQueued(most)))
        most = state
    const own = this.#subjects.get(subject)
    const part = own === undefined ? Number(subject === this.#lastSubject) : this.#countHeldAndQueued(own)
    if (most === undefined || this.#countHeldAndQueued(most) <= part + 1) return false
    const newest = most.waiting.findLast(each => !each.isPatient)!
    this.#removeWaiter(most, newest)
    newest.end(false)
    return true
  }

  #countHeld({ subject, held }: SubjectState): number {
    return subject === this.#lastSubject ? held + 1 : held
  }

  #countHeldAndQueued(state: SubjectState): number {
    return this.#countHeld(state) + state.queued
  }

  #wait(subject: string, cancellation: Cancellation, position: QueuePosition): Promise<boolean> {
    if (cancellation.reason !== undefined) return Promise.resolve(false)
    return new Promise(resolve => {
      const state = this.#getOrCreateSubject(subject)
      const giveUp = () => {
        this.#removeWaiter(state, waiter)
        resolve(false)
      }
      const waiter: SemaphoreWaiter = {
        isPatient: position === 'patient',
        end(isTaken) {
          cancellation.offCancel(giveUp)
          resolve(isTaken)
        },
      }
      if (position === 'first') state.waiting.unshift(waiter)
      else state.waiting.push(waiter)
      this.#waitingSubjects.add(state)
      this.#adjustCounts(state, waiter, 1)
      cancellation.onCancel(giveUp)
    })
  }

  #removeWaiter(state: SubjectState, waiter: SemaphoreWaiter): void {
    state.waiting.splice(state.waiting.indexOf(waiter), 1)
    this.#adjustCounts(state, waiter, -1)
    if (state.waiting.length === 0) this.#waitingSubjects.delete(state)
    this.#removeIfIdle(state)
  }

  #adjustCounts(state: SubjectState, { isPatient }: SemaphoreWaiter, change: 1 | -1): void {
    if (isPatient) this.#patientCount += change
    else {
      state.queued += change
      this.#queuedCount += change
    }
  }

  #getOrCreateSubject(subject: string): SubjectState {
    let state = this.#subjects.get(subject)
    if (state === undefined) {
      state = { subject, held: 0, waiting: [], queued: 0 }
      this.#subjects.set(subject, state)
    }
    return state
  }

  #removeIfIdle(state: SubjectState): void {
    if (state.held === 0 && state.waiting.length === 0) this.#subjects.delete(state.subject)
  }
}
