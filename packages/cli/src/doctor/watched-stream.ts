// A stream that stays open while other checks run. It records what arrives, and whether somebody
// cuts it.
import { BrokenAnswer, type HttpAnswer, type Sending } from './http.ts'
import { isEventStream } from './messages.ts'

export type Head = Pick<HttpAnswer, 'status' | 'headers'>
export type StreamEnd = 'ended' | 'broken off' | 'not answered'

export class WatchedStream {
  readonly #closing = new AbortController()
  readonly #head = Promise.withResolvers<Head | undefined>()
  readonly #bytes = Promise.withResolvers<void>()
  #body = ''
  readonly #startMs = performance.now()
  /** Resolves when it has ended: how, and after how many ms. */
  readonly ended: Promise<{ how: StreamEnd; afterMs: number; body: string; error?: unknown }>

  /** @param open sends the request */
  constructor(open: (sending: Sending) => Promise<HttpAnswer>) {
    const until = (body: string) => {
      this.#body = body
      if (body.trim() !== '') this.#bytes.resolve()
      return false
    }
    const onHeaders = (head: Head) => this.#head.resolve(head)
    const timeoutMs = MAX_MS
    const answered = open({ until, onHeaders, timeoutMs, signal: this.#closing.signal })
    this.ended = answered.then(
      () => this.#end('ended'),
      error => ({ ...this.#end(error instanceof BrokenAnswer ? 'broken off' : 'not answered'), error }),
    )
  }

  #end(how: StreamEnd) {
    this.#head.resolve(undefined)
    return { how, afterMs: Math.round(performance.now() - this.#startMs), body: this.#body }
  }

  get ms(): number {
    return Math.round(performance.now() - this.#startMs)
  }

  /** @returns undefined if no headers arrived in time; throws an earlier error */
  async headWithin(ms: number): Promise<Head | undefined> {
    const head = await within(ms, this.#head.promise)
    const end = head === undefined ? await this.endWithin(0) : undefined
    if (end?.error !== undefined) throw end.error
    return head
  }

  /** @returns how many ms the first bytes took; undefined if none arrived in time */
  async bytesWithin(ms: number): Promise<number | undefined> {
    const isThere = await within(
      ms,
      this.#bytes.promise.then(() => true as const),
    )
    return isThere === true ? this.ms : undefined
  }

  endWithin(ms: number): Promise<Awaited<WatchedStream['ended']> | undefined> {
    return within(ms, this.ended)
  }

  close(): void {
    this.#closing.abort()
  }
}

/** Longer than the checks may take. */
const MAX_MS = 24 * 60 * 60 * 1000

export const isOpenStream = (head: Head): boolean => head.status === 200 && isEventStream(head)

async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>(resolve => {
    // After a standstill of this process, timers run before data that has arrived is read.
    timer = setTimeout(() => setImmediate(resolve, undefined), Math.max(0, ms))
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
