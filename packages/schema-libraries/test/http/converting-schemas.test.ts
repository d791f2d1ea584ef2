// Schemas of Zod that convert before they check: docs/guides/migrating.md says what to write instead.
import t from 'tap'
import { z } from 'zod'
import { defineTool } from '../../../../src/index.ts'
import { build, callTool } from '../../../../test/support/app.ts'

interface Conversion {
  readonly name: string
  /** Zod takes the value, and the JSON Schema that Zod makes of this does not. */
  readonly schema: z.ZodType
  readonly value: unknown
  readonly instead: z.ZodType
  readonly becomes: unknown
}

const numberOrText = z.union([z.number(), z.string()])

const CONVERSIONS: readonly Conversion[] = [
  {
    name: 'z.coerce',
    schema: z.coerce.number(),
    value: '2',
    instead: numberOrText.pipe(z.coerce.number()),
    becomes: 2,
  },
  {
    name: 'z.preprocess',
    schema: z.preprocess(value => Number(value), z.number()),
    value: '2',
    instead: numberOrText.transform(Number).pipe(z.number()),
    becomes: 2,
  },
  {
    name: 'catch',
    schema: z.number().catch(1),
    value: 'many',
    instead: numberOrText.pipe(z.number().catch(1)),
    becomes: 1,
  },
]

const tool = (schema: z.ZodType) =>
  defineTool({ name: 'tool', inputSchema: z.object({ value: schema }), handler: ({ value }) => ({ value }) })

for (const { name, schema, value, instead, becomes } of CONVERSIONS) {
  t.test(name, async t => {
    const [asItIs, translated] = [await build(t, { tools: [tool(schema)] }), await build(t, { tools: [tool(instead)] })]

    t.ok(schema.safeParse(value).success)
    t.match(await callTool(asItIs, 'tool', { value }), { isError: true, content: [{ text: /value must / }] })
    const { content } = await callTool(translated, 'tool', { value })
    t.strictSame(JSON.parse(content[0].text), { value: becomes })
  })
}

t.test('a pattern keeps its flags, which JSON Schema does not have', async t => {
  const app = await build(t, { tools: [tool(z.string().regex(/^abc$/i))] })

  t.match(await callTool(app, 'tool', { value: 'ABC' }), { content: [{ text: '{"value":"ABC"}' }] })
  t.match(await callTool(app, 'tool', { value: 'abd' }), { isError: true })
})
