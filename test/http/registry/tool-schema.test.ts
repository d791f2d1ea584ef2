// What is given as a schema and is none is refused, with the way out: it would let every argument pass.
import { type } from 'arktype'
import t from 'tap'
import { Type as Type1 } from 'typebox'
import * as v from 'valibot'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { z as z3 } from 'zod/v3'
import type { ToolDefinition } from '../../../src/index.ts'
import { defineTool, Type } from '../../../src/index.ts'
import { build, call, callTool } from '../../support/app.ts'
import { tempFolder } from '../../support/tools-folder.ts'

const standard = (vendor: string) => ({
  '~standard': { version: 1, vendor, validate: (value: unknown) => ({ value }) },
})
const unchecked = {
  '~standard': { version: 1, vendor: 'other', jsonSchema: { input: () => ({}), output: () => ({}) } },
}
class Custom {
  type = 'object'
}

const ISOLATED = `import { defineTool } from 'toolrack'
import { z } from ${JSON.stringify(import.meta.resolve('zod'))}
export default defineTool({
  name: 'days',
  isolate: true,
  inputSchema: z.object({ from: z.iso.date().transform(text => new Date(text)) }),
  outputSchema: z.object({
    day: z.number().refine(day => day > 0 && day < 6, 'must be a working day'),
    checked: z.boolean().default(true),
  }),
  handler: ({ from }) => ({ day: from.getUTCDay() }),
})
`

t.test('what validates nothing, or cannot be said in JSON Schema, is refused with the fix', async t => {
  const app = await build(t, { tools: [{ name: 'probe', handler: () => '' }] })
  const refused: [unknown, RegExp][] = [
    [{ a: z.number() }, /inputSchema is an object of zod schemas; wrap it: z\.object\(\{ … \}\)$/],
    [{ a: Type.Number() }, /inputSchema is an object of TypeBox schemas; wrap it: Type\.Object\(\{ … \}\)$/],
    [{ a: Type1.Number() }, /inputSchema is an object of TypeBox schemas; wrap it: Type\.Object\(\{ … \}\)$/],
    [{ a: type('string') }, /inputSchema is an object of arktype schemas; wrap it: type\(\{ … \}\)$/],
    [{ a: v.number() }, /inputSchema is an object of valibot schemas; wrap it: toStandardJsonSchema\(v\.object/],
    [
      { a: { type: 'number' } },
      /inputSchema is an object of schemas; wrap it: \{ type: 'object', properties: \{ … \} \}$/,
    ],
    [
      { type: 'object', properties: { a: z.number() } },
      /inputSchema mixes JSON Schema and zod: properties\.a; use z\.ob/,
    ],
    [{ a: z.number(), b: { type: 'string' } }, /inputSchema mixes JSON Schema and zod: a; use z\.object/],
    [{ b: { type: 'string' }, a: type('string') }, /inputSchema mixes JSON Schema and arktype: a; use type\(/],
    [unchecked, /inputSchema is a schema of other that checks nothing: ~standard\.validate is not a function$/],
    [
      z3.object({ a: z3.number() }),
      /inputSchema is a schema of zod that says no JSON Schema; it is of Zod 3: import \{ z \} from 'zod' \(4\.2 or/,
    ],
    [{ a: z3.number() }, /inputSchema is not a schema of Zod 4; it is of Zod 3: import .* not from 'zod\/v3'$/],
    [
      { ...z3.object({ a: z3.number() }), '~standard': undefined },
      /inputSchema is not a schema of Zod 4; it is of Zod 3: import .* not from 'zod\/v3'$/,
    ],
    [
      v.object({ a: v.number() }),
      /inputSchema is a schema of valibot .*; wrap it: toStandardJsonSchema\(schema\) of @val/,
    ],
    [standard('other'), /inputSchema is a schema of other that says no JSON Schema; give JSON Schema/],
    [
      z.object({ at: z.date() }),
      /inputSchema is a schema of zod that JSON Schema cannot say: Date cannot be represented/,
    ],
    [
      z.object({ a: z.file() }),
      /inputSchema is a schema of zod that JSON Schema cannot say: a file cannot be represented in JSON; /,
    ],
    [
      type({ at: 'Date' }),
      /inputSchema is a schema of arktype that JSON Schema cannot say: Date cannot be represented/,
    ],
    [type({ a: 'undefined' }), /of arktype that JSON Schema cannot say: undefined, or a bigint, cannot be represented/],
    [type({ list: [{ a: 'undefined' }, '[]'] }), /of arktype that JSON Schema cannot say: undefined, or a bigint,/],
    [type({ n: 'bigint' }), /of arktype that JSON Schema cannot say: bigint cannot be represented/],
    [type({ n: 'Map' }), /of arktype that JSON Schema cannot say: Map cannot be represented/],
    [Type1.Refine(Type1.Object({}), () => false), /inputSchema has a Refine of TypeBox, which only TypeBox runs/],
    [
      Type1.Object({ a: Type1.Array(Type1.Refine(Type1.String(), () => false)) }),
      /inputSchema has a Refine of TypeBox at properties\.a\.items, which only TypeBox runs; say it in JSON Schema$/,
    ],
    [
      Type.Object({ at: Type.Optional(Type.Date()) }),
      /inputSchema has the TypeBox type Date at properties\.at, which JSON does not have; take a string with a format/,
    ],
    [Type1.Object({ n: Type1.BigInt() }), /inputSchema has the TypeBox type bigint at properties\.n, which JSON/],
    [
      Type.Object({ a: Type.Array(Type.Transform(Type.String()).Decode(Number).Encode(String)) }),
      /inputSchema has a transform of TypeBox at properties\.a\.items, which only TypeBox runs; convert the value in the/,
    ],
    [
      Type1.Object({ a: Type1.Optional(Type1.Codec(Type1.String()).Decode(Number).Encode(String)) }),
      /inputSchema has a transform of TypeBox at properties\.a, which only TypeBox runs; convert the value in the hand/,
    ],
    [
      { type: 'object', properties: { at: { type: 'array', items: [{ type: 'number' }] } } },
      /inputSchema: not a valid schema: properties\.at\.items must be .*; name a list prefixItems, or add \$schema: 'http:.*draft-07/,
    ],
    [
      { $schema: 'http://json-schema.org/draft-07/schema#' },
      /inputSchema says nothing but its \$schema, .*; give the schema of the library itself, such as z\.object\(/,
    ],
    [new Custom(), /inputSchema is not plain JSON: \(root\) is a Custom, not a plain object; give a schema/],
    [
      { type: 'object', properties: { a: { const: 10n } } },
      /inputSchema is not plain JSON: properties\.a\.const is a bigint/,
    ],
    [{ type: 'object', properties: { a: { maximum: Number.NaN } } }, /properties\.a\.maximum is NaN/],
    [{ type: 'object', default: new Date() }, /default is a Date/],
    ['{"type":"object"}', /inputSchema must be a schema, not a string; give a schema of Zod, .*Type\.Object/],
    [null, /inputSchema must be a schema, not null/],
  ]

  for (const [schema, message] of refused) {
    const definition = { name: 'bad', handler: () => ({ a: 1 }) }
    const [inputSchema, outputSchema] = [{ type: 'object' }, schema] as [object, object]
    t.throws(() => app.toolrack.add({ ...definition, inputSchema: schema } as ToolDefinition), { message })
    const text = new RegExp(message.source.replaceAll('inputSchema', 'outputSchema'))
    t.throws(() => app.toolrack.add({ ...definition, inputSchema, outputSchema } as ToolDefinition), { message: text })
  }
  t.match((await call(app, 'tools/list')).result.tools, [{ name: 'probe' }])
  t.equal((await call(app, 'tools/list')).result.tools.length, 1)
})

t.test('the JSON Schema that Zod makes is served, and checked', async t => {
  const inputSchema = z.toJSONSchema(z.object({ a: z.number(), tags: z.set(z.string()).optional() }), {
    unrepresentable: 'any',
  })
  const app = await build(t, { tools: [{ name: 'good', inputSchema, handler: () => 'ran' } as ToolDefinition] })

  t.match(await callTool(app, 'good', { a: 1 }), { content: [{ text: 'ran' }] })
  t.match(await callTool(app, 'good', { a: 'x' }), { isError: true })
})

t.test('JSON Schema of Zod within JSON Schema is JSON Schema', async t => {
  const inputSchema = { type: 'object', properties: { a: z.toJSONSchema(z.string()) } }
  const app = await build(t, { tools: [{ name: 'good', inputSchema, handler: () => 'ran' }] })

  t.match(await callTool(app, 'good', { a: 'x' }), { content: [{ text: 'ran' }] })
  t.match(await callTool(app, 'good', { a: 1 }), { isError: true })
})

t.test('a schema of Zod mini says how it is given, and is served so', async t => {
  const schema = mini.object({ count: mini._default(mini.number().check(mini.gt(0)), 1) })
  const [inputSchema, outputSchema] = [mini.toJSONSchema(schema, { io: 'input' }), mini.toJSONSchema(schema)]
  const good = defineTool({ name: 'good', inputSchema, outputSchema, handler: ({ count }) => ({ count: count + 1 }) })
  const app = await build(t, { tools: [good] })

  // @ts-expect-error: the compiler knows it, too
  t.throws(() => app.toolrack.add(defineTool({ name: 'bad', inputSchema: schema, handler: () => '' })), {
    message:
      /inputSchema is a schema of zod that says no JSON Schema; give z\.toJSONSchema\(schema, \{ io: 'input' \}\)$/,
  })
  t.match(await callTool(app, 'good'), { structuredContent: { count: 2 } })
  t.match(await callTool(app, 'good', { count: 0 }), { isError: true })
})

t.test('what JSON does not have may be a choice that ArkType gives beside others', async t => {
  const inputSchema = type({ a: 'string | undefined', 'b?': 'undefined' })
  const app = await build(t, { tools: [defineTool({ name: 'good', inputSchema, handler: ({ a }) => `ran ${a}` })] })

  t.match(await callTool(app, 'good', { a: 'x' }), { content: [{ text: 'ran x' }] })
  t.match(await callTool(app, 'good', { a: 1 }), { isError: true })
})

t.test('what only a transform can give is no outputSchema until it says what it gives', async t => {
  const app = await build(t)
  const handler = () => ({ at: new Date(0) })
  const give = (outputSchema: z.ZodType) => defineTool({ name: 'give', outputSchema, handler })
  const transformed = z.object({ at: z.date().transform(date => date.toISOString()) })
  const piped = z.object({
    at: z
      .date()
      .transform(date => date.toISOString())
      .pipe(z.string()),
  })

  const message =
    /outputSchema .* JSON Schema cannot say: Transforms .*such as \.transform\(…\)\.pipe\(z\.string\(\)\)$/
  t.throws(() => app.toolrack.add(give(transformed)), { message })
  t.throws(() => app.toolrack.add(give(z.object({ at: z.date() }))), {
    message: /: Date cannot .*; give a text: z\.iso\.datetime\(\) in the schema, and toISOString\(\) in the handler$/,
  })
  t.throws(() => app.toolrack.add(defineTool({ name: 'give', outputSchema: type({ at: 'Date' }), handler })), {
    message: /: Date cannot .*; give a text: 'string\.date\.iso' in the schema, and toISOString\(\) in the handler$/,
  })
  app.toolrack.add(give(piped))
  t.match(await callTool(app, 'give'), { structuredContent: { at: '1970-01-01T00:00:00.000Z' } })
})

t.test('a union of objects is a schema of arguments', async t => {
  const inputSchema = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('mail'), to: z.email() }),
    z.object({ kind: z.literal('text'), to: z.string().regex(/^(?=\+)\+\d+$/) }),
  ])
  const app = await build(t, {
    tools: [defineTool({ name: 'send', inputSchema, handler: ({ kind, to }) => `${kind} ${to}` })],
  })

  t.match((await call(app, 'tools/list')).result.tools, [{ inputSchema: { type: 'object' } }])
  t.match(await callTool(app, 'send', { kind: 'mail', to: 'a@example.com' }), {
    content: [{ text: 'mail a@example.com' }],
  })
  t.match(await callTool(app, 'send', { kind: 'text', to: '+49' }), { content: [{ text: 'text +49' }] })
  t.match(await callTool(app, 'send', { kind: 'text', to: '49' }), {
    isError: true,
    content: [{ text: /: to Invalid/ }],
  })
  t.match(await callTool(app, 'send', { kind: 'fax', to: '49' }), { isError: true })
})

t.test('an isolated tool gets what the library makes of its arguments, in its own process', async t => {
  const { path } = tempFolder(t, { 'days.mjs': ISOLATED }, 'test-tools')
  const app = await build(t, { toolsDir: path })

  t.match(await callTool(app, 'days', { from: '2026-01-01' }), { structuredContent: { day: 4, checked: true } })
  t.match(await callTool(app, 'days', { from: 'never' }), {
    isError: true,
    content: [{ text: /^Invalid arguments for days: from / }],
  })
  t.match(await callTool(app, 'days', { from: '2026-01-03' }), {
    isError: true,
    content: [{ text: /structuredContent day is not valid$/ }],
  })
})

t.test('a schema with members that are undefined is served', async t => {
  const inputSchema = Type.Object({ a: Type.String({ description: undefined }) })
  const plain = Object.assign(Object.create(null), { type: 'object', title: undefined })
  const app = await build(t)

  app.toolrack.add({ name: 'good', inputSchema, handler: () => '' })
  app.toolrack.add({ name: 'bare', inputSchema: plain, handler: () => '' })
  t.same(
    (await call(app, 'tools/list')).result.tools.map(({ name }: { name: string }) => name),
    ['bare', 'good'],
  )
})

t.test('tuples of TypeBox are listed and checked as tuples of 2020-12', async t => {
  const [at, empty] = [Type.Tuple([Type.Number(), Type.Tuple([Type.String()])]), Type.Tuple([])]
  const point = { b: Type.Const({ c: [1, 2] }) }
  const at1 = Type1.Tuple([Type1.Number(), Type1.Tuple([Type1.String()])])
  const draft07 = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { at },
  }
  const schemas = {
    typebox: Type.Object({ at, empty: Type.Optional(empty), ...point }),
    typebox1: Type1.Object({ at: at1, empty: Type1.Optional(Type1.Tuple([])) }),
    mixed: { type: 'object', properties: { at } },
    draft07,
  }
  for (const [name, schema] of Object.entries(schemas)) {
    const tools = [
      { name: 'take', inputSchema: schema, handler: () => 'ran' },
      { name: 'give', outputSchema: schema, handler: () => ({ at: [1, ['x']], empty: [], b: { c: [1, 2] } }) },
    ] as ToolDefinition[]
    const app = await build(t, { tools })
    const rest = { empty: [], b: { c: [1, 2] } }

    t.match(await callTool(app, 'take', { at: [1, ['x']], ...rest }), { content: [{ text: 'ran' }] }, name)
    t.match(await callTool(app, 'give'), { structuredContent: { at: [1, ['x']] } }, name)
    for (const wrong of [[1], ['x', ['x']], [1, [1]], [1, ['x', 'y']], [1, ['x'], 2]])
      t.match(
        await callTool(app, 'take', { at: wrong, ...rest }),
        { isError: true },
        `${name} ${JSON.stringify(wrong)}`,
      )
  }
  t.match((await call(await build(t, { tools: [tuple(schemas.typebox)] }), 'tools/list')).result.tools, [
    { inputSchema: { properties: { at: { prefixItems: [{ type: 'number' }, {}], items: false, minItems: 2 } } } },
  ])
})

t.test('a fraction is checked in decimal, and listed where no client checks it', async t => {
  const price = { type: 'object', properties: { price: { type: 'number', multipleOf: 0.01 } } }
  const handler = ({ price }: { price: number }) => ({ price })
  const app = await build(t, {
    tools: [
      { name: 'give', inputSchema: { type: 'object' }, outputSchema: price, handler },
      { name: 'take', inputSchema: price, handler },
    ] as ToolDefinition[],
  })

  t.match(await callTool(app, 'give', { price: 19.99 }), { structuredContent: { price: 19.99 } })
  t.match(await callTool(app, 'give', { price: 19.999 }), { isError: true })
  const { tools } = (await call(app, 'tools/list')).result
  t.strictSame(tools[0].outputSchema.properties, { price: { type: 'number' } })
  t.strictSame(tools[1].inputSchema, price)
})

const tuple = (inputSchema: object) => ({ name: 'tuple', inputSchema, handler: () => '' }) as ToolDefinition
