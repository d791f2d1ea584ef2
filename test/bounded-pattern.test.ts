import t from 'tap'
import { boundedPattern } from '../src/bounded-pattern.ts'
import { compile } from '../src/validator.ts'

t.test('a pattern with one unbounded quantifier takes any text', async t => {
  t.ok(boundedPattern('^a*$', 'u').test('a'.repeat(100_000)))
})

t.test('the more unbounded quantifiers, the shorter the text that may fit', async t => {
  t.ok(boundedPattern('^a*b*$', 'u').test('a'.repeat(4096)))
  t.notOk(boundedPattern('^a*b*$', 'u').test('a'.repeat(4097)))
  t.notOk(boundedPattern('^a+b{2,}c*$', 'u').test(`${'a'.repeat(1100)}bb`))
})

t.test('quantifiers in classes and behind a backslash are letters', async t => {
  t.ok(boundedPattern('^[*+]\\*\\+[a-z]+$', 'u').test(`+*+${'a'.repeat(10_000)}`))
})

t.test('a schema whose pattern would take quadratic time answers a long text at once', async t => {
  const validator = compile({ type: 'string', pattern: '^a*a*b$' })

  t.ok(validator.isValid('aab'))
  t.notOk(validator.isValid('a'.repeat(500_000)))
})
