// Defaults of TypeBox and JSON Schema reach the handler, as those of a schema library do.
import t from 'tap'
import { Type as Type1 } from 'typebox'
import { testTools } from '../../../packages/testing/src/index.ts'
import { defineTool, type ToolDefinition, Type } from '../../../src/index.ts'
import { type App, build, call, callTool } from '../../support/app.ts'

const description = 'Says its arguments.'
const handler = (args: object) => JSON.stringify(args)
const warnings = ({ logs }: App) => logs.lines.filter(({ msg }) => msg === 'likely mistake in a tool')

const Sort = Type.Object({ by: Type.String({ default: 'name' }), down: Type.Boolean({ default: false }) })
const address = { type: 'object', properties: { zip: { type: 'string', default: '0' } } }
const filter = {
  type: 'object',
  default: {},
  properties: { by: { type: 'string', default: 'name' }, not: { $ref: '#/$defs/filter' } },
}

/** Schemas, arguments, and what the handler gets. */
const CASES: Readonly<Record<string, [inputSchema: unknown, args: object, expected: object]>> = {
  typebox: [Type.Object({ limit: Type.Integer({ default: 10 }) }), {}, { limit: 10 }],
  typebox1: [Type1.Object({ limit: Type1.Optional(Type1.Integer({ default: 10 })) }), {}, { limit: 10 }],
  schema: [{ type: 'object', properties: { on: { type: 'boolean', default: false } } }, {}, { on: false }],
  given: [Type.Object({ limit: Type.Integer({ default: 10 }) }), { limit: 5 }, { limit: 5 }],
  null: [{ type: 'object', properties: { a: { default: null } } }, {}, { a: null }],
  required: [
    {
      type: 'object',
      properties: { a: { type: 'string', default: 'x' } },
      required: ['a'],
      additionalProperties: false,
    },
    {},
    { a: 'x' },
  ],
  nested: [Type.Object({ sort: Sort }), { sort: { down: true } }, { sort: { down: true, by: 'name' } }],
  absent: [Type.Object({ sort: Type.Optional(Sort) }), {}, {}],
  within: [
    { type: 'object', properties: { sort: { ...JSON.parse(JSON.stringify(Sort)), default: {} } } },
    {},
    { sort: { by: 'name', down: false } },
  ],
  items: [Type.Object({ sorts: Type.Array(Sort) }), { sorts: [{ by: 'a' }] }, { sorts: [{ by: 'a', down: false }] }],
  tuple: [
    Type.Object({ pair: Type.Tuple([Type.String(), Sort]) }),
    { pair: ['a', { by: 'b' }] },
    { pair: ['a', { by: 'b', down: false }] },
  ],
  record: [
    Type.Object({ all: Type.Record(Type.String(), Sort) }),
    { all: { x: {} } },
    { all: { x: { by: 'name', down: false } } },
  ],
  pattern: [
    {
      type: 'object',
      patternProperties: { '^x': { type: 'object', properties: { a: { default: 1 } }, additionalProperties: false } },
      additionalProperties: { type: 'object', properties: { b: { default: 2 } } },
      properties: { xs: { type: 'object', default: {} } },
    },
    { x: {}, y: {} },
    { x: { a: 1 }, y: { b: 2 }, xs: { a: 1 } },
  ],
  record_by_pattern: [
    Type.Object({ all: Type.Record(Type.Integer(), Sort) }),
    { all: { 1: {} } },
    { all: { 1: { by: 'name', down: false } } },
  ],
  reference: [
    { type: 'object', properties: { home: { $ref: '#/$defs/address' } }, $defs: { address } },
    { home: {} },
    { home: { zip: '0' } },
  ],
  referred: [
    {
      type: 'object',
      properties: { n: { $ref: '#/definitions/n' } },
      definitions: { n: { type: 'integer', default: 1 } },
    },
    {},
    { n: 1 },
  ],
  draft07: [
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { list: { type: 'array', items: [address] } },
    },
    { list: [{}] },
    { list: [{ zip: '0' }] },
  ],
  intersection: [
    Type.Intersect([Sort, Type.Object({ n: Type.Integer() })]),
    { n: 1 },
    { n: 1, by: 'name', down: false },
  ],
  recursive: [
    Type.Recursive(self => Type.Object({ n: Type.Integer({ default: 0 }), next: Type.Optional(self) })),
    { next: { next: {} } },
    { next: { next: { n: 0 }, n: 0 }, n: 0 },
  ],
  within_itself: [
    { type: 'object', properties: { all: { $ref: '#/$defs/filter' } }, $defs: { filter } },
    {},
    { all: { by: 'name' } },
  ],
  given_within_itself: [
    { type: 'object', properties: { all: { $ref: '#/$defs/filter' } }, $defs: { filter } },
    { all: { by: 'x', not: {} } },
    { all: { by: 'x', not: { by: 'name', not: { by: 'name' } } } },
  ],
  root_within_itself: [{ type: 'object', properties: { next: { $ref: '#', default: {} } } }, {}, { next: {} }],
  alternatives: [{ type: 'object', anyOf: [{ properties: { a: { default: 1 } } }] }, {}, {}],
}

const tools = Object.entries(CASES).map(
  ([name, [inputSchema]]) => ({ name, description, inputSchema, handler }) as ToolDefinition,
)

t.test('they are filled in before the check, at every depth', async t => {
  const app = await build(t, { tools })

  for (const [name, [inputSchema, args, expected]] of Object.entries(CASES)) {
    const { content } = await callTool(app, name, args)
    t.strictSame(JSON.parse(content[0].text), expected, name)
    t.ok(inputSchema)
  }
  t.strictSame(warnings(app), [])
})

t.test('clients see them, and a fault of the rest is told as ever', async t => {
  const app = await build(t, { tools })
  const listed = (await call(app, 'tools/list')).result.tools
  const schema = listed.find((tool: { name: string }) => tool.name === 'required').inputSchema

  t.strictSame(schema.properties.a.default, 'x')
  t.match(await callTool(app, 'required', { b: 1 }), { content: [{ text: /: b is not a known property$/ }] })
})

t.test('a handler that changes one changes it for itself', async t => {
  const inputSchema = Type.Object({ list: Type.Array(Type.Integer(), { default: [] }) })
  const push = defineTool({ name: 'push', inputSchema, handler: ({ list }) => `${list.push(1)}` })
  const app = await build(t, { tools: [push] })

  for (let calls = 0; calls < 2; calls++) t.match(await callTool(app, 'push'), { content: [{ text: '1' }] })
})

t.test('hooks see them, plain HTTP and tests of tools have them', async t => {
  const seen: unknown[] = []
  const tool = defineTool({
    ...tools[0]!,
    onCall({ arguments: args }, next) {
      seen.push(args)
      return next()
    },
  })
  const app = await build(t, { tools: [tool], plainHttp: true })
  const reply = await app.inject({ method: 'POST', url: '/tools/typebox', headers: { host: '127.0.0.1:3000' } })
  const inTests = await testTools([tool])
  t.teardown(() => inTests.close())

  t.strictSame(reply.json(), { limit: 10 })
  t.strictSame(JSON.parse((await inTests.call('typebox')).text), { limit: 10 })
  t.strictSame(seen, [{ limit: 10 }, { limit: 10 }])
})

t.test('a key of a call is for what the client sent: a changed default is no other call', async t => {
  const make = (limit: number) =>
    defineTool({
      name: 'make',
      idempotency: true,
      inputSchema: Type.Object({ limit: Type.Integer({ default: limit }) }),
      handler,
    })
  const app = await build(t, { tools: [make(10)] })
  const first = await callTool(app, 'make', { idempotencyKey: 'k1' })
  app.toolrack.remove('make')
  app.toolrack.add(make(20))

  t.match(first, { content: [{ text: '{"limit":10}' }] })
  t.match(await callTool(app, 'make', { idempotencyKey: 'k1' }), first)
})

t.test('a default that its own schema refuses is a warning', async t => {
  const inputSchema = {
    type: 'object',
    properties: {
      limit: { type: 'integer', default: '10' },
      sort: { type: 'object', properties: { by: { enum: ['name'], default: 'nam' } } },
      home: { $ref: '#/$defs/address' },
    },
    $defs: { address: { type: 'object', default: { zip: 1 }, properties: { zip: { type: 'string' } } } },
  }
  const app = await build(t, { tools: [defineTool({ name: 'probe', description, inputSchema, handler })] })

  t.match(warnings(app), [
    { tool: 'probe', reason: 'inputSchema: the default of limit must be integer; without it, each call is refused' },
    { reason: /^inputSchema: the default of sort\.by must be one of "name"; / },
    { reason: /^inputSchema: the default of address zip must be string; / },
  ])
})
