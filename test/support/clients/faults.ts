// What clients take for faults in the course of a test: it ends with none.
import type { Test } from 'tap'

const byTest = new WeakMap<Test, Error[]>()

/** Called before the server is made: what is registered first runs last, and its throw would keep the server open. */
export function faultsOf(t: Test): Error[] {
  const known = byTest.get(t)
  if (known !== undefined) return known
  const faults: Error[] = []
  byTest.set(t, faults)
  // A throw fails the test: teardown comes too late for an assertion.
  t.teardown(() => {
    if (faults.length > 0) throw new AggregateError(faults, faults.map(String).join('; '))
  })
  return faults
}

/** `ext-tasks` gives a poll up when a question comes over the stream; the answer then finds nobody. */
export function dropAbandonedPolls(faults: Error[]): void {
  const kept = faults.filter(({ message }) => !message.startsWith('Received a response for an unknown message ID'))
  faults.splice(0, faults.length, ...kept)
}
