// What a union says is wrong: the faults of the branch that is meant, if a property tells which it is.
import t from 'tap'
import { RandomJson } from '../../../test/support/random-json.ts'
import { compile, type Schema } from '../src/validator.ts'

const branch = (kind: unknown, more: object = {}, required = ['kind']) => ({
  type: 'object',
  properties: { kind, ...more },
  required,
})
const faultsOf = (schema: Schema, value: unknown) =>
  compile(schema)
    .issues(value)
    .map(({ path, expected }) => `${path} ${expected}`)

t.test('branches may have several values, references and unions of their own', async t => {
  const inner = { anyOf: [branch({ const: 1 }, { x: { type: 'string' } }), branch({ const: 2 }, {}, ['kind', 'y'])] }
  const schema = {
    type: 'object',
    oneOf: [
      branch({ enum: ['a', 'b'] }, { inner }),
      { $ref: '#/$defs/C' },
      { properties: { kind: { const: null } }, required: ['kind', 'z'] },
    ],
    $defs: { C: branch({ $ref: '#/$defs/c' }, { again: { $ref: '#' } }), c: { const: 'c' } },
  }

  t.strictSame(faultsOf(schema, { kind: 'b', inner: { kind: 2 } }), ['inner.y is required'])
  t.strictSame(faultsOf(schema, { kind: 'c', again: { kind: 'a', inner: { kind: 1, x: 1 } } }), [
    'again.inner.x must be string',
  ])
  t.strictSame(faultsOf(schema, { kind: null }), ['z is required'])
  t.strictSame(faultsOf(schema, { kind: 'd' }), ['kind must be one of "a", "b", "c", null'])
  t.strictSame(faultsOf(schema, 'text'), ['(root) must be object'])
})

t.test('a union that no property tells apart is told branch by branch', async t => {
  const [a, b] = [branch({ const: 'a' }), branch({ const: 'b' })]
  const unions = [
    [a, a],
    [a, { ...b, required: [] }],
    [a, { ...b, type: ['object', 'string'] }],
    [a, branch({ type: 'string' })],
  ]

  for (const anyOf of unions) t.match(faultsOf({ anyOf }, { kind: 1 }).at(-1), / anyOf$/)
  t.match(faultsOf({ oneOf: [a, a] }, { kind: 'a' }), ['(root) must match exactly one schema in oneOf'])
})

t.test('a value has faults if, and only if, it is invalid', async t => {
  const random = new RandomJson(7)
  const broken: unknown[] = []
  let valid = 0
  for (let round = 0; round < 120; round++) {
    const { $defs, ...more } = random.schema()
    const branches = ['a', 'b'].map(kind => ({ ...branch({ const: kind }, { a: more }), ...(round % 2 ? {} : more) }))
    const schema = { $defs, [round % 3 ? 'oneOf' : 'anyOf']: branches } as Schema
    const { isValid, issues } = compile(schema)
    for (const a of random.values(10))
      for (const value of [{ kind: 'a', a }, { kind: 'b', a }, { kind: 'c', a }, { a }, a]) {
        if (isValid(value)) valid++
        if (isValid(value) !== (issues(value).length === 0)) broken.push({ schema, value })
      }
  }

  t.strictSame(broken.slice(0, 3), [])
  t.ok(valid > 500, `${valid} are valid`)
})
