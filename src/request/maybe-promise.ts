// Values that may be promises; steps.ts waits only for promises.

export type MaybePromise<T> = T | Promise<T>

/** Whether `await` would wait for it: a promise, or a library's own kind of promise. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}
