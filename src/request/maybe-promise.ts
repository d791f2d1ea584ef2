// Values that may still be on their way; steps.ts waits for them only if they are.

export type MaybePromise<T> = T | Promise<T>

/** Whether `await` would wait for it: a promise, or what a library has in its place. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}
