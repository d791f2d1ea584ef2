// Tools with schemas of TypeBox 0.34, which the package exports.
import { defineTool, type Static, Type, text } from 'toolrack'
import { assertType, type Equal } from './equal.js'

export const Order = Type.Object({
  id: Type.String(),
  count: Type.Optional(Type.Integer()),
  unit: Type.Union([Type.Literal('kg'), Type.Literal('piece')]),
})
export type Order = Static<typeof Order>

export default defineTool({
  name: 'typebox',
  title: undefined,
  inputSchema: Order,
  outputSchema: Type.Object({ id: Type.String() }),
  onCall(call, next) {
    assertType<Equal<typeof call.arguments.id, string>>()
    return next()
  },
  handler({ id, count, unit }) {
    assertType<Equal<typeof id, string>>()
    assertType<Equal<typeof count, number | undefined>>()
    assertType<Equal<typeof unit, 'kg' | 'piece'>>()
    if (count === 0) return { content: [text('Nothing.')], isError: true }
    return { id }
  },
})

export const wrongResult = defineTool({
  name: 'typebox_wrong_result',
  outputSchema: Type.Object({ id: Type.String() }),
  // @ts-expect-error: the schema says a text
  handler: () => ({ id: 1 }),
})

export const promised = defineTool({ name: 'promised', handler: () => new Promise(resolve => resolve('text')) })
