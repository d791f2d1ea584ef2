// Schemas of TypeBox, 0.34 and 1.x: JSON Schema, but for what only TypeBox itself would check.
import { isObject } from '../protocol/messages.ts'
import { schemaMembers } from '../schema/bounds.ts'

const KIND = Symbol.for('TypeBox.Kind')

export const isTypeBox = (value: unknown): boolean =>
  isObject(value) && (Object.hasOwn(value, '~kind') || KIND in value)

const JSON_TYPES: readonly unknown[] = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string', undefined]

/**
 * @param schema of any library, as it was given; what is not plain JSON was refused before
 * @returns what JSON Schema cannot say, and the fix
 */
export function findTypeBoxFault(schema: unknown, path: readonly string[] = [], isMap = false): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined
  const where = path.length === 0 ? '' : ` at ${path.join('.')}`
  if (Object.hasOwn(schema, '~refine'))
    return `has a Refine of TypeBox${where}, which only TypeBox runs; say it in JSON Schema`
  const { type } = schema as { type?: unknown }
  if (!isMap && isTypeBox(schema) && typeof type === 'string' && !JSON_TYPES.includes(type))
    return `has the TypeBox type ${type}${where}, which JSON does not have; take a string with a format, or a number`
  for (const { key, value, isMap: holdsMap } of schemaMembers(schema, isMap)) {
    const fault = findTypeBoxFault(value, [...path, key], holdsMap)
    if (fault !== undefined) return fault
  }
  return undefined
}
