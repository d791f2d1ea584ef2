// Schemas that say by references and unions that they take an object, and what is in it.
import { type } from 'arktype'
import t from 'tap'
import { Type as Type1 } from 'typebox'
import { z } from 'zod'
import { compile } from '../../../packages/json-schema/src/validator.ts'
import { defineTool, type ToolDefinition, Type } from '../../../src/index.ts'
import { build, call, callTool } from '../../support/app.ts'

const tree = type.module({ node: { name: 'string', kids: 'node[]' } }).node
const named = z.object({ name: z.string() }).meta({ id: 'RootSchemaName' })
const Tree1 = Type1.Cyclic(
  { Tree: Type1.Object({ name: Type1.String(), kids: Type1.Array(Type1.Ref('Tree')) }) },
  'Tree',
)
const union1 = Type1.Union([Type1.Object({ name: Type1.String() }), Type1.Object({ id: Type1.Number() })])
const union = Type.Union([Type.Object({ name: Type.String() }), Type.Object({ id: Type.Number() })])

const GOOD = { name: 'a', kids: [] }

for (const [name, schema] of Object.entries({ tree, named, Tree1, union1, union })) {
  t.test(`${name} is a schema of arguments and of results`, async t => {
    const tools = [
      { name: 'take', inputSchema: schema, handler: () => 'ran' },
      { name: 'give', outputSchema: schema, handler: () => (name === 'named' ? { name: 'a' } : GOOD) },
    ] as ToolDefinition[]
    const app = await build(t, { tools })

    t.match((await call(app, 'tools/list')).result.tools, [
      { outputSchema: { type: 'object' } },
      { inputSchema: { type: 'object' } },
    ])
    t.match(await callTool(app, 'take', GOOD), { content: [{ text: 'ran' }] })
    t.match(await callTool(app, 'take', { name: 1, kids: [] }), { isError: true })
    t.match(await callTool(app, 'give'), { structuredContent: { name: 'a' } })
  })
}

t.test('a named schema shows its properties at the root, also if it refers to itself', async t => {
  const tools = [
    defineTool({ name: 'a', inputSchema: named, handler: () => '' }),
    defineTool({ name: 'b', inputSchema: tree, handler: () => '' }),
  ]
  const [a, b] = (await call(await build(t, { tools }), 'tools/list')).result.tools

  t.strictSame(a.inputSchema, { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] })
  t.match(b.inputSchema, { type: 'object', properties: { name: { type: 'string' } }, $defs: {} })
})

t.test('what takes more than objects is no schema of arguments', async t => {
  const app = await build(t)
  const refused = [
    Type.Union([Type.Object({}), Type.String()]),
    Type1.Cyclic({ List: Type1.Array(Type1.Ref('List')) }, 'List'),
    z.union([z.object({}), z.string()]),
  ]

  for (const inputSchema of refused)
    t.throws(() => app.toolrack.add({ name: 'bad', inputSchema, handler: () => '' } as ToolDefinition), {
      message: /inputSchema is not the schema of an object/,
    })
})

const kinds = [z.object({ kind: z.literal('mail') }), z.object({ kind: z.literal('text') })] as const
const declaring = kinds.map(kind => kind.extend({ idempotencyKey: z.string() })) as unknown as typeof kinds
const strict = kinds.map(kind => kind.strict()) as unknown as typeof kinds
const strictNamed = kinds.map((kind, index) => kind.strict().meta({ id: `RootSchemaKind${index}` }))

t.test('a union may declare the key of a call, or be closed to it', async t => {
  const unions = { open: kinds, declaring, strict, strictNamed: strictNamed as unknown as typeof kinds }
  for (const [name, union] of Object.entries(unions)) {
    const inputSchema = z.discriminatedUnion('kind', union)
    const tool = defineTool({ name, idempotency: true, inputSchema, handler: args => JSON.stringify(args) })
    const app = await build(t, { tools: [tool] })
    const [listed] = (await call(app, 'tools/list')).result.tools
    const args = { kind: 'text', idempotencyKey: 'k1' }

    t.ok(compile(listed.inputSchema).isValid(args), `${name}: a client that validates may send it`)
    t.notOk(compile(listed.inputSchema).isValid({ kind: 'fax', idempotencyKey: 'k1' }))
    const expected = name === 'declaring' ? args : { kind: 'text' }
    t.match(await callTool(app, name, args), { content: [{ text: JSON.stringify(expected) }] })
  }
})

t.test('a schema that bounds its properties has room for the key of a call', async t => {
  const bounded: Record<string, Record<string, unknown>> = {
    count: { type: 'object', properties: { id: { type: 'integer' } }, maxProperties: 1 },
    names: { type: 'object', propertyNames: { pattern: '^[a-z]+$' } },
    branches: { type: 'object', anyOf: [{ maxProperties: 1, required: ['id'] }, { maxProperties: 0 }] },
    patterns: { type: 'object', patternProperties: { '^x-': { type: 'integer' } }, additionalProperties: false },
  }
  for (const [name, inputSchema] of Object.entries(bounded)) {
    const tool = defineTool({ name, idempotency: true, inputSchema, handler: args => JSON.stringify(args) })
    const app = await build(t, { tools: [tool] })
    const [listed] = (await call(app, 'tools/list')).result.tools
    const own = name === 'patterns' ? { 'x-id': 1 } : { id: 1 }
    const args = { ...own, idempotencyKey: 'k1' }

    t.ok(compile(listed.inputSchema).isValid(args), `${name}: a client that validates may send it`)
    t.notOk(compile(listed.inputSchema).isValid({ ...args, 'B 1': 'b', 'B 2': 'b' }))
    t.match(await callTool(app, name, args), { content: [{ text: JSON.stringify(own) }] })
  }
})

t.test('a key of the tool may be any string', async t => {
  const keys = [
    Type.String({ format: 'uuid' }),
    Type.Union([Type.String(), Type.Null()]),
    Type.Union([Type.Literal('a'), Type.Literal(1)]),
    Type.Unknown(),
    { type: ['string', 'null'] },
  ]
  for (const idempotencyKey of keys) {
    for (const place of ['properties', 'patternProperties']) {
      const inputSchema = { type: 'object', [place]: { idempotencyKey } }
      await build(t, { tools: [defineTool({ name: 'own', idempotency: true, inputSchema, handler: () => '' })] })
    }
  }
  t.pass('all are served')
})

t.test('of a named schema, too, the key is declared', async t => {
  const inputSchema = z.object({ idempotencyKey: z.string() }).meta({ id: 'RootSchemaKeyed' })
  const tool = defineTool({ name: 'keyed', idempotency: true, inputSchema, handler: args => args.idempotencyKey })

  t.match(await callTool(await build(t, { tools: [tool] }), 'keyed', { idempotencyKey: 'k1' }), {
    content: [{ text: 'k1' }],
  })
})

t.test('a result of an intersection has the properties of all its parts, and no others', async t => {
  const cat = z.object({ a: z.string() })
  const dog = z.object({ b: z.number() })
  const parts = {
    described: cat.describe('a cat'),
    named: cat.meta({ id: 'RootSchemaCat' }),
    readonly: cat.readonly(),
    defaulted: cat.default({ a: 'x' }),
    record: z.record(z.literal('a'), z.string()),
  }
  const tools = Object.entries(parts).map(([name, part]) =>
    defineTool({ name, outputSchema: z.intersection(part, dog), handler: () => ({ a: 'x', b: 1 }) }),
  )
  const app = await build(t, { tools })

  for (const { name, outputSchema } of (await call(app, 'tools/list')).result.tools) {
    t.match(await callTool(app, name), { structuredContent: { a: 'x', b: 1 } }, name)
    t.notOk(compile(outputSchema).isValid({ a: 'x', b: 1, c: 2 }), name)
  }
})

t.test('what is undefined to a library may be absent in JSON: the message says how', async t => {
  const app = await build(t)
  const values: readonly z.ZodType[] = [z.union([z.string(), z.undefined()]), z.void(), z.literal([undefined, 'a'])]
  for (const value of values) {
    const tool = defineTool({ name: 'bad', inputSchema: z.object({ value }), handler: () => '' })
    t.throws(() => app.toolrack.add(tool), {
      message: /JSON has no undefined: let it be absent, by \.optional\(\)$/,
    })
  }
})

t.test('-0 in a result is the 0 that JSON writes', async t => {
  const tool = defineTool({
    name: 'round',
    outputSchema: z.object({ whole: z.int() }),
    handler: () => ({ whole: Math.round(-0.2) }),
  })

  t.match(await callTool(await build(t, { tools: [tool] }), 'round'), { content: [{ text: '{"whole":0}' }] })
})

t.test('records of TypeBox are listed by the schema of their values, not by a pattern of any name', async t => {
  const inputSchemas = {
    open: Type.Object({ record: Type.Record(Type.String(), Type.Number()) }),
    open1: Type1.Object({ record: Type1.Record(Type1.String(), Type1.Number()) }),
    closed: Type.Object({ record: Type.Record(Type.String(), Type.Number(), { additionalProperties: false }) }),
  }
  const tools = Object.entries(inputSchemas).map(
    ([name, inputSchema]) => ({ name, inputSchema, handler: () => 'ran' }) as unknown as ToolDefinition,
  )
  const app = await build(t, { tools })

  for (const { inputSchema } of (await call(app, 'tools/list')).result.tools)
    t.strictSame(inputSchema.properties.record, { type: 'object', additionalProperties: { type: 'number' } })
  for (const { name } of tools) {
    t.match(await callTool(app, name, { record: { a: 1, 'b c': 2 } }), { content: [{ text: 'ran' }] })
    t.match(await callTool(app, name, { record: { a: 'x' } }), { content: [{ text: /: record\.a must be number$/ }] })
  }
})
