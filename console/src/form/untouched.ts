// Drops what the user has not filled in: optional objects that hold only constants of the form, and
// tuples without a value.
import { followReference } from '../../../src/signature.ts'
import { isObject, type JsonObject } from '../client/json-rpc.ts'

type IsValid = (schema: JsonObject, data: unknown, root: JsonObject) => boolean

/** @param root where references point to */
export function dropUntouched(schema: unknown, data: unknown, isValid: IsValid, root: unknown = schema): unknown {
  if (!isObject(data) || !isObject(schema) || !isObject(root)) return data
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const kept = Object.entries(data).flatMap(([key, value]) => {
    const property = resolve(isObject(schema['properties']) ? schema['properties'][key] : undefined, root)
    if (property === undefined) return [[key, value]]
    const inner = dropUntouched(property, value, isValid, root)
    if (required.includes(key)) return [[key, inner]]
    if (isBlankTuple(inner)) return []
    const isUntouched = isObject(inner) && hasOnlyConstants(property, inner, root)
    return isUntouched && !isValid(property, inner, root) ? [] : [[key, inner]]
  })
  return Object.fromEntries(kept)
}

/** A form shows an input for each place of a tuple; as JSON they would be `null`. */
const isBlankTuple = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(item => item === undefined)

function hasOnlyConstants(schema: JsonObject, data: JsonObject, root: JsonObject): boolean {
  const options = [schema, schema['oneOf'] ?? [], schema['anyOf'] ?? []].flat().map(each => resolve(each, root))
  return Object.entries(data).every(([key, value]) => {
    if (value === undefined) return true
    return options.some(option => {
      const property = isObject(option?.['properties']) ? option['properties'][key] : undefined
      return isObject(property) && 'const' in property && property['const'] === value
    })
  })
}

/** The schema that a reference within the document points to, or the schema itself. */
function resolve(schema: unknown, root: JsonObject): JsonObject | undefined {
  if (!isObject(schema)) return undefined
  const { $ref } = schema
  return typeof $ref === 'string' && $ref.startsWith('#/') ? followReference(schema, root) : schema
}
