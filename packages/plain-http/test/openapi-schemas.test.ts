// Schemas of tools as components of a document: references lead to components of their own, and what
// a schema takes stays the same.
import t from 'tap'
import { toComponents } from '../src/openapi-schemas.ts'

const ref = (name: string) => ({ $ref: `#/components/schemas/a.input${name}` })
const place = (schema: object) => toComponents(schema as never, 'a.input')

t.test('each part that a reference leads to is a component; what only looks like a reference stays', async t => {
  const data = { const: { $ref: '#/nowhere' }, enum: [{ $ref: '#/x' }], default: { $ref: '#' } }

  t.strictSame(
    place({
      properties: { ref: { $ref: '#/$defs/x' }, data, items: { items: { $ref: '#' } } },
      dependentSchemas: { a: { $ref: '#/$defs/x' } },
      allOf: [{ not: { $ref: '#/$defs/x' } }],
      $defs: { x: { type: 'string' }, unused: {} },
      examples: [{ $ref: '#/x' }],
    }),
    {
      'a.input.x': { type: 'string' },
      'a.input': {
        properties: { ref: ref('.x'), data, items: { items: ref('') } },
        dependentSchemas: { a: ref('.x') },
        allOf: [{ not: ref('.x') }],
        examples: [{ $ref: '#/x' }],
      },
    },
  )
})

t.test('references lead to parts anywhere, also within keywords of the author, which go', async t => {
  const Pet = { properties: { friend: { $ref: '#/components/schemas/Pet' } }, example: { $ref: '#/x' } }

  t.strictSame(
    place({
      properties: { pet: { $ref: '#/components/schemas/Pet' }, 'b/c~d': {}, e: { $ref: '#/properties/b~1c~0d' } },
      components: { schemas: { Pet } },
      'x-note': { $ref: '#/x' },
      nullable: true,
    }),
    {
      'a.input.Pet': { properties: { friend: ref('.Pet') }, example: { $ref: '#/x' } },
      'a.input.b_1c_0d': {},
      'a.input': {
        properties: { pet: ref('.Pet'), 'b/c~d': ref('.b_1c_0d'), e: ref('.b_1c_0d') },
        'x-note': { $ref: '#/x' },
      },
    },
  )
})

t.test('no two parts have one name', async t => {
  const schema = {
    properties: { one: { $ref: '#/$defs/x' }, other: { $ref: '#/definitions/x' }, last: { $ref: '#/$defs/input' } },
    $defs: { x: { type: 'string' }, input: {} },
    definitions: { x: { type: 'number' } },
  }
  t.strictSame(Object.keys(place(schema)), ['a.input.x', 'a.input.input_', 'a.input.x_2', 'a.input'])
})

t.test('draft-07 becomes 2020-12, and references follow', async t => {
  t.strictSame(
    place({
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: { a: {}, b: { $ref: '#/items/1', type: 'string' } },
      items: [{ $ref: '#/definitions/a' }, { type: 'number' }],
      additionalItems: { $ref: '#/definitions/b' },
      dependencies: { one: ['two'], three: { required: ['four'] } },
      properties: { list: { items: { type: 'string' }, additionalItems: false } },
    }),
    {
      'a.input.a': {},
      'a.input.b': ref('.1'),
      'a.input.1': { type: 'number' },
      'a.input': {
        prefixItems: [ref('.a'), ref('.1')],
        items: ref('.b'),
        properties: { list: { items: { type: 'string' } } },
        dependentRequired: { one: ['two'] },
        dependentSchemas: { three: { required: ['four'], properties: { four: {} } } },
      },
    },
  )
})

t.test('anchors go, since two tools may have the same; a property of that name stays', async t => {
  const properties = { $anchor: { type: 'string' } }
  t.strictSame(place({ properties, $anchor: 'a' }), { 'a.input': { properties } })
})

t.test('a schema says the same in words that linters take', async t => {
  const closed = { required: ['a'], additionalProperties: false }
  const typed = { required: ['a'], additionalProperties: { type: 'string' } }
  const nested = { properties: { a: {} }, anyOf: [{ required: ['a'] }] }
  const data = { dependentRequired: { not: ['if'] }, const: { enum: [] } }
  const cases: readonly (readonly [schema: object, placed: object])[] = [
    [{ properties: { a: true, b: false } }, { properties: { a: {}, b: { not: {} } } }],
    [
      { not: true, allOf: [false] },
      { not: {}, allOf: [{ not: {} }] },
    ],
    [
      { additionalProperties: false, items: false },
      { additionalProperties: false, items: { not: {} } },
    ],
    [
      { type: 'array', enum: ['a', ['b']] },
      { type: 'array', items: {}, enum: [['b']] },
    ],
    [
      { type: ['integer', 'null'], enum: [1, 1.5, null, 'a'] },
      { type: ['integer', 'null'], enum: [1, null] },
    ],
    [
      { type: 'array', enum: ['a'] },
      { items: {}, not: {} },
    ],
    [{ required: ['a'] }, { required: ['a'], properties: { a: {} } }],
    [typed, { ...typed, properties: { a: { type: 'string' } } }],
    [closed, closed],
    [
      { properties: { $ref: { type: 'string' } } },
      { properties: {}, patternProperties: { '^\\$ref$': { type: 'string' } } },
    ],
    [nested, nested],
    [data, data],
    [{ description: 'a <script>x</script> b' }, { description: 'a &lt;script>x&lt;/script> b' }],
    [{ description: '<img src=x onerror=y> 1 < 2' }, { description: '&lt;img src=x onerror=y> 1 < 2' }],
    [{ description: '[a](javascript:x)' }, { description: '[a](javascript :x)' }],
  ]
  for (const [schema, placed] of cases) t.strictSame(place(schema), { 'a.input': placed }, JSON.stringify(schema))
})
