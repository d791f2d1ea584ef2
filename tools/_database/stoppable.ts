/** Waits no longer than the signal allows; what is waited for goes on, and is for the caller to stop. */
export async function stoppable<T>(query: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return query
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop)
  try {
    return await Promise.race([query, promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
