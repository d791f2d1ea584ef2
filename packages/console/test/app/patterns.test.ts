// Regular expressions of a schema in the browser: a bound of the ways through them, and what a form leaves out.
import t from 'tap'
import { Judge } from '../../app/src/form/judge.ts'
import { boundPatterns, countPaths } from '../../app/src/form/patterns.ts'

t.test('the ways through a pattern are bounded from above', async t => {
  const ways: [string, number][] = [
    ['^abc$', 1],
    ['^[A-Z]{3}-\\d{4}$', 1],
    ['^a?$', 2],
    ['^a+$', 101],
    ['^a{2,5}$', 4],
    ['^a{98,}$', 3],
    ['^[^@]+@[^@]+$', 101 ** 2],
    ['^(?:red|green|blue)$', 101 * 3],
    ['a+', 101 ** 2],
    ['^(?<year>\\d{4})(?=-)[\\]a-z]\\p{L}\\u{61}$', 1],
  ]
  for (const [source, paths] of ways) t.equal(countPaths(source, 100), paths, source)
})

t.test('those that can backtrack for ever are above the bound', async t => {
  const hostile = [
    '^(a+)+$',
    '^(a|a)*$',
    '^(a?){50}$',
    `^${'a?'.repeat(40)}$`,
    '^(?:a|ab){40}$',
    '(x+x+)+y',
    '^(a{1,30}){1,30}$',
  ]
  for (const source of [...hostile, ')']) t.ok(countPaths(source, 100) > 1e7, source)
})

t.test('they are left out, with what depends on them', async t => {
  const bound = (schema: object) => boundPatterns(schema, { text: 100, key: 100 })
  const kept = { type: 'string', pattern: '^a+$' }
  t.strictSame(bound({ properties: { pattern: kept, b: { type: 'string', pattern: '^(a+)+$' } } }), {
    properties: { pattern: kept, b: { type: 'string' } },
  })
  const open = { patternProperties: { '^x-': {} }, additionalProperties: false }
  t.strictSame(bound(open), open)
  t.strictSame(bound({ ...open, patternProperties: { '^x-': {}, '^(a+)+$': {} } }), {
    patternProperties: { '^x-': {} },
  })
  t.strictSame(bound({ format: 'url' }), {})
})

t.test('a constant, a default and a member of such a name are no patterns', async t => {
  const kept = { properties: { pattern: { const: { pattern: '^(a+)+$' } }, default: { type: 'string' } } }
  t.strictSame(boundPatterns(kept, { text: 100, key: 100 }), kept)
})

t.test('a form is checked without them', async t => {
  const text = `${'a'.repeat(60)}!`
  const judge = new Judge({ properties: { s: { pattern: '^(a+)+$' }, sku: { pattern: '^[A-Z]+$' } } })
  t.strictSame(judge.findErrors({ s: text }), [])
  t.match(
    judge.findErrors({ s: text, sku: 'a' })?.map(({ keyword }) => keyword),
    ['properties', 'pattern'],
  )
  const keys = new Judge({ patternProperties: { '^(a+)+$': { type: 'number' } } })
  t.strictSame(keys.findErrors({ [text]: 'x' }), [])
  t.strictSame(new Judge({ format: 'url' }).findErrors(`http://${'a'.repeat(60)}!`), [])
})
