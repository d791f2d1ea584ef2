// Tools with schemas of Zod mini, which say their JSON Schema by a function.
import { defineTool } from 'toolrack'
import * as z from 'zod/mini'
import { assertType, type Equal } from './equal.js'

const Sum = z.object({ a: z.number(), b: z._default(z.number(), 1) })

export default defineTool({
  name: 'mini',
  inputSchema: z.toJSONSchema(Sum, { io: 'input' }),
  outputSchema: z.toJSONSchema(z.object({ sum: z.number() }), { io: 'output' }),
  handler({ a, b }) {
    assertType<Equal<typeof b, number>>()
    return { sum: a + b }
  },
})

export const wrongResult = defineTool({
  name: 'mini_wrong_result',
  outputSchema: z.toJSONSchema(z.object({ sum: z.number() }), { io: 'output' }),
  // @ts-expect-error: the schema says a number
  handler: () => ({ sum: 'one' }),
})

export const unlisted = defineTool({
  name: 'mini_unlisted',
  // @ts-expect-error: says no JSON Schema, so nothing could be listed
  inputSchema: Sum,
  handler: () => '',
})
