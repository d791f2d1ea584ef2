// Tools with schemas of TypeBox 1.x.
import { defineTool } from 'toolrack'
import { Type } from 'typebox'
import { assertType, type Equal } from './equal.js'

export default defineTool({
  name: 'typebox_1',
  inputSchema: Type.Object({ id: Type.String(), count: Type.Optional(Type.Integer()) }),
  outputSchema: Type.Object({ id: Type.String() }),
  handler({ id, count }) {
    assertType<Equal<typeof id, string>>()
    assertType<Equal<typeof count, number | undefined>>()
    return { id }
  },
})

export const wrongResult = defineTool({
  name: 'typebox_1_wrong_result',
  outputSchema: Type.Object({ id: Type.String() }),
  // @ts-expect-error: the schema says a text
  handler: () => ({ id: 1 }),
})
