// What concerns the same thing is done one after the other, so that a process is not in its own way.
import { McpError } from '../../protocol/errors.ts'
import { spreadRetry } from '../../retry.ts'

/** That may wait for one thing. */
const MAX_WAITING = 1000

interface Line {
  last: Promise<unknown>
  waiting: number
}

export class OneByOne {
  readonly #lines = new Map<string, Line>()

  /** @throws McpError BUSY (503) where too many wait for it */
  async do<T>(name: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(name) ?? { last: Promise.resolve(), waiting: 0 }
    if (line.waiting >= MAX_WAITING)
      throw new McpError('BUSY', 'too many change this at once; retry', { retryAfterS: spreadRetry(2) })
    this.#lines.set(name, line)
    line.waiting++
    const mine = line.last.then(work)
    line.last = mine.catch(() => {})
    try {
      return await mine
    } finally {
      if (--line.waiting === 0) this.#lines.delete(name)
    }
  }
}
