// Work that several calls share: it runs once, and is aborted when the last of them has left.

interface Work<T> {
  readonly result: Promise<T>
  readonly leaving: AbortController
  waiting: number
}

export interface Shared<T> {
  /** @param start its signal aborts when no call waits any more */
  join(key: string, signal: AbortSignal, start: (abandoned: AbortSignal) => Promise<T>): Promise<T>
}

/** Holds only work in progress, so its size is bounded by the calls. */
export function shared<T>(): Shared<T> {
  const all = new Map<string, Work<T>>()

  function begin(key: string, start: (abandoned: AbortSignal) => Promise<T>): Work<T> {
    const leaving = new AbortController()
    const work: Work<T> = { leaving, waiting: 0, result: start(leaving.signal).finally(() => end(key, work)) }
    all.set(key, work)
    return work
  }

  function end(key: string, work: Work<T>): void {
    if (all.get(key) === work) all.delete(key)
  }

  return {
    async join(key, signal, start) {
      signal.throwIfAborted()
      const work = all.get(key) ?? begin(key, start)
      work.waiting++
      const leave = () => {
        if (--work.waiting > 0) return
        // A later call starts anew, and does not fail with the aborted work.
        end(key, work)
        work.leaving.abort(signal.reason)
      }
      signal.addEventListener('abort', leave)
      try {
        return await work.result
      } finally {
        signal.removeEventListener('abort', leave)
      }
    },
  }
}
