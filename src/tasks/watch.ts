// Aborts a run whose task goes on without it: it was cancelled, its time to live has passed, or it is run elsewhere.
import type { Cancellation } from '../cancellation.ts'
import { hasEnded, type Task } from '../task.ts'
import type { Tasks } from './tasks.ts'

export class Watch {
  /** The run has come to its end: what ends of itself is not aborted behind its end. */
  isOver = false
  #isSuperseded = false
  #isHandedOut: boolean
  readonly #unwatch: () => void
  readonly #expiry: NodeJS.Timeout

  constructor(tasks: Tasks, { id, run, isHandedOut, createdAtMs, ttlMs }: Task, cancellation: Cancellation) {
    this.#isHandedOut = isHandedOut
    const abort = () => {
      if (!this.isOver) cancellation.cancel('cancelled')
    }
    this.#unwatch = tasks.watch(id, now => {
      if (now !== undefined && now.run !== run) this.#isSuperseded = true
      if (now?.isHandedOut) this.#isHandedOut = true
      if (now === undefined || hasEnded(now) || now.run !== run) abort()
    })
    this.#expiry = setTimeout(abort, Math.max(0, createdAtMs + ttlMs - Date.now())).unref()
  }

  /** A later run has begun: what this one says of its task no longer counts. */
  get isSuperseded(): boolean {
    return this.#isSuperseded
  }

  /** Its client knows of it, also where it is gone by now. */
  get isHandedOut(): boolean {
    return this.#isHandedOut
  }

  stop(): void {
    this.#unwatch()
    clearTimeout(this.#expiry)
  }
}
