// `unevaluatedProperties` and `unevaluatedItems`, beyond the official suite: names, faults, and what they cost.
import t from 'tap'
import { compile, type Schema } from '../src/validator.ts'

const told = (schema: Schema, value: unknown) =>
  compile(schema)
    .issues(value)
    .map(({ path, expected }) => `${path} ${expected}`)

const shapes: Schema = {
  type: 'object',
  required: ['kind'],
  properties: { kind: { enum: ['circle', 'square'] } },
  if: { properties: { kind: { const: 'circle' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { radius: { type: 'number' } } },
  else: { properties: { side: { type: 'number' } } },
  unevaluatedProperties: false,
}

t.test('unevaluatedProperties: each kind has the properties of its branch, and no others', async t => {
  t.same(told(shapes, { kind: 'circle', radius: 1 }), [])
  t.same(told(shapes, { kind: 'circle', side: 1 }), ['side is not a known property'])
  t.same(told(shapes, { kind: 'square', side: 1, more: 1 }), ['more is not a known property'])
})

t.test('unevaluatedProperties: names that every object inherits are as unknown as others', async t => {
  const schema = { anyOf: [{ properties: { a: {} } }, { properties: { b: {} } }], unevaluatedProperties: false }
  for (const name of ['toString', 'constructor', 'hasOwnProperty', 'valueOf']) {
    t.same(told(schema, { a: 1, [name]: 1 }), [`${name} is not a known property`])
  }
  t.notOk(compile(schema).isValid(JSON.parse('{"__proto__":1}')))
})

t.test('unevaluatedProperties may say what the others are', async t => {
  const schema = { properties: { a: {} }, unevaluatedProperties: { type: 'string', maxLength: 2 } }

  t.same(told(schema, { a: 1, b: 'ok' }), [])
  t.same(told(schema, { a: 1, 'b/~': 7, c: 'long' }), ['b/~ must be string', 'c must NOT have more than 2 characters'])
})

t.test('unevaluatedItems: what contains matches is evaluated, what lies between is not', async t => {
  const schema = { prefixItems: [true], contains: { type: 'string' }, unevaluatedItems: false }

  t.same(told(schema, [1, 'a', 'b']), [])
  t.same(told(schema, [1, 'a', 2, 'b', 3]), ['2 is not a known item', '4 is not a known item'])
})

t.test('unevaluatedProperties: schemas within schemas, over a value of many levels, do not multiply', async t => {
  const next = { $ref: '#' }
  const branch = { anyOf: [{ properties: { next, a: {} } }, { properties: { next, b: {} } }] }
  const schema = { type: 'object', anyOf: [branch, { required: ['never'] }], unevaluatedProperties: false }
  const nest = (inner: object) => {
    let value: object = inner
    for (let level = 0; level < 60; level++) value = { next: value, a: 1 }
    return value
  }

  t.ok(compile(schema).isValid(nest({ a: 1 })))
  t.notOk(compile(schema).isValid(nest({ c: 1 })), 'here its branches do multiply, and the check ends')
})

t.test('unevaluatedProperties: a value that was changed is looked at anew', async t => {
  const validator = compile({ anyOf: [{ properties: { a: { type: 'string' } } }, {}], unevaluatedProperties: false })
  const value: Record<string, unknown> = { a: 'text' }

  t.ok(validator.isValid(value))
  value['a'] = 7
  t.notOk(validator.isValid(value))
})
