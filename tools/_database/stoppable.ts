/** Stops waiting when the signal aborts. The query continues; the caller has to stop it. */
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
