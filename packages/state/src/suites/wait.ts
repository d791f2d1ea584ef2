// What a case waits for, and time for what must not happen.
import { setTimeout as sleep } from 'node:timers/promises'

const MOST_MS = 30_000
const SETTLED_MS = 100

/** Resolves as soon as it is so; rejects if it is not so within `mostMs`. */
export async function eventually(isSo: () => unknown, what: string | (() => string), mostMs = MOST_MS): Promise<void> {
  const endMs = performance.now() + mostMs
  while (!(await isSo())) {
    if (performance.now() > endMs)
      throw new Error(`not so within ${mostMs} ms: ${typeof what === 'string' ? what : what()}`)
    await sleep(10)
  }
}

/** Time enough for what must not happen. */
export const settled = (): Promise<void> => sleep(SETTLED_MS)

/** As it is when it comes back from a store that keeps JSON. */
export const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))
