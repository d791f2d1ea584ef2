// `$ref` and `$dynamicRef`: all that lies within the document is found, by whatever name; nothing else is looked for.
import t from 'tap'
import { Type } from '../../../src/index.ts'
import { compile, type Schema } from '../src/validator.ts'

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'

/** The valid of some values. */
const passing = (schema: Schema, values: readonly unknown[]) => values.filter(compile(schema).isValid)

t.test('$ref: bundled schemas are found by $id, in full, relative and as URN', async t => {
  const $defs = {
    a: { $id: 'https://example.com/schemas/name', type: 'string', minLength: 2 },
    b: { $id: 'urn:example:count', type: 'integer' },
    c: { $id: 'nested/', $defs: { d: { $id: 'deep', type: 'boolean' } } },
  }
  const schema = {
    $id: 'https://example.com/schemas/order',
    type: 'object',
    properties: { name: { $ref: 'name' }, count: { $ref: 'urn:example:count' }, deep: { $ref: 'nested/deep' } },
    $defs,
  }

  t.ok(compile(schema).isValid({ name: 'Ada', count: 1, deep: true }))
  t.same(passing(schema, [{ name: 'A' }, { count: 1.5 }, { deep: 'yes' }]), [])
  t.match(compile(schema).issues({ name: 'A' }), [
    { path: 'name', pointer: '/name', expected: 'must NOT have fewer than 2 characters' },
  ])
})

t.test('$ref: recursive and shared types of TypeBox are served', async t => {
  const Tree = Type.Recursive(Self => Type.Object({ name: Type.String(), children: Type.Array(Self) }), { $id: 'Tree' })
  const Id = Type.String({ $id: 'Id', pattern: '^x' })
  const schema = JSON.parse(JSON.stringify(Type.Object({ tree: Tree, from: Id, to: Id })))
  const leaf = { name: 'leaf', children: [] }

  t.ok(compile(schema).isValid({ tree: { name: 'root', children: [leaf] }, from: 'x1', to: 'x2' }))
  t.notOk(compile(schema).isValid({ tree: { name: 'root', children: [{ ...leaf, name: 7 }] }, from: 'x1', to: 'x2' }))
  t.notOk(compile(schema).isValid({ tree: leaf, from: 'x1', to: '2' }))
})

t.test('$ref: an argument may be a JSON Schema itself', async t => {
  for (const dialect of ['https://json-schema.org/draft/2020-12/schema', DRAFT_07]) {
    const schema = { $schema: dialect, type: 'object', properties: { schema: { $ref: dialect } } }
    t.ok(compile(schema).isValid({ schema: { type: 'string', properties: { a: { minLength: 1 } } } }), dialect)
    t.notOk(compile(schema).isValid({ schema: { properties: { a: { minLength: -1 } } } }), dialect)
  }
})

t.test('$ref: what leads out of the document, or to no schema, is refused with the place of it', async t => {
  const refs = [
    'https://example.com/x',
    'x.json',
    '//evil/x',
    'urn:x',
    '#/$defs/none',
    '#none',
    '#/$defs/list/enum',
    '#/a%',
  ]
  for (const $ref of refs) {
    const schema = {
      $id: 'https://example.com/root',
      properties: { a: { not: { $ref } } },
      $defs: { list: { enum: [{}] } },
    }
    t.throws(() => compile(schema as Schema), { name: 'SchemaError', message: /^#\/properties\/a\/not\/\$ref: / }, $ref)
  }
  t.throws(() => compile({ $defs: { unused: { $ref: 'https://example.com/x' } } }), { message: /is not local/ })
  t.throws(() => compile({ $defs: { a: { $id: 'x' }, b: { $id: 'x', type: 'null' } } }), { message: /two different/ })
})

t.test('$ref: a schema that is checked by checking itself is refused, since no check would end', async t => {
  const loops: Schema[] = [
    { $ref: '#' },
    { allOf: [{ anyOf: [{ not: { $ref: '#' } }] }] },
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { if: { $ref: '#/$defs/a' } } } },
    { dependentSchemas: { a: { $ref: '#' } } },
    { $dynamicAnchor: 'here', $dynamicRef: '#here' },
  ]
  for (const schema of loops)
    t.throws(() => compile(schema), { message: /leads back to itself/ }, JSON.stringify(schema))

  t.doesNotThrow(() => compile({ properties: { next: { $ref: '#' } } }))
})

t.test('$ref: beside it all counts in 2020-12, and nothing in draft-07', async t => {
  const schema = {
    properties: { a: { $ref: '#/definitions/text', maxLength: 3 } },
    definitions: { text: { type: 'string' } },
  }

  t.notOk(compile(schema).isValid({ a: 'long text' }))
  t.ok(compile({ $schema: DRAFT_07, ...schema }).isValid({ a: 'long text' }))
  t.notOk(compile({ $schema: DRAFT_07, ...schema }).isValid({ a: 7 }))
})

t.test('$dynamicRef means the outermost anchor on the way to it, in one document as in many', async t => {
  const list = {
    $id: 'list',
    type: 'array',
    items: { $dynamicRef: '#item' },
    $defs: { any: { $dynamicAnchor: 'item' } },
  }
  const listOf = (name: string, type: string): Schema => ({
    ...{ $id: name, $ref: 'list', $defs: { item: { $dynamicAnchor: 'item', type } } },
  })
  const schema = {
    properties: { numbers: { $ref: 'numbers' }, texts: { $ref: 'texts' }, any: { $ref: 'list' } },
    $defs: { list, numbers: listOf('numbers', 'number'), texts: listOf('texts', 'string') },
  }

  t.ok(compile(schema).isValid({ numbers: [1], texts: ['a'], any: [1, 'a'] }))
  t.same(passing(schema, [{ numbers: ['a'] }, { texts: [1] }]), [])
})

t.test('a schema within a schema may not change the dialect', async t => {
  t.throws(() => compile({ properties: { a: { $id: 'a', $schema: DRAFT_07 } } }), {
    message: /#\/properties\/a\/\$schema/,
  })
})

t.test('only what its dialect knows is a keyword', async t => {
  for (const more of [{ $async: true }, { id: 'x' }, { nullable: true }, { discriminator: { propertyName: 'a' } }]) {
    const schema = { type: 'string', ...more } as Schema
    t.same(passing(schema, ['a', null, 7]), ['a'], JSON.stringify(more))
  }
  t.same(passing({ $schema: DRAFT_07, prefixItems: [{ type: 'string' }], minContains: 3 }, [[7]]), [[7]])
})

t.test('references that would become too many schemas are refused', async t => {
  // Each of 14 schemas enters one of two resources, with an anchor of its own, on the way to the next: 2^14 ways.
  const $defs: Record<string, Schema> = {}
  for (let level = 0; level < 14; level++) {
    const next = level === 13 ? { $dynamicRef: `last#a0` } : { $ref: `level${level + 1}` }
    for (const side of ['left', 'right']) {
      const anchored = { anchor: { $dynamicAnchor: `a${level}`, type: side === 'left' ? 'string' : 'number' } }
      $defs[`${side}${level}`] = { $id: `${side}${level}`, properties: { x: next }, $defs: anchored }
    }
    $defs[`level${level}`] = { $id: `level${level}`, anyOf: [{ $ref: `left${level}` }, { $ref: `right${level}` }] }
  }
  $defs['last'] = { $id: 'last', $defs: { a: { $dynamicAnchor: 'a0' } } }

  t.throws(() => compile({ $ref: 'level0', $defs }), { name: 'SchemaError', message: /become more than 20000 schemas/ })
})

t.test('a property may be named __proto__, wherever properties are named', async t => {
  const value = (json: string) => JSON.parse(json)
  const schema = value('{"properties":{"__proto__":{"type":"string"}},"additionalProperties":false}')

  t.ok(compile(schema).isValid(value('{"__proto__":"a"}')))
  t.notOk(compile(schema).isValid(value('{"__proto__":7}')))
  t.notOk(compile(schema).isValid(value('{"other":7}')))
  t.notOk(compile(value('{"patternProperties":{"__proto__":{"type":"string"}}}')).isValid(value('{"__proto__":7}')))
  t.throws(() => compile(value('{"dependentRequired":{"__proto__":["a"]}}')), { message: /__proto__ is not supported/ })
})

t.test('an enum of nothing allows nothing', async t => {
  t.same(passing({ enum: [] }, [1, 'a', null]), [])
})
