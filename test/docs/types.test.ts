// What the compiler must know of a tool: `npm run typecheck` is the test, every line that is wrong here fails it.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import Fastify from 'fastify'
import t from 'tap'
import { Type as Type1 } from 'typebox'
import * as v from 'valibot'
import { z } from 'zod'
import toolrack, {
  type CallToolResult,
  ConfigError,
  type ContentBlock,
  content,
  createServer,
  type Definition,
  defineTool,
  type EndedRequest,
  RegistrationError,
  type ServerOptions,
  type Static,
  type ToolContext,
  ToolError,
  type Toolrack,
  type ToolrackOptions,
  Type,
  text,
} from '../../src/index.ts'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const assertType = <_T extends true>() => {}

const price = defineTool({
  name: 'get_price',
  inputSchema: Type.Object({
    sku: Type.String(),
    count: Type.Optional(Type.Integer()),
    unit: Type.Union([Type.Literal('kg'), Type.Literal('piece')]),
  }),
  outputSchema: Type.Object({ price: Type.Number(), tags: Type.Array(Type.String()) }),
  handler(args, ctx) {
    assertType<Equal<typeof args, { sku: string; count?: number | undefined; unit: 'kg' | 'piece' }>>()
    assertType<Equal<typeof ctx, ToolContext>>()
    assertType<Equal<typeof ctx.signal, AbortSignal>>()
    // @ts-expect-error: not an argument
    void args.nope
    return { price: 1, tags: [args.sku, args.unit] }
  },
})

defineTool({
  name: 'wrong_result',
  outputSchema: Type.Object({ price: Type.Number() }),
  // @ts-expect-error: the result is not what the schema says
  handler: () => ({ price: 'free' }),
})

defineTool({
  name: 'missing_result',
  outputSchema: Type.Object({ price: Type.Number() }),
  // @ts-expect-error: a promise of a result that is not what the schema says
  handler: async () => ({}),
})

defineTool({
  name: 'promised',
  outputSchema: Type.Object({ price: Type.Number() }),
  handler: async () => ({ price: 1 }),
})

defineTool({
  name: 'whole',
  outputSchema: Type.Object({ price: Type.Number() }),
  handler: () => ({ content: [text('free')], structuredContent: { price: 0 }, isError: false }),
})

const SCHEMAS = {
  typebox: Type.Object({ a: Type.String() }),
  typebox1: Type1.Object({ a: Type1.String() }),
  zod: z.object({ a: z.string() }),
  valibot: toStandardJsonSchema(v.object({ a: v.string() })),
  arktype: type({ a: 'string' }),
}
const isGone = () => process.argv.includes('gone')

defineTool({
  name: 'whole_or_value',
  outputSchema: SCHEMAS.zod,
  handler: async () => {
    if (isGone()) return { content: [{ type: 'text', text: 'gone' }], isError: true }
    return { a: 'x' }
  },
})
defineTool({
  name: 'whole_or_value_typebox',
  outputSchema: SCHEMAS.typebox,
  handler: () => {
    if (isGone()) return { content: [{ type: 'text', text: 'gone' }], isError: true }
    return { a: 'x' }
  },
})
defineTool({
  name: 'whole_or_value_typebox1',
  outputSchema: SCHEMAS.typebox1,
  async handler() {
    if (isGone()) return { content: [{ type: 'text', text: 'gone' }], isError: true }
    return { a: 'x' }
  },
})
defineTool({
  name: 'whole_or_value_valibot',
  inputSchema: SCHEMAS.valibot,
  outputSchema: SCHEMAS.valibot,
  handler: async ({ a }) => {
    if (isGone()) return { content: [{ type: 'text', text: a }], isError: true }
    return { a }
  },
})
defineTool({
  name: 'whole_or_value_arktype',
  outputSchema: SCHEMAS.arktype,
  handler: async () => (isGone() ? { content: [{ type: 'text', text: 'gone' }], isError: true } : { a: 'x' }),
})
defineTool({ name: 'later', handler: () => new Promise(resolve => resolve('text')) })
defineTool({
  name: 'wrong_value_beside_whole',
  outputSchema: SCHEMAS.zod,
  // @ts-expect-error: the value is not what the schema takes
  handler: async () => {
    if (isGone()) return { content: [{ type: 'text', text: 'gone' }], isError: true }
    return { a: 1 }
  },
})
defineTool({
  name: 'wrong_block',
  outputSchema: SCHEMAS.zod,
  // @ts-expect-error: there is no such block
  handler: () => ({ content: [{ type: 'txt', text: 'gone' }], isError: true }),
})

assertType<Equal<Static<typeof SCHEMAS.typebox>, { a: string }>>()
assertType<Equal<Static<typeof SCHEMAS.typebox1>['a'], string>>()
assertType<Equal<Static<typeof SCHEMAS.zod>, { a: string }>>()
assertType<Equal<Static<typeof SCHEMAS.valibot>, { a: string }>>()
assertType<Equal<Static<typeof SCHEMAS.arktype>, { a: string }>>()

defineTool({
  name: 'plain_schema',
  inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
  handler(args) {
    assertType<Equal<typeof args, Record<string, unknown>>>()
    return args['a']
  },
})

defineTool({
  name: 'zod',
  inputSchema: z.object({ day: z.iso.date().transform(text => new Date(text)), count: z.number().default(1) }),
  outputSchema: z.object({ text: z.string(), unit: z.string().default('piece') }),
  handler(args) {
    assertType<Equal<typeof args, { day: Date; count: number }>>()
    return { text: '' }
  },
})

defineTool({
  name: 'zod_wrong_result',
  outputSchema: z.object({ text: z.string() }),
  // @ts-expect-error: the result is not what the schema takes
  handler: () => ({ text: 1 }),
})

defineTool({
  name: 'valibot',
  inputSchema: toStandardJsonSchema(v.object({ count: v.optional(v.number(), 1) })),
  handler(args) {
    assertType<Equal<typeof args, { count: number }>>()
  },
})

defineTool({
  name: 'arktype',
  inputSchema: type({ size: 'string.numeric.parse', 'unit?': "'kg' | 'piece'" }),
  handler(args) {
    assertType<Equal<typeof args, { size: number; unit?: 'kg' | 'piece' }>>()
  },
})

const Price1 = Type1.Object({ price: Type1.Number(), unit: Type1.Optional(Type1.String()) })

defineTool({
  name: 'typebox1',
  inputSchema: Price1,
  outputSchema: Price1,
  handler(args) {
    assertType<Equal<typeof args.price, number>>()
    assertType<Equal<typeof args.unit, string | undefined>>()
    // @ts-expect-error: not an argument
    void args.nope
    return args
  },
})

assertType<Equal<Static<ReturnType<typeof Type.String>>, string>>()

defineTool({
  name: 'no_schema',
  handler(args, { progress, log, elicit }) {
    assertType<Equal<typeof args, Record<string, unknown>>>()
    progress(1, 2, 'half')
    log.warning('hm', { a: 1 })
    return elicit('name', { message: 'Name?', requestedSchema: { type: 'object', properties: {} } })
  },
})

// @ts-expect-error: no handler
defineTool({ name: 'no_handler' })

// @ts-expect-error: no name
defineTool({ handler: () => '' })

// @ts-expect-error: a field that is unknown
defineTool({ name: 'typo', handler: () => '', timeoutMs: 5 })

t.test('tools of different types fit into one list', async t => {
  const app = await createServer({ tools: [price, { name: 'plain', handler: () => 1 }], logLevel: 'silent' })

  t.ok(app.toolrack)
  await app.close()
})

const options: ToolrackOptions = {
  rateLimit: { max: 5, timeWindow: '1 minute' },
  allowedHosts: ['a'],
  jwt: { secret: 'a-secret-of-more-than-thirty-two-bytes', audience: 'shop' },
}

// What a server takes includes what a plugin takes.
const serverOptions: ServerOptions = { ...options, port: 0, logLevel: 'silent', metrics: { port: 0 } }

const wrong: (ServerOptions | ToolrackOptions)[] = [
  // @ts-expect-error: its text
  { pageSize: '10' },
  // @ts-expect-error: its text
  { metrics: 'false' },
  // @ts-expect-error: a flat name of a group
  { rateLimitMax: 5 },
  // @ts-expect-error: no member of the group
  { rateLimit: { mx: 5 } },
]

// @ts-expect-error: the app decides it
const plugged: ToolrackOptions = { port: 3000 }

t.test('what the package exports names what its functions take and give', async t => {
  const definitions: Definition[] = [price]
  const blocks: ContentBlock[] = [content.text('one'), text('two'), content.image(Buffer.of(1), 'image/png')]
  const result: CallToolResult = { resultType: 'complete', content: blocks }
  const failures = [ToolError, ConfigError, RegistrationError]
  const app = await createServer({ ...serverOptions, tools: definitions })
  t.teardown(() => app.close())
  const served: Toolrack = app.toolrack
  const stop = served.on('ended', (ended: EndedRequest) => void [ended.outcome, ended.caller?.tenant])
  stop()

  t.equal(result.content.length, 3)
  t.throws(() => served.add({ name: 'broken' } as never), RegistrationError)
  for (const failure of failures) t.ok(new failure('tool' as never, 'x', 'y') instanceof Error)
  t.equal(wrong.length, 4)
  t.equal(plugged.rateLimit, undefined)
})

t.test('options that are typed as such fit where they are used', async t => {
  const app = Fastify()
  await app.register(toolrack, options)
  await app.register(async scope => {
    // @ts-expect-error: an option that is unknown
    await t.rejects(createServer({ rateLimit: 5 }), { message: /^rateLimit: expected a plain object/ })
    // @ts-expect-error: a level that is unknown
    await t.rejects(createServer({ logLevel: 'loud' }), { message: /^logLevel: expected one of/ })
    t.ok(scope.toolrack)
  })

  await app.close()
})
