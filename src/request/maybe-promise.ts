// Steps that may or may not be asynchronous. A tool that answers at once costs no promise on its whole way.

export type MaybePromise<T> = T | Promise<T>

/** `try { return done(await work()) } catch (error) { return failed(error) }`, at once where there is nothing to await. */
export function chain<T, R>(
  work: () => MaybePromise<T>,
  done: (value: T) => MaybePromise<R>,
  failed: (error: unknown) => MaybePromise<R>,
): MaybePromise<R> {
  try {
    const value = work()
    if (value instanceof Promise) return value.then(done).catch(failed)
    const result = done(value)
    return result instanceof Promise ? result.catch(failed) : result
  } catch (error) {
    return failed(error)
  }
}
