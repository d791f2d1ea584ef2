// Steps that may have to wait. Most calls never wait: awaiting at each step would cost them 14 % of
// their processor time (decision 44).

export type MaybePromise<T> = T | Promise<T>

/** `next(await value)`, at once if there is nothing to wait for. */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** `try { return next(await work()) } catch (e) { return recover(e) }`, at once if it can. */
export function settle<T, R>(
  work: () => MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
  recover: (error: unknown) => MaybePromise<R>,
): MaybePromise<R> {
  try {
    const value = work()
    if (value instanceof Promise) return value.then(next).catch(recover)
    const result = next(value)
    return result instanceof Promise ? result.catch(recover) : result
  } catch (error) {
    return recover(error)
  }
}

/** Whether `await` would wait for it: a promise, or what a library has in its place. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}
