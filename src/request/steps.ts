// Functions that read top to bottom, may wait at any step, and answer in the same tick if no step
// waits (decision 44): awaiting each step would cost a call 14 % of its processor time.
import type { MaybePromise } from './maybe-promise.ts'

/** What a function with steps returns: `function* f(): Steps<number> { … }`. */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>

/** `yield* wait(value)` is `await value`, at once if there is nothing to wait for. */
export function* wait<T>(value: MaybePromise<T>): Steps<T> {
  return value instanceof Promise ? ((yield value) as T) : value
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
    const { done, value } = await awaited.then(
      answer => steps.next(answer),
      error => steps.throw(error),
    )
    if (done === true) return value
    awaited = value
  }
}
