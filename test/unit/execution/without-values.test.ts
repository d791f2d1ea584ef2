import t from 'tap'
import { withoutValues } from '../../../src/execution/without-values.ts'

const CASES: [what: string, message: string, value: unknown, shown: string | undefined][] = [
  ['a text', 'must be a UUID (was "a private text")', { a: 'a private text' }, 'must be a UUID (was "[value]")'],
  ['a text as JSON', 'was {"a":"say \\"no\\""}', { a: 'say "no"' }, 'was {"a":"[value]"}'],
  ['a text that was cut', 'was aaaaaaaaaaaaaaaaaaaabbb…', 'aaaaaaaaaaaaaaaaaaaabbbccc', 'was [value]…'],
  ['a number', 'must be below 100 (was 12345)', [12_345], 'must be below 100 (was [value])'],
  ['each time', 'not abc, abc', 'abc', 'not [value], [value]'],
  ['the longest first', 'was abc def', ['abc', 'abc def'], 'was [value]'],
  ['no part of a word', 'must be an integer', 'int', 'must be an integer'],
  ['nothing short', 'must be above 0, was -1', -1, 'must be above 0, was -1'],
  ['nothing of too much', 'was abc', Array(1001).fill('abc'), undefined],
]

for (const [what, message, value, shown] of CASES) {
  t.test(`messages of a library without values: ${what}`, async t => {
    t.strictSame(withoutValues([message], value), shown === undefined ? undefined : [shown])
  })
}
