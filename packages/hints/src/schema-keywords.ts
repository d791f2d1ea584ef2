// Says what to write instead of a keyword of an older JSON Schema.
import { META_SCHEMAS } from '@toolrack/json-schema/dialect'
import type { Issue } from '@toolrack/json-schema/issues'
import { readPointer } from '@toolrack/json-schema/pointer'

// In draft-03, each property had its own `required`; until 2019-09, `items` could be a list.
/** @param issues of the schema @returns undefined if their messages are enough */
export function fixSchema(issues: readonly Issue[]): string | undefined {
  for (const { pointer, keyword, params } of issues) {
    if (keyword !== 'type') continue
    const keys = readPointer(pointer)
    const isSchema = String(params?.['type']) === 'object,boolean'
    if (keys.at(-3) === 'properties' && keys.at(-1) === 'required')
      return `write required: ['${keys.at(-2)}'] beside properties`
    if (keys.at(-2) === 'properties' && isSchema) return `write ${keys.at(-1)}: { type: 'string' }, or another type`
    if (keys.at(-1) === 'items' && isSchema)
      return `name a list prefixItems, or add $schema: '${META_SCHEMAS['draft-07']}'`
  }
  return undefined
}
