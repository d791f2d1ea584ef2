// Schemas with identifiers become one document of pointers, and mean the same: by the official suite,
// by random documents, and as the form of the console reads them.
import { Type as Type034 } from '@sinclair/typebox'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import t from 'tap'
import { Type as Type1 } from 'typebox'
import { DIALECTS, readGroups, skip } from '../../../test/support/schema-suite.ts'
import { findDialect } from '../src/dialect.ts'
import { findSubschemas, isNode, type Node } from '../src/keywords.ts'
import { toLocalReferences } from '../src/local-references.ts'
import { compile, type Schema } from '../src/validator.ts'

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'
const copy = (schema: object): Schema => JSON.parse(JSON.stringify(schema))
const localise = (schema: object) => toLocalReferences(copy(schema))

/** As clients compile it. */
function compileAsClients(schema: Schema): (value: unknown) => boolean {
  const Engine = schema['$schema'] === DRAFT_07 ? Ajv : Ajv2020
  const ajv = new Engine({ strict: false, logger: false })
  formats.default(ajv)
  return ajv.compile(schema)
}

const LOCAL = /^#$|^#\//
const IDENTIFIERS = ['$id', '$anchor', '$dynamicAnchor', '$dynamicRef']

/** Schemas with identifiers, or with references to anything but a place in the document. */
function findNamed(schema: unknown, dialect = findDialect(Object(schema)['$schema'])!): Node[] {
  if (!isNode(schema)) return []
  const { $ref } = schema
  const isNamed = IDENTIFIERS.some(name => name in schema) || (typeof $ref === 'string' && !LOCAL.test($ref))
  const below = findSubschemas(dialect, schema).flatMap(each => findNamed(each.schema, dialect))
  return isNamed ? [schema, ...below] : below
}

const tree = {
  $id: 'tree',
  $dynamicAnchor: 'node',
  type: 'object',
  properties: { data: true, children: { type: 'array', items: { $dynamicRef: '#node' } } },
}
const word = { $anchor: 'word', type: 'string' }

/** Schemas, and what they become. */
const SCHEMAS: Readonly<Record<string, [schema: object, becomes: object]>> = {
  'a reference to the root by its name is #': [
    { $id: 'https://a.example/list', properties: { a: { $ref: 'list' }, b: { $ref: '#' } } },
    { properties: { a: { $ref: '#' }, b: { $ref: '#' } } },
  ],
  'a name is the last part of an identifier': [
    {
      $id: 'https://a.example/schemas/order.json',
      properties: { a: { $ref: 'name.schema.json' }, b: { $ref: 'urn:example:count' } },
      $defs: {
        'a b': { $id: 'name.schema.json', type: 'string' },
        c: { items: { $id: 'urn:example:count', type: 'integer' } },
        unused: { $id: 'unused' },
      },
    },
    {
      properties: { a: { $ref: '#/$defs/a%20b' }, b: { $ref: '#/$defs/count' } },
      $defs: { 'a b': { type: 'string' }, count: { type: 'integer' } },
    },
  ],
  'an embedded schema is the base of its references': [
    {
      $id: 'https://a.example/',
      properties: {
        a: {
          $id: 'sub/',
          properties: { b: { $ref: 'deep#/$defs/a~1b%25' }, c: { $ref: '#/$defs/d' } },
          $defs: { deep: { $id: 'deep', $defs: { 'a/b%': { type: 'null' } } }, d: { type: 'boolean' } },
        },
      },
      $defs: { d: { type: 'string' } },
    },
    {
      properties: { a: { properties: { b: { $ref: '#/$defs/a_b' }, c: { $ref: '#/$defs/d-2' } } } },
      $defs: { a_b: { type: 'null' }, 'd-2': { type: 'boolean' } },
    },
  ],
  'a part of a named schema is a definition, too': [
    {
      properties: { a: { $id: 'T', prefixItems: [true], items: word }, b: { $ref: 'T#/items' }, c: { $ref: 'T#word' } },
    },
    {
      properties: {
        a: { prefixItems: [true], items: { $ref: '#/$defs/word' } },
        b: { $ref: '#/$defs/word' },
        c: { $ref: '#/$defs/word' },
      },
      $defs: { word: { type: 'string' } },
    },
  ],
  'equal schemas of one name are one definition': [
    { properties: { a: word, b: word, c: { $ref: '#word' } } },
    {
      properties: { a: { $ref: '#/$defs/word' }, b: { $ref: '#/$defs/word' }, c: { $ref: '#/$defs/word' } },
      $defs: { word: { type: 'string' } },
    },
  ],
  'a named schema to which nothing refers stays': [
    { properties: { a: { $id: 'Cat', type: 'string' } } },
    { properties: { a: { type: 'string' } } },
  ],
  'what only looks like an identifier or a reference stays': [
    {
      $id: 'x',
      properties: {
        $id: { const: { $ref: '#a', $id: 'b' } },
        $ref: { enum: [{ $anchor: 'c' }], default: { $ref: 'd' } },
      },
      'x-note': { $ref: 'e' },
      examples: [{ $dynamicRef: '#f' }],
    },
    {
      properties: {
        $id: { const: { $ref: '#a', $id: 'b' } },
        $ref: { enum: [{ $anchor: 'c' }], default: { $ref: 'd' } },
      },
      'x-note': { $ref: 'e' },
      examples: [{ $dynamicRef: '#f' }],
    },
  ],
  'a boolean has no definition': [
    {
      $id: 'x',
      properties: { a: { $ref: '#/$defs/t' }, b: { $ref: '#/$defs/f', not: {} }, c: { $anchor: 'c' } },
      $defs: { t: true, f: false },
    },
    { properties: { a: {}, b: { not: {}, allOf: [{ not: {} }] }, c: {} } },
  ],
  'names of prototypes are no names': [
    { items: { $ref: '__proto__' }, contains: { $id: '__proto__', title: 'A thing', type: 'null' } },
    {
      items: { $ref: '#/$defs/proto' },
      contains: { $ref: '#/$defs/proto', title: 'A thing' },
      $defs: { proto: { title: 'A thing', type: 'null' } },
    },
  ],
  'with one identifier, at its root, all else stays as it is written': [
    {
      $id: 'https://a.example/order.schema.json',
      type: 'object',
      properties: {
        a: { title: 'A', type: 'string' },
        b: { $ref: '#/properties/a' },
        c: { items: { $ref: 'order.schema.json' }, contains: { $ref: 'order.schema.json#/$defs/a%25' } },
      },
      definitions: { unused: { type: 'null' } },
      $defs: { 'a%': { type: 'integer' }, '': true },
    },
    {
      type: 'object',
      properties: {
        a: { title: 'A', type: 'string' },
        b: { $ref: '#/properties/a' },
        c: { items: { $ref: '#' }, contains: { $ref: '#/$defs/a%25' } },
      },
      definitions: { unused: { type: 'null' } },
      $defs: { 'a%': { type: 'integer' }, '': true },
    },
  ],
  'what pointers lead to stays where it is, unless the schema around it moves': [
    {
      properties: {
        'a b': { type: 'string' },
        c: { $ref: '#/properties/a%20b' },
        d: { $anchor: 'd', properties: { e: { type: 'integer' } } },
        f: { $ref: '#d' },
        g: { $ref: '#/properties/d/properties/e' },
      },
      allOf: [{ properties: { h: { type: 'null' } } }],
      $defs: { i: { $ref: '#/allOf/0/properties/h' }, j: { $ref: '#/$defs/i' } },
      not: { $ref: '#/$defs/j' },
    },
    {
      properties: {
        'a b': { type: 'string' },
        c: { $ref: '#/properties/a%20b' },
        d: { $ref: '#/$defs/d' },
        f: { $ref: '#/$defs/d' },
        g: { $ref: '#/$defs/e' },
      },
      allOf: [{ properties: { h: { type: 'null' } } }],
      not: { $ref: '#/$defs/j' },
      $defs: {
        d: { properties: { e: { $ref: '#/$defs/e' } } },
        e: { type: 'integer' },
        j: { $ref: '#/$defs/i' },
        i: { $ref: '#/allOf/0/properties/h' },
      },
    },
  ],
  'a schema in a keyword of OpenAPI has its name there': [
    {
      $id: 'https://a.example/api',
      properties: { a: { $ref: '#/components/schemas/Pet' } },
      components: { schemas: { Pet: { items: { $ref: 'api#/components/schemas/Pet' } } } },
    },
    {
      properties: { a: { $ref: '#/$defs/Pet' } },
      components: { schemas: { Pet: { items: { $ref: 'api#/components/schemas/Pet' } } } },
      $defs: { Pet: { items: { $ref: '#/$defs/Pet' } } },
    },
  ],
  'what counts only in its place stays there': [
    {
      properties: {
        a: { $anchor: 'a', type: 'string', 'x-mcp-header': 'A' },
        b: { $ref: '#a' },
        c: {
          $id: 'c',
          properties: { d: { type: 'string', 'x-mcp-header': 'D' }, e: { $ref: 'c' }, f: { $ref: '#/properties/d' } },
        },
      },
    },
    {
      properties: {
        a: { type: 'string', 'x-mcp-header': 'A' },
        b: { $ref: '#/properties/a' },
        c: {
          properties: {
            d: { type: 'string', 'x-mcp-header': 'D' },
            e: { $ref: '#/properties/c' },
            f: { $ref: '#/properties/c/properties/d' },
          },
        },
      },
    },
  ],
  'a reference keeps what the schema says of its place': [
    { properties: { a: { $anchor: 'a', description: 'An a', default: 1, type: 'integer' }, b: { $ref: '#a' } } },
    {
      properties: { a: { $ref: '#/$defs/a', description: 'An a', default: 1 }, b: { $ref: '#/$defs/a' } },
      $defs: { a: { description: 'An a', default: 1, type: 'integer' } },
    },
  ],
  'the outermost dynamic anchor is the one': [
    { $id: 'strict', $dynamicAnchor: 'node', $ref: 'tree', unevaluatedProperties: false, $defs: { tree } },
    {
      $ref: '#/$defs/tree',
      unevaluatedProperties: false,
      $defs: {
        tree: { type: 'object', properties: { data: true, children: { type: 'array', items: { $ref: '#' } } } },
      },
    },
  ],
  'a schema with two dynamic scopes is two definitions': [
    {
      properties: { a: { $ref: 'tree' }, b: { $ref: 'strict' } },
      $defs: { tree, strict: { $id: 'strict', $dynamicAnchor: 'node', $ref: 'tree', unevaluatedProperties: false } },
    },
    {
      properties: { a: { $ref: '#/$defs/tree' }, b: { $ref: '#/$defs/strict' } },
      $defs: {
        tree: {
          type: 'object',
          properties: { data: true, children: { type: 'array', items: { $ref: '#/$defs/tree' } } },
        },
        strict: { $ref: '#/$defs/tree-2', unevaluatedProperties: false },
        'tree-2': {
          type: 'object',
          properties: { data: true, children: { type: 'array', items: { $ref: '#/$defs/strict' } } },
        },
      },
    },
  ],
  'draft-07 has definitions, anchors by $id, and nothing beside a reference': [
    {
      $schema: DRAFT_07,
      properties: { a: { $ref: '#b', description: 'note', type: 'null' } },
      definitions: { B: { $id: '#b', items: [{ $ref: '#' }] } },
    },
    {
      $schema: DRAFT_07,
      properties: { a: { $ref: '#/definitions/B', description: 'note' } },
      definitions: { B: { items: [{ $ref: '#' }] } },
    },
  ],
}

for (const [name, [schema, becomes]] of Object.entries(SCHEMAS))
  t.test(name, async t => {
    t.strictSame(localise(schema), becomes)
    t.equal(toLocalReferences(becomes as Schema), becomes, 'and stays so')
  })

const recursive034 = () => Type034.Recursive(self => Type034.Object({ a: Type034.Array(self) }))

t.test('recursive types of TypeBox have the same names each time they are made', async t => {
  const make = () => {
    const node = recursive034()
    return localise(Type034.Object({ one: node, other: node, third: recursive034() }))
  }
  const [first, again] = [make(), make()]

  t.equal(JSON.stringify(first), JSON.stringify(again))
  t.strictSame(Object.keys(Object(first['$defs'])), ['one', 'third'])
  t.strictSame(localise(recursive034()), {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'array', items: { $ref: '#' } } },
  })
})

t.test('modules and cyclic types of TypeBox become definitions', async t => {
  const module = Type034.Module({
    Node: Type034.Object({ next: Type034.Optional(Type034.Ref('Node')) }),
    Nodes: Type034.Array(Type034.Ref('Node')),
  })
  const cyclic = Type1.Cyclic({ Node: Type1.Object({ next: Type1.Optional(Type1.Ref('Node')) }) }, 'Node')
  const node = { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } }

  t.strictSame(localise(Type034.Object({ a: module.Import('Nodes') })), {
    type: 'object',
    required: ['a'],
    properties: { a: { $ref: '#/$defs/Nodes' } },
    $defs: { Nodes: { type: 'array', items: { $ref: '#/$defs/Node' } }, Node: node },
  })
  t.strictSame(localise(Type1.Object({ a: cyclic })).$defs, { Node: node })
})

t.test('a schema without identifiers stays, as does a broken one, which is refused later', async t => {
  for (const schema of [
    { type: 'object', properties: { $id: { type: 'string' } }, $defs: { a: { $ref: '#/properties/%24id' } } },
    { properties: { a: { $id: 'a' }, b: { $ref: 'c' } } },
    { $schema: 'https://json-schema.org/draft/2019-09/schema', $id: 'x' },
  ])
    t.equal(toLocalReferences(schema), schema)
})

const deep = (depth: number) => JSON.parse(`${'{"not":'.repeat(depth)}{"$id":"x"}${'}'.repeat(depth)}`)
const many = (count: number, make: (index: number) => [string, object]) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => make(index)))

t.test('hostile schemas neither throw nor take long', async t => {
  const anchors = many(9000, index => [`k${index}`, { items: { $anchor: `n${index}`, title: 'Same' } }])
  for (const schema of [
    deep(50_000),
    { $defs: anchors, anyOf: Object.keys(anchors).map((_, index) => ({ $ref: `#n${index}` })) },
    { $id: `https://a.example/${'a'.repeat(200_000)}`, anyOf: Array(2000).fill({ $ref: '#a' }), not: { $anchor: 'a' } },
    { $id: `urn:${'a:'.repeat(100_000)}`, items: { $anchor: 'a' }, contains: { $ref: '#a' } },
    { items: { $id: `urn:${'?a'.repeat(100_000)}:` }, contains: { $ref: `urn:${'?a'.repeat(100_000)}:` } },
  ])
    t.doesNotThrow(() => toLocalReferences(schema))
})

for (const [folder, dialect] of Object.entries(DIALECTS)) {
  t.test(`${folder}: every schema of the official suite means the same afterwards`, { skip }, async t => {
    let count = 0
    for (const { file, description, schema, tests } of readGroups(folder)) {
      if (typeof schema === 'boolean') continue
      const whole = { $schema: dialect, ...schema }
      const before = compileIfServed(whole)
      const local = toLocalReferences(whole)
      if (before === undefined || local === whole) continue
      count++
      const named = findNamed(local).filter(({ $ref }) => !String($ref).includes('json-schema.org'))
      t.strictSame(named, [], `${file}: ${description}`)
      const checks = [compile(local).isValid, compileAsClients(local)]
      for (const { data, description: each } of tests) {
        const isValid = before.isValid(data)
        t.ok(
          checks.every(check => check(data) === isValid),
          `${file}: ${description}: ${each}`,
        )
      }
    }
    t.ok(count > 15, `${count} schemas with identifiers`)
  })
}

function compileIfServed(schema: Schema) {
  try {
    return compile(schema)
  } catch {
    return undefined
  }
}

const NAMES = ['a', 'b', 'c']
/** Each resource has `$defs.in` with the anchor `w`, and an anchor `d`, which may be dynamic. */
const reference = fc.constantFrom(
  ...NAMES.flatMap(name => [`urn:x:${name}`, `urn:x:${name}#w`, `urn:x:${name}#d`, `urn:x:${name}#/$defs/in`]),
  ...['#', '#w', '#d', '#/$defs/in', '#/properties/a'],
)
const dynamicReference = fc.constantFrom('#d', '#d', '#w', 'urn:x:a#d')
const { schema: schemaArbitrary } = fc.letrec<{ schema: object | boolean }>(tie => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(true, false, {}),
    fc.record({ type: fc.constantFrom('object', 'array', 'string', ['number', 'null']) }),
    fc.record({ $ref: reference }),
    fc.record({ $dynamicRef: dynamicReference }),
    fc.record({ properties: fc.dictionary(fc.constantFrom(...NAMES, '$id'), tie('schema'), { maxKeys: 2 }) }),
    fc.record({ items: tie('schema'), anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ not: tie('schema') }),
    fc.record(
      { $ref: reference, $dynamicRef: dynamicReference, unevaluatedProperties: fc.constant(false), not: tie('schema') },
      { requiredKeys: ['$ref'] },
    ),
  ),
}))
const members = fc.record({ a: schemaArbitrary, b: schemaArbitrary, c: schemaArbitrary }, { requiredKeys: ['a'] })

/** A schema with both anchors, and others within. */
const toResource = ($id: string, inner: object = {}) =>
  fc
    .record({
      type: fc.constantFrom('object', 'array', ['object', 'array', 'string']),
      properties: members,
      items: schemaArbitrary,
      d: fc.constantFrom('root', 'in', 'plain'),
    })
    .map(({ d, ...node }) => ({
      ...($id !== '' && { $id }),
      ...(d === 'root' && { $dynamicAnchor: 'd' }),
      ...(d === 'plain' && { $anchor: 'd' }),
      ...node,
      $defs: { in: { $anchor: 'w', ...(d === 'in' && { $dynamicAnchor: 'd' }), type: 'object' }, ...inner },
    }))

const document = fc
  .tuple(...NAMES.map(name => toResource(`urn:x:${name}`)))
  .chain(([a, b, c]) =>
    fc.oneof(toResource('', { a, b, c }), toResource('urn:x:root', { a: { ...a, contains: b }, c })),
  )
const { value: valueArbitrary } = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('x', 1, null),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom(...NAMES, '$id'), tie('value'), { maxKeys: 3 }),
  ),
}))

t.test('random documents mean the same afterwards, and have no identifiers', async t => {
  let count = 0
  const property = fc.property(document, fc.array(valueArbitrary, { minLength: 8, maxLength: 8 }), (schema, values) => {
    const plain = copy(schema)
    const before = compileIfServed(plain)
    const local = toLocalReferences(plain)
    if (before === undefined || local === plain) return
    count++
    const after = compile(local)
    // Of `unevaluated…`, Ajv alone makes code that fails.
    const asClients = JSON.stringify(local).includes('unevaluated') ? after.isValid : compileAsClients(local)
    for (const value of values.flatMap(each => [each, { a: each }, { b: each, c: each }])) {
      if (after.isValid(value) !== before.isValid(value)) throw new Error(`${JSON.stringify(value)} differs`)
      if (asClients(value) !== before.isValid(value)) throw new Error(`${JSON.stringify(value)} differs for clients`)
    }
    if (findNamed(local).length > 0) throw new Error('it has identifiers')
  })

  fc.assert(property, { numRuns: 200 })
  t.ok(count > 50, `${count} documents with identifiers`)
})

t.test('an anchor that nothing refers to stays, as the official suite has it', async t => {
  const schema = {
    properties: { address: { $ref: '#/$defs/address' } },
    $defs: { address: { $anchor: 'addressDef', type: 'object' } },
  }

  t.equal(toLocalReferences(schema), schema)
})
