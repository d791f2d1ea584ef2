// A clock that a test moves on, in place of waiting: that of sessions, tasks, streams and slow calls in memory.
import { mock } from 'node:test'
import type { Test } from 'tap'

/** `performance.now`, ahead of itself by as much as the test says; right again when it ends. */
export function movableClock(t: Test): { forward(ms: number): void } {
  const real = performance.now.bind(performance)
  let aheadMs = 0
  const { mock: replaced } = mock.method(performance, 'now', () => real() + aheadMs)
  t.teardown(() => replaced.restore())
  return { forward: ms => void (aheadMs += ms) }
}
