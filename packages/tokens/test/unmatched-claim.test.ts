// Which values match the patterns of claims.
import t from 'tap'
import { readClaimPatterns } from '../../../src/auth/claim-patterns.ts'
import { findUnmatchedClaim } from '../src/unmatched-claim.ts'

const matches = (payload: object, text: string) =>
  findUnmatchedClaim({ ...payload }, readClaimPatterns(text)) === undefined

t.test('B47: texts, numbers and booleans match as a whole, letter for letter', async t => {
  t.ok(matches({ a: 'acme' }, 'a=acme'))
  t.ok(matches({ a: 'labs' }, 'a=acme|labs'))
  t.ok(matches({ a: 7, b: true }, 'a=7,b=true'))
  t.ok(matches({ a: { b: 'c' } }, 'a.b=c'))
  for (const a of ['', 'ACME', 'acme ', ' acme', 'acmes', 'acm', null, undefined, {}, { acme: 1 }])
    t.notOk(matches({ a }, 'a=acme'), JSON.stringify(a))
})

t.test('* stands for any characters, and ? for one', async t => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ['refs/heads/*', 'refs/heads/main', true],
    ['refs/heads/*', 'refs/heads/', true],
    ['refs/heads/*', 'refs/heads/a/b', true],
    ['refs/heads/*', 'refs/tags/v1', false],
    ['repo:acme/*:ref:refs/heads/main', 'repo:acme/tools:ref:refs/heads/main', true],
    ['repo:acme/*:ref:refs/heads/main', 'repo:acme/tools:ref:refs/heads/main2', false],
    ['*.acme.example', 'a.acme.example', true],
    ['*.acme.example', 'evil-acme.example', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['a*b*c', 'a1b2b3c', true],
    ['a*b*c', 'acb', false],
    ['a.c', 'abc', false],
    ['[ab]', 'a', false],
  ]

  for (const [pattern, value, isMatch] of rows)
    t.equal(findUnmatchedClaim({ a: value }, { a: [pattern] }) === undefined, isMatch, `${pattern} ${value}`)
})

t.test('of a list, one value has to match; lists within lists and objects match nothing', async t => {
  t.ok(matches({ a: ['x', 'acme'] }, 'a=acme'))
  t.notOk(matches({ a: [] }, 'a=acme'))
  t.notOk(matches({ a: [['acme']] }, 'a=acme'))
  t.notOk(matches({ a: [{ a: 'acme' }] }, 'a=acme'))
})

t.test('B47: the claim that is missing is named, and inherited members are none', async t => {
  t.equal(findUnmatchedClaim({ a: 'x' }, { a: ['x'], b: ['y'] }), 'b')
  t.equal(findUnmatchedClaim({}, { constructor: ['x*'] } as never), 'constructor')
})

t.test('B47: a pattern of many stars is quick, and a value too long matches nothing', async t => {
  const pattern = `${'a*'.repeat(200)}b`

  t.notOk(findUnmatchedClaim({ a: 'a'.repeat(4096) }, { a: [pattern] }) === undefined)
  t.notOk(findUnmatchedClaim({ a: `x${'a'.repeat(4096)}` }, { a: ['x*'] }) === undefined)
})
