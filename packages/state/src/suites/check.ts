// What a case of the suites needs of a test framework. A test of tap has it; for node:test there is
// `createCheck`.
import { deepStrictEqual, equal, ok, rejects, strictEqual } from 'node:assert/strict'

export interface Check {
  equal(found: unknown, wanted: unknown, message?: string): unknown
  strictSame(found: unknown, wanted: unknown, message?: string): unknown
  /** @param pattern what is not named in it may be anything; a RegExp is for text, and `Number` for any number */
  match(found: unknown, pattern: object | boolean, message?: string): unknown
  ok(found: unknown, message?: string): unknown
  rejects(work: () => Promise<unknown>, pattern: object): unknown
  /** Runs `work` at the end of the case. */
  teardown(work: () => unknown): void
}

/** What ends with a case: the making of a store needs no more of it. */
export type Ending = Pick<Check, 'teardown'>

/** Where the cases of a suite go: each is run with a check of its own. */
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
