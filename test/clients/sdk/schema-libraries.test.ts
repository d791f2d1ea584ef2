// Tools with the schemas of Zod, Valibot, ArkType and both TypeBoxes, called by a real client in both eras.
import { Type } from '@sinclair/typebox'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import t from 'tap'
import { Type as Type1 } from 'typebox'
import * as v from 'valibot'
import { z } from 'zod'
import { defineTool } from '../../../src/index.ts'
import { connectMode, MODES } from '../../support/clients/connect-mode.ts'

const zod = defineTool({
  name: 'zod',
  inputSchema: z.object({
    sku: z.string().regex(/^[A-Z]{3}-\d{4}$/),
    count: z.number().int().default(1),
    mail: z.email().optional(),
    day: z.iso.date().transform(text => new Date(text)),
    sum: z.string().refine(async text => text !== 'zero', 'must not be zero'),
  }),
  outputSchema: z.object({ text: z.string(), unit: z.string().default('piece') }).meta({ id: 'SoldUnit' }),
  handler: ({ sku, count, day, sum }) => ({ text: `${sku} ${count} ${day.getUTCFullYear()} ${sum}` }),
})
const valibot = defineTool({
  name: 'valibot',
  inputSchema: toStandardJsonSchema(
    v.object({ count: v.optional(v.number(), 1), list: v.pipe(v.array(v.string()), v.minLength(1)) }),
  ),
  outputSchema: toStandardJsonSchema(v.object({ text: v.string() })),
  handler: ({ count, list }) => ({ text: `${list.join('+')} ${count}` }),
})
const arktype = defineTool({
  name: 'arktype',
  inputSchema: type({ size: 'string.numeric.parse', count: 'number = 1' }),
  outputSchema: type({ text: 'string' }),
  handler: ({ size, count }) => ({ text: `${size + 1} ${count}` }),
})
const typebox1 = defineTool({
  name: 'typebox1',
  inputSchema: Type1.Object({ a: Type1.Number(), b: Type1.Optional(Type1.String()) }),
  outputSchema: Type1.Object({ text: Type1.String() }),
  handler: ({ a, b = 'none' }) => ({ text: `${a.toFixed(1)} ${b.length}` }),
})
const typebox = defineTool({
  name: 'typebox',
  inputSchema: Type.Object({ a: Type.Number() }),
  outputSchema: Type.Object({ text: Type.String() }),
  handler: ({ a }) => ({ text: a.toFixed(1) }),
})
const tools = [zod, valibot, arktype, typebox1, typebox]

/** What the handler answers, with what the schema adds. */
const CALLS: readonly [string, object, object][] = [
  ['zod', { sku: 'ABC-1234', day: '2026-01-31', sum: 'one' }, { text: 'ABC-1234 1 2026 one', unit: 'piece' }],
  ['valibot', { list: ['a', 'b'] }, { text: 'a+b 1' }],
  ['arktype', { size: '41' }, { text: '42 1' }],
  ['typebox1', { a: 1 }, { text: '1.0 4' }],
  ['typebox', { a: 2 }, { text: '2.0' }],
]

const ZOD_ARGUMENTS = { sku: 'ABC-1234', day: '2026-01-31', sum: 'one' }

/** What the model reads of invalid arguments: by JSON Schema first, then by the library. */
const REFUSED: readonly [string, object, RegExp][] = [
  ['zod', { ...ZOD_ARGUMENTS, sku: 'a' }, /^Invalid arguments for zod: sku Invalid string: must match pattern/],
  ['zod', { ...ZOD_ARGUMENTS, count: 1.5 }, /count must be integer/],
  ['zod', { ...ZOD_ARGUMENTS, mail: 'no mail' }, /^Invalid arguments for zod: mail Invalid email address$/],
  ['zod', { ...ZOD_ARGUMENTS, sum: 'zero' }, /^Invalid arguments for zod: sum must not be zero$/],
  ['zod', { ...ZOD_ARGUMENTS, day: '31.1.2026' }, /day /],
  ['valibot', { list: [] }, /^Invalid arguments for valibot: list must NOT have fewer than 1 items$/],
  ['arktype', { size: 'large' }, /^Invalid arguments for arktype: size must be a well-formed numeric string/],
  ['typebox1', { a: 'x' }, /^Invalid arguments for typebox1: a must be number$/],
]

for (const { name, mode } of MODES) {
  t.test(`client 2.x, ${name}`, async t => {
    const { client } = await connectMode(t, { tools }, { mode })

    t.test('schemas are listed as JSON Schema', async t => {
      const listed = new Map((await client.listTools()).tools.map(tool => [tool.name, tool]))
      t.match(listed.get('zod')?.inputSchema, {
        type: 'object',
        properties: { sku: { type: 'string', pattern: '^[A-Z]{3}-\\d{4}$' }, mail: { format: 'email' } },
        required: ['sku', 'day', 'sum'],
      })
      t.match(listed.get('zod')?.outputSchema, { type: 'object', required: ['text', 'unit'] })
      for (const tool of listed.values()) {
        t.equal(tool.inputSchema.type, 'object')
        t.notOk('$schema' in tool.inputSchema, 'the dialect is the default one')
      }
    })

    t.test('the handler gets what the schema makes of the arguments', async t => {
      for (const [name, args, expected] of CALLS)
        t.strictSame((await client.callTool({ name, arguments: { ...args } })).structuredContent, expected, name)
    })

    t.test('invalid arguments are refused by path', async t => {
      for (const [name, args, text] of REFUSED) {
        const result = await client.callTool({ name, arguments: { ...args } })
        t.match(result, { isError: true, content: [{ text }] }, `${name} ${JSON.stringify(args)}`)
      }
    })
  })
}
