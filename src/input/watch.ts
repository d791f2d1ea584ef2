// Finds questions that nobody waits for. With a forgotten `await`, a tool would act before the user
// agreed.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MaybePromise } from '../request/maybe-promise.ts'

/** A question, and whether somebody waits for its answer. */
interface Asked {
  /** Points to the line that asks. */
  readonly origin: NotAwaited
  isTaken: boolean
  isAnswered: boolean
  /** True while the run continues. */
  isOpen: boolean
}

/** A handler has returned before it had the answer to its question. The text is for the model. */
export class NotAwaited extends Error {
  override name = 'NotAwaited'
}

export type QuestionName = 'elicit' | 'confirm' | 'sample' | 'listRoots'

type Caller = (...args: never[]) => unknown

function describe(question: QuestionName): string {
  const need = question === 'confirm' ? 'needs the consent of the user' : 'needs an answer of its client'
  return `it ${need} and did not wait for it, so it may have acted already: ctx.${question} was called without await`
}

/** Rejections that came from a question, in any copy of its promise. */
const rejected = new WeakMap<object, Asked>()

/**
 * Checks an unhandled rejection: a function that asks was perhaps called without `await`.
 *
 * @returns true if it comes from a question whose handler has not returned yet
 */
export function noteUnhandled(reason: unknown): boolean {
  const asked = findAsked(reason)
  if (asked === undefined) return false
  asked.isTaken = false
  return asked.isOpen
}

/** Maximum depth of an error within other errors. */
const MAX_DEPTH = 8

/** A function that asks may wrap the rejection. */
function findAsked(reason: unknown, depth = MAX_DEPTH): Asked | undefined {
  if (typeof reason !== 'object' || reason === null || depth === 0) return undefined
  const { cause } = reason as Error
  return rejected.get(reason) ?? findAsked(cause, depth - 1)
}

/**
 * A promise that knows if somebody would see its rejection. It is not a plain promise, so `await` calls
 * its `then` with both functions.
 */
class WatchedPromise<T> extends Promise<T> {
  asked: Asked | undefined

  // biome-ignore lint/suspicious/noThenProperty: it is a promise, whose `then` shows who waits
  override then<R = T, E = never>(
    onValue?: ((value: T) => R | PromiseLike<R>) | null,
    onError?: ((reason: unknown) => E | PromiseLike<E>) | null,
  ): Promise<R | E> {
    const derived = super.then(onValue, onError) as WatchedPromise<R | E>
    if (this.asked === undefined) return derived
    if (typeof onError === 'function') this.asked.isTaken = true
    else pass(this.asked, derived)
    return derived
  }

  override finally(onEnd?: (() => void) | null): Promise<T> {
    const { asked } = this
    const wasTaken = asked?.isTaken === true
    const derived = super.finally(onEnd) as WatchedPromise<T>
    if (asked === undefined) return derived
    asked.isTaken = wasTaken
    pass(asked, derived)
    return derived
  }
}

function pass(asked: Asked, derived: WatchedPromise<unknown>): void {
  derived.asked = asked
  silence(derived)
}

// Not by `then` of this promise, which would count as somebody who waits.
const silence = (promise: WatchedPromise<unknown>) => void Promise.prototype.then.call(promise, undefined, () => {})

/** The questions of one run of a handler. */
export class QuestionWatch {
  readonly #asked: Asked[] = []
  #isClosed = false

  /**
   * @param caller the function that the handler has called; the error points to the line of that
   *   call
   */
  watch<T>(question: QuestionName, caller: Caller, answer: Promise<T>): Promise<T> {
    const origin = new NotAwaited(describe(question))
    Error.captureStackTrace(origin, caller)
    if (this.#isClosed)
      return answer.then(
        () => Promise.reject(origin),
        () => Promise.reject(origin),
      )
    const asked: Asked = { origin, isTaken: false, isAnswered: false, isOpen: true }
    this.#asked.push(asked)
    const promise = new WatchedPromise<T>((resolve, reject) => {
      const succeed = (value: T) => {
        asked.isAnswered = true
        resolve(value)
      }
      const fail = (reason: unknown) => {
        if (typeof reason === 'object' && reason !== null) rejected.set(reason, asked)
        reject(reason)
      }
      answer.then(succeed, fail)
    })
    promise.asked = asked
    silence(promise)
    return promise
  }

  /** Whether the handler has returned. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Whether somebody waits for one of the questions. */
  get isTaken(): boolean {
    return this.#asked.some(({ isTaken }) => isTaken)
  }

  /**
   * Checks a run that has returned. Call it once.
   *
   * @returns the first question that nobody waits for
   */
  findForgotten(): MaybePromise<NotAwaited | undefined> {
    const isSure = this.#asked.some(({ isTaken }) => !isTaken) || this.#asked.every(({ isAnswered }) => isAnswered)
    // Node reports unhandled rejections at the end of a turn.
    return isSure ? this.#close() : nextTurn().then(() => this.#close())
  }

  /** The handler has returned. Questions after this were asked without `await`. */
  close(): void {
    this.#isClosed = true
  }

  #close(): NotAwaited | undefined {
    this.close()
    for (const asked of this.#asked) asked.isOpen = false
    return this.#asked.find(({ isTaken }) => !isTaken)?.origin
  }
}
