// Test helpers in programs that are no tests: what they start ends with the work.
import type { Test } from 'tap'

/** Runs work that uses test helpers, and then runs their teardowns. */
export async function scoped<T>(work: (t: Test) => Promise<T>): Promise<T> {
  const closers: (() => unknown)[] = []
  try {
    return await work({ teardown: (close: () => unknown) => void closers.unshift(close) } as unknown as Test)
  } finally {
    for (const close of closers) await close()
  }
}
