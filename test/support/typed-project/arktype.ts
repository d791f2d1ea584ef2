// Tools with schemas of ArkType.
import { type } from 'arktype'
import { defineTool } from 'toolrack'
import { assertType, type Equal } from './equal.js'

export default defineTool({
  name: 'arktype',
  inputSchema: type({ size: 'string.numeric.parse', 'unit?': "'kg' | 'piece'" }),
  outputSchema: type({ size: 'number' }),
  onCall(call, next) {
    assertType<Equal<typeof call.arguments.size, number>>()
    return next()
  },
  handler({ size, unit }) {
    assertType<Equal<typeof size, number>>()
    assertType<Equal<typeof unit, 'kg' | 'piece' | undefined>>()
    return { size }
  },
})

export const wrongResult = defineTool({
  name: 'arktype_wrong_result',
  outputSchema: type({ size: 'number' }),
  // @ts-expect-error: the schema says a number
  handler: () => ({ size: 'one' }),
})
