// Tools with schemas of Valibot, which say their JSON Schema by a converter.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { defineTool } from 'toolrack'
import * as v from 'valibot'
import { assertType, type Equal } from './equal.js'

export default defineTool({
  name: 'valibot',
  inputSchema: toStandardJsonSchema(v.object({ count: v.optional(v.number(), 1), note: v.optional(v.string()) })),
  outputSchema: toStandardJsonSchema(v.object({ count: v.number() })),
  onCall(call, next) {
    assertType<Equal<typeof call.arguments.count, number>>()
    return next()
  },
  handler({ count, note }) {
    assertType<Equal<typeof count, number>>()
    assertType<Equal<typeof note, string | undefined>>()
    return { count }
  },
})

export const wrongResult = defineTool({
  name: 'valibot_wrong_result',
  outputSchema: toStandardJsonSchema(v.object({ count: v.number() })),
  // @ts-expect-error: the schema says a number
  handler: async () => ({ count: 'one' }),
})

export const unlisted = defineTool({
  name: 'valibot_unlisted',
  // @ts-expect-error: says no JSON Schema, so nothing could be listed
  inputSchema: v.object({ count: v.number() }),
  handler: () => '',
})
