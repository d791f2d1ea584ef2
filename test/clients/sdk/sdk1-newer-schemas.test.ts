// The client of the SDK 1.x checks results by the listed schemas, all of which it reads as draft-07:
// keywords of 2020-12 are listed so that it takes what the tool returns.
import { Type as Type034 } from '@sinclair/typebox'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import t from 'tap'
import { Type as Type1 } from 'typebox'
import * as v from 'valibot'
import { z } from 'zod'
import type { ToolDefinition } from '../../../src/index.ts'
import { call } from '../../support/app.ts'
import { serveSdk1 } from '../../support/clients/connect-sdk1.ts'

const at = [52.5, 13.4]
const json = (schema: object) => ({ type: 'object', properties: { at: schema }, required: ['at'] })
const number = { type: 'number' }
const cat = z.object({ a: z.string() })

/** The schema of a result, and the result. */
const RESULTS: Readonly<Record<string, [outputSchema: unknown, result: unknown]>> = {
  zod: [z.object({ at: z.tuple([z.number(), z.number()]) }), { at }],
  zodRest: [z.object({ at: z.tuple([z.string()]).rest(z.number()) }), { at: ['a', 1] }],
  valibot: [toStandardJsonSchema(v.object({ at: v.strictTuple([v.number(), v.optional(v.number())]) })), { at: [1] }],
  arktype: [type({ at: ['number', 'number'] }), { at }],
  typebox034: [Type034.Object({ at: Type034.Tuple([Type034.Number(), Type034.Number()]) }), { at }],
  typebox1: [Type1.Object({ at: Type1.Tuple([Type1.Number(), Type1.Number()]) }), { at }],
  schema: [json({ type: 'array', prefixItems: [number, number], items: false }), { at }],
  choice: [json({ oneOf: [{ prefixItems: [{ const: 'x' }] }, { prefixItems: [{ const: 'y' }] }] }), { at: ['x'] }],
  contains: [json({ type: 'array', contains: { const: 1 }, minContains: 0 }), { at: [] }],
  negated: [json({ not: { dependentRequired: { a: ['b'] } } }), { at: { a: 1 } }],
  anchored: [{ ...json({ $dynamicRef: '#pair' }), $defs: { pair: { $dynamicAnchor: 'pair', type: 'array' } } }, { at }],
  intersection: [cat.describe('a cat').and(z.object({ b: z.number() })), { a: 'x', b: 1 }],
  pattern: [z.object({ a: z.string().regex(/^a-B$/i) }), { a: 'A-b' }],
}

const tools = Object.entries(RESULTS).map(
  ([name, [outputSchema, result]]) => ({ name, outputSchema, handler: () => result }) as ToolDefinition,
)

for (const version of ['2025-11-25', '2025-06-18']) {
  t.test(`revision ${version}: the client takes every result`, async t => {
    const { client } = await serveSdk1(t, { tools }, { version })
    await client.listTools()

    for (const [name, [, result]] of Object.entries(RESULTS))
      t.strictSame((await client.callTool({ name, arguments: {} })).structuredContent, result, name)
  })
}

t.test('arguments are listed in the same form, and in 2026-07-28 as they are', async t => {
  const inputSchema = json({ type: 'array', prefixItems: [number, number], items: false })
  const { client, app } = await serveSdk1(t, { tools: [{ name: 'go', inputSchema, handler: () => '' }] })
  const [older] = (await client.listTools()).tools
  const [newest] = (await call(app, 'tools/list')).result.tools

  t.strictSame(older?.inputSchema, json({ type: 'array', prefixItems: [number, number], maxItems: 2 }))
  t.strictSame(newest.inputSchema, inputSchema)
})
