// The capabilities that the console declares, and the schema of its results.
import type { ClientCapabilities } from '@modelcontextprotocol/client'

export const CAPABILITIES: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  extensions: { 'io.modelcontextprotocol/tasks': {} },
}

/** Accepts every result, because the console shows results as they are. */
export const ANY_RESULT = {
  '~standard': { version: 1, vendor: 'toolrack', validate: (value: unknown) => ({ value: value as never }) },
} as const
