// A tool as the command line reads it. Other servers may list schemas with identifiers, which forms and
// signatures do not follow; those of Toolrack have none.
import { isObject } from '../../protocol/messages.ts'
import { toLocalReferences } from '../../schema/local-references.ts'

interface WithSchemas {
  readonly inputSchema: unknown
  readonly outputSchema?: unknown
}

export function toReadable<T extends WithSchemas>(tool: T): T {
  const { inputSchema, outputSchema } = tool
  return {
    ...tool,
    inputSchema: toLocal(inputSchema),
    ...(outputSchema !== undefined && { outputSchema: toLocal(outputSchema) }),
  }
}

function toLocal(schema: unknown): unknown {
  try {
    return isObject(schema) ? toLocalReferences(schema) : schema
  } catch {
    // Too large: its references say nothing of the types then.
    return schema
  }
}
