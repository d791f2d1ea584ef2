// The parts of a test framework that the cases use. A test of tap has them; for node:test there is
// `createCheck`.
import { deepStrictEqual, equal, ok, rejects, strictEqual } from 'node:assert/strict'

export interface Check {
  equal(found: unknown, wanted: unknown, message?: string): unknown
  strictSame(found: unknown, wanted: unknown, message?: string): unknown
  /**
   * @param pattern members that it does not name may have any value; a RegExp is for text, `Number`
   *   for any number
   */
  match(found: unknown, pattern: object | boolean, message?: string): unknown
  ok(found: unknown, message?: string): unknown
  rejects(work: () => Promise<unknown>, pattern: object): unknown
  /** Runs `work` at the end of the case. */
  teardown(work: () => unknown): void
}

/** The end of a case: creating a store needs only this. */
export type Ending = Pick<Check, 'teardown'>

/** Where the cases of a suite are added. Each case runs with its own check. */
export interface Suite {
  test(name: string, work: (t: Check) => Promise<unknown>): unknown
}

export const createCheck = (teardown: Check['teardown']): Check => ({
  equal: strictEqual,
  strictSame: deepStrictEqual,
  match: (found, pattern, message) => ok(matches(found, pattern), message ?? describe(found, pattern)),
  ok,
  async rejects(work, pattern) {
    await rejects(work, error => {
      equal(matches(error, pattern), true, describe(error, pattern))
      return true
    })
  },
  teardown,
})

function matches(found: unknown, pattern: unknown): boolean {
  if (pattern === Number) return typeof found === 'number'
  if (pattern instanceof RegExp) return pattern.test(String(found))
  if (typeof pattern !== 'object' || pattern === null) return Object.is(found, pattern)
  if (typeof found !== 'object' || found === null) return false
  return Object.entries(pattern).every(([name, each]) => matches((found as Record<string, unknown>)[name], each))
}

const describe = (found: unknown, pattern: unknown) =>
  `${JSON.stringify(found)} does not match ${JSON.stringify(pattern, writePattern)}`

const writePattern = (_name: string, each: unknown) => {
  if (each === Number) return 'a number'
  return each instanceof RegExp ? String(each) : each
}
