// What the check of a schema library gives: values, issues, errors, or nothing in time.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import t from 'tap'
import * as v from 'valibot'
import { z } from 'zod'
import { defineTool, type ToolDefinition, Type, text } from '../../../../src/index.ts'
import { build, call, callTool } from '../../../../test/support/app.ts'

const anyObject = () => ({ type: 'object' })

/** A schema whose check gives this result. */
const giving = (result: unknown) => ({
  '~standard': {
    version: 1 as const,
    vendor: 'other',
    validate: () => result,
    jsonSchema: { input: anyObject, output: anyObject },
  },
})

t.test('what a library throws is an error of the tool', async t => {
  const broken = z.object({
    a: z.string().refine(() => {
      throw new Error('no database')
    }),
  })
  const app = await build(t, { tools: [defineTool({ name: 'broken', inputSchema: broken, handler: () => 'ran' })] })

  t.match(await callTool(app, 'broken', { a: '' }), { isError: true, content: [{ text: 'no database' }] })
})

t.test('an output that the library refuses is not delivered; an error result is', async t => {
  const outputSchema = z.object({ even: z.number().refine(n => n % 2 === 0, 'must be even') })
  const results = { odd: { even: 1 }, whole: { content: [], structuredContent: { even: 3 } }, right: { even: 2 } }
  const failed = { content: [text('Sold out')], isError: true }
  const tools = Object.entries({ ...results, failed }).map(([name, result]) =>
    defineTool({ name, outputSchema, handler: () => result }),
  )
  const app = await build(t, { tools })

  for (const name of ['odd', 'whole'])
    t.match(await callTool(app, name), {
      isError: true,
      content: [{ text: `${name} returned an invalid result: structuredContent even is not valid` }],
    })
  t.match(await callTool(app, 'right'), { structuredContent: { even: 2 } })
  t.match(await callTool(app, 'failed'), { isError: true, content: [{ text: 'Sold out' }] })
})

t.test('what a handler returned is not told by the messages of a library', async t => {
  const zod = z.object({ token: z.string().refine(() => false, { error: ({ input }) => `not ${input}` }) })
  const valibot = toStandardJsonSchema(
    v.object({
      token: v.pipe(v.string(), v.email()),
    }),
  )
  const tools = Object.entries({ arktype: type({ token: 'string.uuid' }), valibot, zod }).map(([name, outputSchema]) =>
    defineTool({ name, outputSchema, handler: () => ({ token: 'a private text' }) }),
  )
  const app = await build(t, { tools })

  for (const { name } of tools)
    t.match(await callTool(app, name), {
      isError: true,
      content: [{ text: `${name} returned an invalid result: structuredContent token is not valid` }],
    })
  t.notMatch(app.logs.text, /a private text/)
})

t.test('a fallback of Valibot takes what it is said to take', async t => {
  const count = v.pipe(v.union([v.number(), v.string()]), v.fallback(v.number(), 1))
  const inputSchema = toStandardJsonSchema(v.object({ count }))
  const app = await build(t, {
    tools: [defineTool({ name: 'probe', inputSchema, handler: ({ count }) => `${count}` })],
  })

  t.match(await callTool(app, 'probe', { count: 'x' }), { content: [{ text: '1' }] })
  t.match(await callTool(app, 'probe', { count: 2 }), { content: [{ text: '2' }] })
})

t.test('a key that a record does not take is named', async t => {
  const inputSchema = z.object({ r: z.partialRecord(z.enum(['a', 'b']), z.number()) })
  const app = await build(t, { tools: [defineTool({ name: 'probe', inputSchema, handler: () => 'ran' })] })

  t.match(await callTool(app, 'probe', { r: { c: 3 } }), {
    content: [{ text: /^Invalid arguments for probe: r\.c is not a known property: a name must be one of "a", "b"$/ }],
  })
})

t.test('of a union, the faults of the branch that is meant are told', async t => {
  const [a, b] = [z.object({ kind: z.literal('a'), n: z.number() }), z.object({ kind: z.literal('b'), s: z.string() })]
  const named = [a.meta({ id: 'UnionKindA' }), b.meta({ id: 'UnionKindB' })] as const
  const schemas = {
    arktype: type({ kind: "'a'", n: 'number' }).or({ kind: "'b'", s: 'string' }),
    typebox: Type.Union([
      Type.Object({ kind: Type.Literal('a'), n: Type.Number() }),
      Type.Object({ kind: Type.Literal('b'), s: Type.String() }),
    ]),
    valibot: toStandardJsonSchema(
      v.variant('kind', [
        v.object({ kind: v.literal('a'), n: v.number() }),
        v.object({ kind: v.literal('b'), s: v.string() }),
      ]),
    ),
    zod: z.discriminatedUnion('kind', [a, b]),
    zodNamed: z.discriminatedUnion('kind', named),
    zodUnion: z.union([a, b]),
  }
  const tools = Object.entries(schemas).map(
    ([name, inputSchema]) => ({ name, inputSchema, handler: () => 'ran' }) as ToolDefinition,
  )
  const app = await build(t, { tools })
  const TOLD: [args: object, faults: string][] = [
    [{ kind: 'b' }, 's is required'],
    [{ kind: 'a', n: 'x' }, 'n must be number'],
    [{ kind: 'c', n: 1 }, 'kind must be one of "a", "b"'],
    [{ n: 1 }, 'kind is required'],
    [{ kind: 'b', list: Array(2000).fill(0) }, 's is required'],
  ]

  for (const { name } of tools) {
    for (const [args, faults] of TOLD)
      t.match(await callTool(app, name, args), {
        content: [{ text: `Invalid arguments for ${name}: ${faults}` }],
      })
    t.match(await callTool(app, name, { kind: 'a', n: 1 }), { content: [{ text: 'ran' }] })
  }
})

t.test('issues of ArkType are told by path once', async t => {
  const list = type({ items: [{ mail: 'string.email' }, '[]'] }).narrow((_list, context) => context.mustBe('short'))
  const app = await build(t, { tools: [defineTool({ name: 'list', inputSchema: list, handler: () => 'ran' })] })

  t.match(await callTool(app, 'list', { items: [{ mail: 'x' }] }), {
    content: [{ text: 'Invalid arguments for list: items.0.mail must be an email address (was "x")' }],
  })
  t.match(await callTool(app, 'list', { items: [] }), {
    content: [{ text: 'Invalid arguments for list: (root) must be short (was {"items":[]})' }],
  })
})

t.test('a library that takes the interface loosely has its check heard', async t => {
  // biome-ignore lint/suspicious/noThenProperty: a promise that is not of this realm
  const thenable = { then: (resolve: (result: unknown) => void) => resolve({ value: { a: 1 } }) }
  const path = [{ key: 'list' }, null, 0, { key: Symbol('tag') }]
  const results: [result: unknown, told: object][] = [
    [thenable, { content: [{ text: '{"a":1}' }] }],
    [{ value: { a: 1 }, issues: null }, { content: [{ text: '{"a":1}' }] }],
    [{ issues: [] }, { content: [{ text: 'Invalid arguments for probe: (root) is not valid' }] }],
    [{ issues: [{ message: 'is odd', path }] }, { content: [{ text: /probe: list\.null\.0\.Symbol\(tag\) is odd$/ }] }],
    [null, { isError: true, content: [{ text: 'the schema library gave no result' }] }],
  ]

  for (const [result, told] of results) {
    const probe = defineTool({ name: 'probe', inputSchema: giving(result), handler: args => JSON.stringify(args) })
    t.match(await callTool(await build(t, { tools: [probe] }), 'probe'), told)
  }
})

t.test('the length of a text is what the library says it is', async t => {
  const zod = z.object({ text: z.string().trim().min(2).max(5) })
  const valibot = toStandardJsonSchema(v.object({ text: v.pipe(v.string(), v.trim(), v.minLength(2), v.maxLength(5)) }))
  const tools = Object.entries({ valibot, zod }).map(([name, inputSchema]) =>
    defineTool({ name, inputSchema, handler: ({ text }) => `ran ${text}` }),
  )
  const app = await build(t, { tools })

  for (const { name } of tools) {
    t.match(await callTool(app, name, { text: '  abc    ' }), { content: [{ text: 'ran abc' }] }, 'it is trimmed')
    for (const text of [' a ', 'abcdef'])
      t.match(await callTool(app, name, { text }), { isError: true, content: [{ text: /: text / }] }, text)
  }
  t.match(await callTool(app, 'valibot', { text: '😀' }), { content: [{ text: 'ran 😀' }] }, 'two units of UTF-16')
  t.match((await call(app, 'tools/list')).result.tools, [
    { inputSchema: { properties: { text: { minLength: 2, maxLength: 5 } } } },
    { inputSchema: { properties: { text: { minLength: 2, maxLength: 5 } } } },
  ])
})

// Each of these runs in V8 for hours if nobody ends it.
const ENDLESS = `${'a'.repeat(60)}!`

/** Of these each may be the first line of a match. */
const LINES = '\n'.repeat(50_000)

const SLOW = {
  'with a format': z.object({ text: z.email({ pattern: /^(a+)+$/ }) }),
  'with a format of its own': z.object({
    text: z
      .string()
      .regex(/^(a+)+$/)
      .meta({ format: 'x' }),
  }),
  'that no engine here runs': z.object({ text: z.string().regex(/^(?=a)(a+)+$/) }),
  'with flags': z.object({ text: z.string().regex(/^([a-z]+ ?)+$/i) }),
  'of a name': z.object({ text: z.record(z.string().regex(/^(a+)+$/), z.number()) }),
  'of Valibot': toStandardJsonSchema(v.object({ text: v.pipe(v.string(), v.regex(/^(a+)+$/), v.email()) })),
  'of Valibot with a flag': toStandardJsonSchema(v.object({ text: v.pipe(v.string(), v.regex(/^(a+)+$/i)) })),
  'of Valibot after another': toStandardJsonSchema(
    v.object({ text: v.pipe(v.string(), v.regex(/^a/), v.regex(/^(a+)+$/)) }),
  ),
  'of several lines': z.object({ text: z.string().regex(/^\s+a$/m) }),
  'of several lines within a refinement': z.object({ text: z.string().refine(text => /^\s+a$/m.test(text)) }),
  'of several lines of Valibot': toStandardJsonSchema(v.object({ text: v.pipe(v.string(), v.regex(/^\s+a$/m)) })),
  'of several lines of ArkType': type({ text: /^\s+a$/m }),
  'with its own JSON Schema': z.toJSONSchema(z.object({ text: z.string().regex(/^(a+)+$/) })),
}

for (const [kind, inputSchema] of Object.entries(SLOW)) {
  t.test(`a pattern ${kind} ends if it runs for long`, async t => {
    const app = await build(t, { tools: [defineTool({ name: 'probe', inputSchema, handler: () => 'ran' })] })

    const text = kind.includes('of several lines') ? LINES : ENDLESS
    const value = kind === 'of a name' ? { [ENDLESS]: 1 } : text
    t.match(await callTool(app, 'probe', { text: value }), {
      isError: true,
      content: [{ text: /^Invalid arguments for probe: \(root\) takes too long to check against its schema: shorten/ }],
    })
    t.match((await call(app, 'tools/list')).result.tools, [{ name: 'probe' }], 'the server goes on')
  })
}

t.test('a check that may be ended gives what it gives otherwise', async t => {
  const text = z
    .string()
    .regex(/^([a-z]+ ?)+$/i)
    .refine(async text => text !== 'Nobody', 'must be somebody')
    .transform(text => text.toUpperCase())
  const greet = defineTool({ name: 'greet', inputSchema: z.object({ text }), handler: ({ text }) => text })
  const app = await build(t, { tools: [greet] })

  t.match(await callTool(app, 'greet', { text: 'Hello World' }), { content: [{ text: 'HELLO WORLD' }] })
  t.match(await callTool(app, 'greet', { text: 'Nobody' }), { isError: true, content: [{ text: /must be somebody$/ }] })
})
