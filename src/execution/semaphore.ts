// How many may run at once, and how many may wait. Subjects take turns: a slot that is given back
// goes to whoever holds fewest, and in a full queue whoever has most makes way. Refuses rather than
// grows.
import type { Cancellation } from '../request/cancellation.ts'

export interface SemaphoreOptions {
  readonly max: number
  readonly maxQueued: number
}

/**
 * So many subjects more than there are slots may wait patiently, one place each where others have
 * taken theirs.
 */
export const MAX_PATIENT_SUBJECTS = 16

/**
 * How one waits: behind the others of its subject, before them, or behind them for however long.
 */
type QueuePosition = 'queued' | 'first' | 'patient'

interface SemaphoreWaiter {
  /** Takes no place in the queue. */
  readonly isPatient: boolean
  settle(isTaken: boolean): void
}

interface SubjectState {
  readonly subject: string
  /** Slots, but for one that was taken last of all. */
  held: number
  readonly waiting: SemaphoreWaiter[]
  queued: number
}

export class Semaphore {
  readonly #max: number
  readonly #maxQueued: number
  /** Of subjects that hold a slot or wait for one. */
  readonly #subjects = new Map<string, SubjectState>()
  /** Those that wait; of equals the first is next. */
  readonly #waitingSubjects = new Set<SubjectState>()
  /**
   * Who took the last slot, counted when another is taken: most calls end before that, and cost no
   * entry in a map.
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

  /** Subjects that something is kept of. */
  get subjectCount(): number {
    return this.#subjects.size
  }

  /**
   * All are taken, and as many wait for them whose wait has no bound. A few more subjects may,
   * where they have nothing here: nobody waits behind all that another has.
   */
  isCrowded(subject: string): boolean {
    if (this.#runningCount < this.#max || this.#patientCount < this.#max) return false
    if (subject === this.#lastSubject || this.#subjects.has(subject)) return true
    const patient = this.#waitingSubjects.values().filter(lane => lane.waiting.length > lane.queued)
    return patient.toArray().length >= this.#max + MAX_PATIENT_SUBJECTS
  }

  /**
   * The same for one that waits however long, and takes no place of those whose wait has a bound.
   */
  async acquirePatiently(subject: string, cancellation: Cancellation): Promise<boolean> {
    if (this.#runningCount < this.#max) return this.acquire(subject, cancellation)
    return this.#wait(subject, cancellation, 'patient')
  }

  /** True with a slot taken; a promise of one where it must wait; false where the queue is full. */
  acquire(subject: string, cancellation: Cancellation, manner: QueuePosition = 'queued'): boolean | Promise<boolean> {
    if (this.#runningCount < this.#max) {
      this.#runningCount++
      if (this.#lastSubject !== undefined) this.#getOrCreateSubject(this.#lastSubject).held++
      this.#lastSubject = subject
      return true
    }
    return this.#makeRoom(subject) && this.#wait(subject, cancellation, manner)
  }

  /**
   * Hands the slot to whoever holds fewest; of equals, to another than had it, and to who was not
   * served for longest.
   */
  release(subject: string): void {
    this.#releaseHeld(subject)
    const lane = this.#findNext(subject)
    if (lane === undefined) this.#runningCount--
    else {
      const [waiter] = lane.waiting as [SemaphoreWaiter]
      lane.held++
      this.#removeWaiter(lane, waiter)
      // Behind the others, where it has more that wait.
      if (this.#waitingSubjects.delete(lane)) this.#waitingSubjects.add(lane)
      waiter.settle(true)
    }
  }

  #releaseHeld(subject: string): void {
    if (this.#lastSubject === subject) this.#lastSubject = undefined
    else {
      const lane = this.#subjects.get(subject)!
      lane.held--
      this.#removeIfIdle(lane)
    }
  }

  #findNext(subject: string): SubjectState | undefined {
    let next: SubjectState | undefined
    let least = Number.POSITIVE_INFINITY
    for (const lane of this.#waitingSubjects) {
      const rank = 2 * this.#countHeld(lane) + Number(lane.subject === subject)
      if (rank >= least) continue
      least = rank
      next = lane
      if (rank === 0) break
    }
    return next
  }

  /**
   * Makes one, if another would still have more than this subject, of slots and places together.
   */
  #makeRoom(subject: string): boolean {
    if (this.#queuedCount < this.#maxQueued) return true
    let most: SubjectState | undefined
    for (const lane of this.#waitingSubjects)
      if (lane.queued > 0 && (most === undefined || this.#countHeldAndQueued(lane) > this.#countHeldAndQueued(most)))
        most = lane
    const own = this.#subjects.get(subject)
    const part = own === undefined ? Number(subject === this.#lastSubject) : this.#countHeldAndQueued(own)
    if (most === undefined || this.#countHeldAndQueued(most) <= part + 1) return false
    const newest = most.waiting.findLast(each => !each.isPatient)!
    this.#removeWaiter(most, newest)
    newest.settle(false)
    return true
  }

  #countHeld({ subject, held }: SubjectState): number {
    return subject === this.#lastSubject ? held + 1 : held
  }

  #countHeldAndQueued(lane: SubjectState): number {
    return this.#countHeld(lane) + lane.queued
  }

  #wait(subject: string, cancellation: Cancellation, manner: QueuePosition): Promise<boolean> {
    if (cancellation.reason !== undefined) return Promise.resolve(false)
    return new Promise(resolve => {
      const lane = this.#getOrCreateSubject(subject)
      const waiter: SemaphoreWaiter = {
        isPatient: manner === 'patient',
        settle(isTaken) {
          cancellation.onCancel(undefined)
          resolve(isTaken)
        },
      }
      if (manner === 'first') lane.waiting.unshift(waiter)
      else lane.waiting.push(waiter)
      this.#waitingSubjects.add(lane)
      this.#adjustCounts(lane, waiter, 1)
      cancellation.onCancel(() => {
        this.#removeWaiter(lane, waiter)
        resolve(false)
      })
    })
  }

  #removeWaiter(lane: SubjectState, waiter: SemaphoreWaiter): void {
    lane.waiting.splice(lane.waiting.indexOf(waiter), 1)
    this.#adjustCounts(lane, waiter, -1)
    if (lane.waiting.length === 0) this.#waitingSubjects.delete(lane)
    this.#removeIfIdle(lane)
  }

  #adjustCounts(lane: SubjectState, { isPatient }: SemaphoreWaiter, change: 1 | -1): void {
    if (isPatient) this.#patientCount += change
    else {
      lane.queued += change
      this.#queuedCount += change
    }
  }

  #getOrCreateSubject(subject: string): SubjectState {
    let lane = this.#subjects.get(subject)
    if (lane === undefined) {
      lane = { subject, held: 0, waiting: [], queued: 0 }
      this.#subjects.set(subject, lane)
    }
    return lane
  }

  #removeIfIdle(lane: SubjectState): void {
    if (lane.held === 0 && lane.waiting.length === 0) this.#subjects.delete(lane.subject)
  }
}

// The calls that one subject has under way, so that none can take all slots of the process, nor
// fill its queue.

/** Calls of one subject at once. */
export const MAX_CALLS_PER_SUBJECT = 32
/** Calls of one subject that may wait for its own others to end. */
export const MAX_QUEUED_PER_SUBJECT = 100

const SUBJECT_LIMITS = Object.freeze({ max: MAX_CALLS_PER_SUBJECT, maxQueued: MAX_QUEUED_PER_SUBJECT })

export class PerSubjectSemaphore {
  /** Of those subjects only that have a call under way. */
  readonly #semaphores = new Map<string, Semaphore>()

  /** Of the subject that ended last, for the next: most calls are alone, and end at once. */
  #idle: Semaphore | undefined

  get size(): number {
    return this.#semaphores.size
  }

  /**
   * True where it may go on; a promise of it where it must wait for its turn; false where too many
   * wait.
   */
  acquire(subject: string, cancellation: Cancellation): boolean | Promise<boolean> {
    let slots = this.#semaphores.get(subject)
    if (slots === undefined) {
      slots = this.#idle ?? new Semaphore(SUBJECT_LIMITS)
      this.#idle = undefined
      this.#semaphores.set(subject, slots)
    }
    return slots.acquire(subject, cancellation)
  }

  release(subject: string): void {
    const slots = this.#semaphores.get(subject)!
    slots.release(subject)
    if (slots.running > 0) return
    this.#semaphores.delete(subject)
    this.#idle = slots
  }
}
