// Stores may take their time: what a contract promises is waited for, and what it rules out gets time to happen.
import { setTimeout as sleep } from 'node:timers/promises'

const MOST_MS = 30_000
const SETTLED_MS = 100

/** Resolves as soon as it is so; rejects when it is not so within 30 s. */
export async function eventually(isSo: () => unknown, what: string): Promise<void> {
  const endMs = performance.now() + MOST_MS
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`not so within ${MOST_MS} ms: ${what}`)
    await sleep(10)
  }
}

/** Time enough for what must not happen. */
export const settled = (): Promise<void> => sleep(SETTLED_MS)

/** As it is when it comes back from a store that keeps JSON. */
export const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))
