// Handlers that run within hooks. A hook may settle before the handler that it has called. Then the
// handler's signal aborts. Once the call has ended, the run counts against its tool until it ends,
// like a run that continues after its deadline.
import { isThenable } from '../request/maybe-promise.ts'

/** One run of a handler. */
export interface HandlerRun {
  abandon(): void
}

/** The handlers that one hook has called. */
export class HookRuns {
  readonly #parent: HookRuns | undefined
  readonly #open = new Set<HandlerRun>()
  #hasSettled = false

  constructor(parent: HookRuns | undefined) {
    this.#parent = parent
  }

  add(run: HandlerRun): void {
    if (this.#hasSettled) run.abandon()
    this.#open.add(run)
    this.#parent?.add(run)
  }

  delete(run: HandlerRun): void {
    this.#open.delete(run)
    this.#parent?.delete(run)
  }

  /**
   * Settles when the hook settles.
   *
   * @param returned of the hook
   * @returns the same. For a foreign promise, whose `then` may start its work: the promise that
   *   follows it
   */
  follow(returned: unknown): unknown {
    if (!isThenable(returned)) {
      this.settle()
      return returned
    }
    const promise = Promise.resolve(returned)
    const settle = () => this.settle()
    promise.then(settle, settle)
    return promise
  }

  settle(): void {
    this.#hasSettled = true
    for (const run of this.#open) run.abandon()
  }
}

/** Counts the handlers of one call that continue without it. */
export class AbandonedHandlers {
  readonly #count: (change: 1 | -1) => void
  #handlers = 0
  #isCallOver = false
  #isCallAbandoned = false
  #counted = 0

  /** @param count called for each run that continues, and again when it ends */
  constructor(count: (change: 1 | -1) => void) {
    this.#count = count
  }

  handlerBegins(): void {
    this.#handlers++
    this.#update()
  }

  handlerEnds(): void {
    this.#handlers--
    this.#update()
  }

  /** Called when the call has ended or was abandoned: releases what it held. */
  callEnds(): void {
    this.#isCallOver = true
    this.#update()
  }

  /** @param change 1 if the hooks continue after a deadline, -1 when they end */
  callAbandoned(change: 1 | -1): void {
    this.#isCallAbandoned = change === 1
    this.#update()
  }

  // The hook of an abandoned call may wait for a handler; together they are one run.
  #update(): void {
    const abandoned = Math.max(this.#isCallOver ? this.#handlers : 0, Number(this.#isCallAbandoned))
    for (; this.#counted < abandoned; this.#counted++) this.#count(1)
    for (; this.#counted > abandoned; this.#counted--) this.#count(-1)
  }
}
