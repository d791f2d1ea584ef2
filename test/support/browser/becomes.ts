// Assertions on what a page comes to show. What a click brings about may take some frames, or an answer of the server.
import { isDeepStrictEqual } from 'node:util'
import type { Test } from 'tap'
import { eventually } from '../eventually.ts'

/**
 * Reads until the value is as wanted. If it never is, the assertion says what it is instead.
 *
 * @param wanted the value, or a pattern that its text matches
 */
export async function assertBecomes(
  t: Test,
  read: () => Promise<unknown>,
  wanted: unknown,
  what = 'it becomes so',
): Promise<void> {
  const isWanted = (value: unknown) =>
    wanted instanceof RegExp ? wanted.test(String(value)) : isDeepStrictEqual(value, wanted)
  let last: unknown
  const isSo = async () => {
    last = await read()
    return isWanted(last)
  }
  // The assertion fails with the value, which says more than the time that is up.
  await eventually(isSo, what).catch(() => {})
  if (wanted instanceof RegExp) t.match(last, wanted, what)
  else t.strictSame(last, wanted, what)
}
