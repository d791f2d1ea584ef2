// What @valibot/to-json-schema does with what JSON Schema cannot say: it leaves out what Valibot
// itself checks afterwards, and refuses only a type that it cannot say.
import type { Direction } from './standard-schema.ts'

interface Override {
  readonly jsonSchema: Readonly<Record<string, unknown>>
  readonly errors: readonly string[] | undefined
}

interface ActionOverride extends Override {
  readonly valibotAction: { readonly kind: string; readonly type: string; readonly requirement?: unknown }
}

interface SchemaOverride extends Override {
  readonly valibotSchema: { readonly type: string }
}

/** The transformations that give a value of the type that they take. */
const SAME_TYPE: ReadonlySet<string> = new Set([
  ...['brand', 'filter_items', 'flavor', 'guard', 'normalize', 'readonly', 'sort_items', 'to_camel_case'],
  ...['to_kebab_case', 'to_lower_case', 'to_max_value', 'to_min_value', 'to_pascal_case', 'to_snake_case'],
  ...['to_upper_case', 'trim', 'trim_end', 'trim_start'],
])

/** The flags that change nothing of what a pattern finds in JSON Schema, whose own flag is `u`. */
const HARMLESS_FLAGS = /^[dgu]*$/

/** @param unlistedPatterns gets the sources of the patterns that are left out */
export function createValibotOptions(direction: Direction, unlistedPatterns: string[]): Record<string, unknown> {
  return {
    overrideAction({ valibotAction: { kind, type, requirement }, jsonSchema, errors }: ActionOverride) {
      if (errors === undefined) return undefined
      if (requirement instanceof RegExp) return leaveOutPattern(requirement, jsonSchema, unlistedPatterns)
      const isSayable = direction === 'input' || kind !== 'transformation' || SAME_TYPE.has(type)
      return isSayable ? jsonSchema : undefined
    },
    // A record whose key is no plain string: its JSON Schema has the key by `propertyNames`.
    overrideSchema: ({ valibotSchema, jsonSchema, errors }: SchemaOverride) =>
      errors !== undefined && valibotSchema.type === 'record' ? jsonSchema : undefined,
  }
}

/** JSON Schema has one pattern, and no flags. */
function leaveOutPattern(
  { source, flags }: RegExp,
  jsonSchema: Override['jsonSchema'],
  unlistedPatterns: string[],
): Override['jsonSchema'] {
  const isListed = jsonSchema['pattern'] === source
  if (isListed && HARMLESS_FLAGS.test(flags)) return jsonSchema
  unlistedPatterns.push(source)
  if (!isListed) return jsonSchema
  const { pattern: _withoutFlags, ...others } = jsonSchema
  return others
}
