// Reads a schema at its root, and through the references and unions there. Clients look at the root for
// the type and the properties of the arguments.

import { PartSchema } from '@toolrack/json-schema/part-schema'
import { findByPattern, followReference, getProperties } from '@toolrack/json-schema/reader'
import type { Schema } from '@toolrack/json-schema/validator'
import { isObject } from '../protocol/messages.ts'

const NOTES = ['$schema', '$id', '$comment', '$defs', 'definitions', 'title', 'description', 'default', 'examples']

/** Whether a schema has only notes, so that every value would pass. */
export const saysNothing = (schema: object) => Object.keys(schema).every(keyword => NOTES.includes(keyword))

/** The names of the properties. */
export function findDeclared(schema: Schema): ReadonlySet<string> {
  return new Set(findRootSchemas(schema).flatMap(each => Object.keys(getProperties(each))))
}

const CLOSING = ['additionalProperties', 'unevaluatedProperties']

/** Whether the root itself refuses a property that no schema there declares. */
export const isClosedTo = (schema: Schema, name: string): boolean =>
  schema['additionalProperties'] === false && findByPattern(schema, name).length === 0

/** Adds a property in such a way that no branch of the root refuses it. */
export function withProperty(schema: Schema, name: string, property: Schema): Schema {
  const copy = structuredClone(schema)
  for (const branch of findRootSchemas(copy)) {
    const isClosed = branch === copy || CLOSING.some(keyword => keyword in branch)
    const added = { [name]: branch === copy ? property : {} }
    if (isClosed) Object.assign(branch, { properties: { ...getProperties(branch), ...added } })
    Object.assign(branch, withRoomFor(branch, name))
  }
  return copy
}

/** Changes the keywords that would refuse one more property. */
function withRoomFor({ maxProperties, propertyNames }: Schema, name: string): Schema {
  return {
    ...(typeof maxProperties === 'number' && { maxProperties: maxProperties + 1 }),
    ...(propertyNames !== undefined && { propertyNames: { anyOf: [{ const: name }, propertyNames] } }),
  }
}

/** The schemas of a property at the root: those by its name, and those by a pattern. */
export function findPropertySchemas(root: Schema, name: string): { own: unknown[]; byPattern: unknown[] } {
  const schemas = findRootSchemas(root)
  return {
    own: schemas.map(getProperties).flatMap(members => (Object.hasOwn(members, name) ? [members[name]] : [])),
    byPattern: schemas.flatMap(each => findByPattern(each, name)),
  }
}

/** Whether a schema within the root may accept a string, by its types. */
export const mayBeString = (root: Schema, schema: unknown): boolean =>
  schema !== false && PartSchema.create(root, schema).takes('string')

/** Keywords with schemas for the value itself. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'then', 'else']

/** The root, and every schema that may apply to the same value. */
function findRootSchemas(root: Schema): readonly Schema[] {
  const found = new Set<Schema>()
  const collect = (schema: unknown): void => {
    if (!isObject(schema) || found.has(schema)) return
    found.add(schema)
    for (const each of [followReference(schema, root), ...IN_PLACE.flatMap(keyword => schema[keyword])]) collect(each)
  }
  collect(root)
  return [...found]
}
