// What a schema names of a value. Objects of the specification are open, yet what it does not name is said to no client.
import { isObject } from '../messages.ts'

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly items?: SchemaNode
}

/** A copy with the members that the schema names, at every depth. Where it names none, all stay. */
export function pickKnown<T>(schema: object, value: T): T
export function pickKnown(schema: SchemaNode, value: unknown): unknown {
  const { properties, items } = schema
  if (Array.isArray(value)) return items === undefined ? value : value.map(each => pickKnown(items, each))
  if (!isObject(value) || properties === undefined) return value
  const known: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(properties, name)) known[name] = pickKnown(properties[name]!, value[name])
  }
  return known
}
