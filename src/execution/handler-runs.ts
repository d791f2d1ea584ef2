// Handlers that run within hooks: a hook may settle without the handler that it has called. Then
// the handler's signal aborts, and once the call has ended the run counts against its tool until it
// ends, as one that goes on after a deadline does.
import { isThenable } from '../request/maybe-promise.ts'

/** One run of a handler. */
export interface HandlerRun {
  abandon(): void
}

/** What one hook has called. */
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
   * Settles once the hook has.
   *
   * @param returned of the hook
   * @returns the same; of a foreign promise, whose `then` may start its work, the promise that follows it
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

/** Counts the handlers of one call that go on without it. */
export class AbandonedHandlers {
  readonly #count: (change: 1 | -1) => void
  #handlers = 0
  #isCallOver = false
  #isCallAbandoned = false
  #counted = 0

  /** @param count called for each run that goes on, and again when it ends */
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

  /** The call has ended, or was abandoned: what it held is released. */
  callEnds(): void {
    this.#isCallOver = true
    this.#update()
  }

  /** @param change 1 if the hooks go on after a deadline, -1 when they end */
  callAbandoned(change: 1 | -1): void {
    this.#isCallAbandoned = change === 1
    this.#update()
  }

  // A handler that a hook of an abandoned call waits for is one run, not two.
  #update(): void {
    const abandoned = Math.max(this.#isCallOver ? this.#handlers : 0, Number(this.#isCallAbandoned))
    for (; this.#counted < abandoned; this.#counted++) this.#count(1)
    for (; this.#counted > abandoned; this.#counted--) this.#count(-1)
  }
}
