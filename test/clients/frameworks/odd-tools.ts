// Tools with every kind of schema and of name, as authors write them.
import { defineTool, type ToolDefinition, Type } from '../../../src/index.ts'

const TEXT = { type: 'string' }
const NUMBER = { type: 'number' }
const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' }, all: { $ref: '#' } } }
const circle = { type: 'object', properties: { kind: { const: 'circle' }, r: NUMBER }, required: ['kind', 'r'] }
const square = { type: 'object', properties: { kind: { const: 'square' }, side: NUMBER }, required: ['kind', 'side'] }

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

const SCHEMAS: Readonly<Record<string, object>> = {
  none: { type: 'object' },
  booleans: object({ a: true, b: false, c: { not: true } }, { additionalProperties: false }),
  recursive: object({ first: { $ref: '#/$defs/node' } }, { $defs: { node } }),
  draft_07: object(
    { a: { $ref: '#/definitions/b', title: 'ignored' }, t: { type: 'array', items: [TEXT], additionalItems: NUMBER } },
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: { b: TEXT },
      dependencies: { a: ['t'], t: { required: ['a'] } },
    },
  ),
  required_either: object({ a: {}, b: {} }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
  required_unknown: { type: 'object', required: ['a'] },
  shapes: object({ shape: { oneOf: [circle, square], discriminator: { propertyName: 'kind' } } }),
  root_union: { type: 'object', oneOf: [circle, square] },
  intersection: { type: 'object', allOf: [object({ a: TEXT }, { required: ['a'] }), object({ b: NUMBER })] },
  anchors: object({ a: { $ref: '#x' } }, { $defs: { x: { $anchor: 'x', type: 'string' } } }),
  tuples: object({ pair: { type: 'array', prefixItems: [NUMBER, TEXT], items: false, minItems: 2 } }),
  conditions: object(
    { kind: { enum: ['a', 'b'] } },
    { if: object({ kind: { const: 'a' } }), else: object({ b: TEXT }) },
  ),
  patterns: object({}, { patternProperties: { '^x_': NUMBER }, propertyNames: { maxLength: 9 }, minProperties: 1 }),
  maps: object({ m: { type: 'object', additionalProperties: { type: 'array', items: NUMBER } } }),
  enums: object({ e: { enum: ['a', 1, null, true] }, n: { type: 'integer', enum: [1, 2] }, k: { const: { a: [1] } } }),
  wrong_enum: object({ a: { type: 'array', enum: ['x', 'y'] }, b: { type: ['string', 'null'], enum: ['x', null, 3] } }),
  types: object({ a: { type: ['string', 'number', 'null'] }, b: { type: ['array', 'object'] }, c: {} }),
  unevaluated: object({ a: TEXT }, { allOf: [object({ b: TEXT })], unevaluatedProperties: false }),
  notes: object({ a: { ...TEXT, nullable: true, optional: true, example: 'x', deprecated: true, examples: ['y'] } }),
  components: object({ pet: { $ref: '#/components/schemas/Pet' } }, { components: { schemas: { Pet: circle } } }),
  bounds: object({
    n: { ...NUMBER, exclusiveMinimum: 0, multipleOf: 0.5 },
    s: { ...TEXT, format: 'date-time', pattern: '^\\d' },
  }),
  names: object({
    'a/b~c': TEXT,
    d: { $ref: '#/properties/a~1b~0c' },
    'x y': TEXT,
    $ref: TEXT,
    class: TEXT,
    'ü-1': TEXT,
  }),
  bytes: object({
    file: { ...TEXT, contentEncoding: 'base64' },
    more: { type: 'array', items: { ...TEXT, format: 'byte' } },
  }),
  deep: object({
    filter: object({ price: NUMBER, tags: { type: 'array', items: TEXT } }),
    list: { type: 'array', items: circle },
  }),
  defaults: object({ a: { ...NUMBER, default: 3 }, b: { ...NUMBER, default: '4' } }, { required: ['a'] }),
  dynamic: { $dynamicAnchor: 'T', ...object({ child: { $dynamicRef: '#T' } }) },
}

/** Names that are words of programs, or the same once they are. */
const NAMES = ['a.b', 'a_b', 'a-b', 'aB', 'default', 'delete', '1st', 'tasks', 'files', 'x'.repeat(128), 'tools.list']

const handler = () => 'ok'
const tool = (definition: object) => defineTool({ handler, ...definition } as ToolDefinition)

export const ODD_TOOLS: readonly ToolDefinition[] = [
  ...Object.entries(SCHEMAS).flatMap(([name, schema]) => [
    tool({ name, inputSchema: schema }),
    tool({ name: `${name}_read`, inputSchema: schema, annotations: { readOnlyHint: true } }),
    tool({ name: `${name}_out`, outputSchema: schema, handler: () => ({}) }),
  ]),
  ...NAMES.map(name => tool({ name })),
  tool({
    name: 'typebox',
    inputSchema: Type.Object({ tree: Type.Recursive(self => Type.Object({ all: Type.Array(self) })) }),
  }),
  tool({
    name: 'list_out',
    outputSchema: { type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: NUMBER } },
    handler: () => [1],
  }),
  tool({ name: 'content', text: 'both', outputSchema: object({ a: NUMBER }), handler: () => ({ a: 1 }) }),
  tool({ name: 'as_task', task: 'optional' }),
  tool({ name: 'keyed', idempotency: true }),
  tool({
    name: 'described',
    title: 'T <script>',
    description: '<b onclick="x">a</b> [b](javascript:c) <script>d</script>',
  }),
]
