// Waits for something that a case expects, or long enough for something that must not happen.
import { setTimeout as sleep } from 'node:timers/promises'

const MOST_MS = 30_000
const SETTLED_MS = 100

/** Resolves as soon as the condition holds; rejects if it does not hold within `mostMs`. */
export async function eventually(isSo: () => unknown, what: string | (() => string), mostMs = MOST_MS): Promise<void> {
  const endMs = performance.now() + mostMs
  while (!(await isSo())) {
    if (performance.now() > endMs)
      throw new Error(`not so within ${mostMs} ms: ${typeof what === 'string' ? what : what()}`)
    await sleep(10)
  }
}

/** Waits long enough for something that must not happen. */
export const settled = (): Promise<void> => sleep(SETTLED_MS)

/** The value as a store returns it that keeps JSON. */
export const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))
