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
