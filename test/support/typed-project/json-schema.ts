// Tools with plain JSON Schema, and without a schema.
import { defineTool, type JsonSchema } from 'toolrack'
import { assertType, type Equal } from './equal.js'

const schema: JsonSchema = { type: 'object', properties: { id: { type: 'string' } } }

export default defineTool({
  name: 'json_schema',
  inputSchema: schema,
  outputSchema: { type: 'object', properties: { id: { type: 'string' } } },
  handler(args) {
    assertType<Equal<typeof args, Record<string, unknown>>>()
    return { id: String(args['id']) }
  },
})

export const plain = defineTool({ name: 'plain', handler: () => 'text' })

// @ts-expect-error: no handler
export const noHandler = defineTool({ name: 'no_handler' })

// @ts-expect-error: a field that is unknown
export const unknownField = defineTool({ name: 'typo', timeoutMs: 5, handler: () => '' })
