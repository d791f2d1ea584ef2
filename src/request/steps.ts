// Functions that read top to bottom, may wait at any step, and answer in the same tick if no step
// waits (decision 44): awaiting each step would cost a call 14 % of its processor time.
import type { MaybePromise } from './maybe-promise.ts'

/**
 * The return type of a function with steps: `function* f(): Steps<number> { … }`. Such a function
 * must be at the top level of its file: creating one in each call would cost 28 % more.
 */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>

/** `yield* wait(value)` is `await value`, but continues at once if `value` is not a promise. */
export const wait = <T>(value: MaybePromise<T>): Iterable<Promise<unknown>, T> =>
  value instanceof Promise ? waitFor(value) : new Ready(value)

function* waitFor<T>(promise: Promise<T>): Steps<T> {
  return (yield promise) as T
}

/** Steps that have ended. A generator for each would cost a call 2 % more. */
class Ready<T> implements Iterable<Promise<unknown>, T>, IteratorReturnResult<T> {
  readonly done = true
  readonly value: T

  constructor(value: T) {
    this.value = value
  }

  [Symbol.iterator](): this {
    return this
  }

  next(): this {
    return this
  }
}

/**
 * Runs the steps up to the first promise, and the rest once it has settled.
 *
 * @returns a promise only if a step has waited
 * @throws what the steps throw before the first promise; later errors reject
 */
export function run<T>(steps: Steps<T>): MaybePromise<T> {
  const { done, value } = steps.next()
  return done === true ? value : resume(steps, value)
}

async function resume<T>(steps: Steps<T>, first: Promise<unknown>): Promise<T> {
  let awaited = first
  for (;;) {
    let answer: unknown
    let failure: { readonly error: unknown } | undefined
    try {
      answer = await awaited
    } catch (error) {
      failure = { error }
    }
    const { done, value } = failure === undefined ? steps.next(answer) : steps.throw(failure.error)
    if (done === true) return value
    awaited = value
  }
}
