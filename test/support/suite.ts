// The suites of stores (packages/state), as tests of tap.
import type { Test } from 'tap'
import type { Check, Suite } from '../../packages/state/src/suites/check.ts'

export const toSuite = (t: Pick<Test, 'test'>): Suite => ({
  test: (name, work) => t.test(name, t => work(t as unknown as Check)),
})
