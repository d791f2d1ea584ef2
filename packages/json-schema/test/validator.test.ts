// Schemas in, checks out: dialects, references, bounds, and faults that name paths but never values.
import t from 'tap'
import { compile, type Schema } from '../src/validator.ts'

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'
const object = (properties: Schema, more: Schema = {}): Schema => ({ type: 'object', properties, ...more })

function faultsOf(schema: Schema, value: unknown, limit?: number) {
  const validator = compile(schema)
  if (validator.isValid(value)) return []
  return validator.issues(value, limit).map(({ path, expected }) => `${path} ${expected}`)
}

t.test('the examples of the specification: the default dialect and draft-07', async t => {
  const example = object({ name: { type: 'string' }, age: { type: 'integer', minimum: 0 } }, { required: ['name'] })

  for (const schema of [example, { $schema: DRAFT_07, ...example }]) {
    t.ok(compile(schema).isValid({ name: 'Ada', age: 36 }))
    t.same(faultsOf(schema, { age: -1 }), ['name is required', 'age must be >= 0'])
  }
})

t.test('an issue has its keyword and parameters, for programs', async t => {
  const schema = object(
    { n: { type: 'integer' }, kind: { anyOf: [{ const: 'a' }, { const: 'b' }] }, tags: { type: 'array', maxItems: 1 } },
    { required: ['id'], additionalProperties: false },
  )
  const rules = (value: unknown) =>
    compile(schema)
      .issues(value)
      .map(({ path, keyword, params }) => [path, keyword, params])

  t.same(rules({ n: 2 ** 53 }), [
    ['id', 'required', { missingProperty: 'id' }],
    ['n', 'type', { type: 'integer' }],
  ])
  t.same(rules({ id: 1, kind: 'c', tags: [1, 2] }), [
    ['id', 'additionalProperties', { additionalProperty: 'id' }],
    ['kind', 'enum', { allowedValues: ['a', 'b'] }],
    ['tags', 'maxItems', { limit: 1 }],
  ])
})

t.test('a dialect is validated by its own rules', async t => {
  const tuple = { items: [{ type: 'string' }], additionalItems: false }
  const newer = { prefixItems: [{ type: 'string' }], items: false }

  t.notOk(compile({ $schema: DRAFT_07, ...tuple }).isValid([7]))
  t.notOk(compile({ $schema: DRAFT_07, ...tuple }).isValid(['a', 'b']))
  t.throws(() => compile(tuple), { name: 'SchemaError', message: /items/ }, 'an array of items is none of 2020-12')
  t.notOk(compile(newer).isValid([7]))
  t.notOk(compile({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...newer }).isValid(['a', 'b']))
})

t.test('any other dialect is refused by name', async t => {
  const others = [
    'http://json-schema.org/draft-04/schema#',
    'https://json-schema.org/draft/2019-09/schema',
    '',
    7,
    null,
    {},
  ]

  for (const $schema of others)
    t.throws(() => compile({ $schema, type: 'object' } as Schema), {
      name: 'SchemaError',
      message: /\$schema: dialect .* is not/,
    })
})

t.test('references within the schema work, also to itself; others are refused', async t => {
  const tree: Schema = object(
    { children: { type: 'array', items: { $ref: '#' } }, leaf: { $ref: '#/$defs/leaf' } },
    { $defs: { leaf: { type: 'string', maxLength: 3 } } },
  )

  t.ok(compile(tree).isValid({ children: [{ children: [], leaf: 'abc' }] }))
  t.same(faultsOf(tree, { children: [{ leaf: 'abcd' }] }), ['children.0.leaf must NOT have more than 3 characters'])
  for (const $ref of [
    'http://localhost/x',
    'https://example.com/x#/a',
    'file:///etc/passwd',
    'x.json',
    '//evil/x',
    'urn:x',
  ])
    t.throws(() => compile(object({ a: { $ref } })), { message: /#\/properties\/a\/\$ref: .* is not local/ }, $ref)
  t.throws(() => compile(object({ a: { $ref: '#/$defs/none' } })), { name: 'SchemaError' })
})

t.test(
  'references within the schema also work by $id, $anchor and in draft-07, and never reach another schema',
  async t => {
    const list = (more: Schema): Schema => object({ value: { type: 'integer' }, next: { $ref: '#' } }, more)
    const anchored = object({ a: { $ref: '#leaf' } }, { $defs: { leaf: { $anchor: 'leaf', type: 'string' } } })

    for (const schema of [list({}), list({ $id: 'https://example.com/list' }), list({ $schema: DRAFT_07 })]) {
      t.ok(compile(schema).isValid({ value: 1, next: { value: 2 } }))
      t.same(faultsOf(schema, { next: { next: { value: 'x' } } }), ['next.next.value must be integer'])
    }
    t.same(faultsOf(anchored, { a: 1 }), ['a must be string'])
    t.throws(() => compile(object({ a: { $ref: '#leaf' } })), { name: 'SchemaError' })
  },
)

t.test('what is data in a schema is not read as a schema', async t => {
  const data = { $ref: 'http://example.com', pattern: '(a+)+$', uniqueItems: true }
  const schema = object({ a: { const: data }, b: { enum: [data] }, c: { default: data, examples: [data] } })

  t.ok(compile(schema).isValid({ a: data, b: data }))
  const named = object({
    $ref: { type: 'string' },
    pattern: { type: 'string' },
    default: { type: 'string' },
    const: {},
  })
  t.same(faultsOf(named, { default: 1 }), ['default must be string'])
  t.throws(() => compile(object({ default: { $ref: 'http://example.com' } })), { message: /not local/ })
})

t.test('a schema that is none is refused with what is wrong', async t => {
  const wrong: Schema[] = [{ type: 'strin' }, { minimum: '1' }, { required: 'a' }, { properties: [] }, { enum: 7 }]

  for (const schema of wrong)
    t.throws(() => compile(schema), { name: 'SchemaError', message: new RegExp(Object.keys(schema)[0]!) })
})

t.test('nothing is coerced, filled in or dropped', async t => {
  const schema = object(
    { n: { type: 'integer' }, s: { type: 'string' }, d: { default: 1 } },
    { additionalProperties: true },
  )
  const value = { n: 1, s: 'a', extra: true }

  t.ok(compile(schema).isValid(value))
  t.strictSame(value, { n: 1, s: 'a', extra: true })
  for (const wrong of [{ n: '1' }, { n: true }, { n: null }, { s: 1 }, { s: null }, { s: ['a'] }])
    t.notOk(compile(schema).isValid(wrong), JSON.stringify(wrong))
})

t.test('an integer is what the client wrote: neither -0 nor rounded, in every way of saying integer', async t => {
  const schemas: Schema[] = [
    { type: 'integer' },
    { type: ['integer', 'null'] },
    { anyOf: [{ type: 'integer' }, { type: 'string' }] },
    { $ref: '#/$defs/n', $defs: { n: { type: 'integer' } } },
    { $schema: DRAFT_07, type: 'integer' },
  ]

  for (const schema of schemas) {
    t.ok([0, -1, 2 ** 53 - 1, -(2 ** 53) + 1].every(compile(schema).isValid))
    t.notOk([-0, 2 ** 53, -(2 ** 53), 1e300, 1.5, Number.POSITIVE_INFINITY].some(compile(schema).isValid))
  }
  t.same(faultsOf({ type: 'integer' }, 2 ** 53), ['(root) must be an integer between -(2^53-1) and 2^53-1'])
  t.ok(compile({ type: 'number' }).isValid(2 ** 53))
  t.ok(compile({ type: ['integer', 'number'] }).isValid(2 ** 53))
  t.notOk(compile({ type: 'number' }).isValid(Number.POSITIVE_INFINITY))
})

t.test('only own properties count', async t => {
  t.same(faultsOf(object({}, { required: ['toString'] }), {}), ['toString is required'])
  t.ok(compile(object({ constructor: { type: 'string' } })).isValid({}))
})

t.test('faults are named by path and expectation, never by value', async t => {
  const schema = object({
    list: {
      type: 'array',
      items: object({ 'a/b~c': { enum: ['x', 'y'] }, k: { const: 7 } }, { additionalProperties: false }),
    },
    when: { type: 'string', format: 'date' },
  })
  const value = { list: [{}, { 'a/b~c': 'hush', k: 'hush', other: 'hush' }], when: 'hush' }

  const faults = faultsOf(schema, value)

  t.same(faults.sort(), [
    'list.1.a/b~c must be one of "x", "y"',
    'list.1.k must be 7',
    'list.1.other is not a known property',
    'when must match format "date"',
  ])
})

t.test('an empty list contains nothing, also if the first items have schemas', async t => {
  const [contains, first] = [{ const: 1 }, [{ type: 'number' }]]
  const draft07 = { $schema: 'http://json-schema.org/draft-07/schema#', contains, items: first }

  for (const schema of [{ contains, prefixItems: first }, draft07, { contains, prefixItems: first, maxContains: 1 }]) {
    t.notOk(compile(schema).isValid([]))
    t.ok(compile(schema).isValid([1]))
  }
  t.ok(compile({ contains, prefixItems: first, minContains: 0 }).isValid([]))
})

t.test('a property with a wrong name is named', async t => {
  const $defs = { Name: { enum: ['a', 'b'] }, Node: object({}, { propertyNames: { $ref: '#/$defs/Name' } }) }
  const ofNames = (propertyNames: object | boolean) => object({ r: object({}, { propertyNames }) }, { $defs })
  const told = (expected: string) => [`r.c is not a known property${expected}`]

  for (const names of [{ enum: ['a', 'b'] }, { anyOf: [{ const: 'a' }, { const: 'b' }] }, { $ref: '#/$defs/Name' }])
    t.strictSame(faultsOf(ofNames(names), { r: { a: 1, c: 3 } }), told(': a name must be one of "a", "b"'))
  t.strictSame(faultsOf(ofNames({ pattern: '^a' }), { r: { c: 3 } }), told(': a name must match pattern "^a"'))
  t.strictSame(faultsOf(ofNames(false), { r: { c: 3 } }), told(''))
  t.strictSame(faultsOf(object({ c: false }), { c: 3 }), ['c is not allowed'])
})

t.test('a union of literals is told as the enum that it is', async t => {
  const union = { anyOf: [{ const: 'a', type: 'string' }, { const: 'b', type: 'string' }, { type: 'null' }] }

  t.strictSame(faultsOf(union, 7), ['(root) must be one of "a", "b", null'])
  t.strictSame(faultsOf({ oneOf: [{ const: 1 }, { const: 2 }] }, 'x'), ['(root) must be one of 1, 2'])
  t.strictSame(faultsOf({ type: 'array', items: union }, ['z', 'a', 7]), [
    '0 must be one of "a", "b", null',
    '2 must be one of "a", "b", null',
  ])
})

t.test('a union of other things is told branch by branch', async t => {
  const open = { anyOf: [{ const: 'a' }, { type: 'number' }] }
  const nested = { anyOf: [{ const: 'a' }, object({ k: { const: 7 } })] }

  t.strictSame(faultsOf(open, 'x'), [
    '(root) must be "a"',
    '(root) must be number',
    '(root) must match a schema in anyOf',
  ])
  t.strictSame(faultsOf(nested, { k: 1 }), ['(root) must be "a"', 'k must be 7', '(root) must match a schema in anyOf'])
})

t.test('a long enum is named by its first twenty', async t => {
  const [fault] = faultsOf({ enum: Array.from({ length: 30 }, (_, index) => index) }, 'x')

  t.match(fault, /^\(root\) must be one of 0, .*19, …$/)
})

t.test('faults are as many as asked for; of a large value only the first is looked for', async t => {
  const schema = { type: 'array', items: { type: 'string' } }

  t.equal(faultsOf(schema, Array(500).fill(0)).length, 10)
  t.equal(faultsOf(schema, Array(500).fill(0), 3).length, 3)
  t.equal(faultsOf(schema, Array(5000).fill(0)).length, 1)
})

t.test('one $id may be compiled again and again, as when a folder reloads', async t => {
  t.throws(() => compile({ $id: 'https://example.com/same', $ref: '#/$defs/none' }), { name: 'SchemaError' })
  for (const type of ['string', 'number']) {
    const validator = compile({ $id: 'https://example.com/same', type })
    t.equal(validator.isValid('x'), type === 'string')
    t.same(validator.issues(null).length, 1)
  }
})

t.test('the schema of the author is not touched', async t => {
  const schema = object({ n: { type: 'integer' } })

  compile(schema).issues({ n: 'x' })

  t.strictSame(schema, object({ n: { type: 'integer' } }))
  t.doesNotThrow(() => compile(Object.freeze({ type: 'integer' })))
})
