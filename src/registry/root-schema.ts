// What a schema says of the whole value: at its root, or by references and unions there. Clients
// look for the type and the properties of the arguments at the root.
import { isObject } from '../protocol/messages.ts'
import { findDialect } from '../schema/dialect.ts'
import { References } from '../schema/references.ts'
import type { Schema } from '../schema/validator.ts'

/** Adds the type that the specification asks for, if the schema takes objects only. */
export function withObjectType(schema: Schema): Schema {
  const inlined = inlineRoot(schema)
  return inlined['type'] === undefined && takesObjects(inlined) ? { type: 'object', ...inlined } : inlined
}

const NOTES = ['$schema', '$id', '$comment', '$defs', 'definitions', 'title', 'description', 'default', 'examples']

/** Whether it has notes only, so that every value would pass. */
export const saysNothing = (schema: object) => Object.keys(schema).every(keyword => NOTES.includes(keyword))

/** The names of the properties. */
export function findDeclared(schema: Schema): ReadonlySet<string> {
  const members = findRootSchemas(schema).map(({ properties }) => properties)
  return new Set(members.filter(isObject).flatMap(Object.keys))
}

const CLOSING = ['additionalProperties', 'unevaluatedProperties']

/** Whether the root itself refuses a property that no schema there declares. */
export function isClosedTo({ patternProperties, additionalProperties }: Schema, name: string): boolean {
  return additionalProperties === false && !Object.keys(patternProperties ?? {}).some(each => isMatch(each, name))
}

/** A library may have written the pattern with the flag `u` or without. */
function isMatch(pattern: string, name: string): boolean {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags).test(name)
    } catch {
      // The pattern needs other flags, or is broken: the schema is compiled later, which says so.
    }
  }
  return true
}

/** Adds a property, which no branch of the root refuses. */
export function withProperty(schema: Schema, name: string, property: Schema): Schema {
  const copy = structuredClone(schema)
  for (const branch of findRootSchemas(copy)) {
    const isClosed = branch === copy || CLOSING.some(keyword => keyword in branch)
    const added = { [name]: branch === copy ? property : {} }
    if (isClosed) Object.assign(branch, { properties: { ...(branch['properties'] as Schema), ...added } })
    Object.assign(branch, withRoomFor(branch, name))
  }
  return copy
}

/** The keywords that would refuse one more property, changed. */
function withRoomFor({ maxProperties, propertyNames }: Schema, name: string): Schema {
  return {
    ...(typeof maxProperties === 'number' && { maxProperties: maxProperties + 1 }),
    ...(propertyNames !== undefined && { propertyNames: { anyOf: [{ const: name }, propertyNames] } }),
  }
}

/** What the root says of such a property: its declarations, and those by a pattern. */
export function findPropertySchemas(root: Schema, name: string): { own: unknown[]; byPattern: unknown[] } {
  const [own, byPattern]: [unknown[], unknown[]] = [[], []]
  for (const { properties, patternProperties } of findRootSchemas(root)) {
    if (isObject(properties) && Object.hasOwn(properties, name)) own.push(properties[name])
    if (!isObject(patternProperties)) continue
    for (const [pattern, schema] of Object.entries(patternProperties))
      if (isMatch(pattern, name)) byPattern.push(schema)
  }
  return { own, byPattern }
}

const MAX_DEPTH = 32

/** Whether a schema within the root may take a string, by what it says of types. */
export function mayBeString(root: Schema, schema: unknown): boolean {
  const follow = createFollow(root)
  const decide = (schema: unknown, depth: number): boolean => {
    if (!isObject(schema) || depth > MAX_DEPTH) return schema !== false
    const { type, enum: values, allOf, anyOf, oneOf } = schema
    if (type !== undefined) return [type].flat().includes('string')
    if ('const' in schema) return typeof schema['const'] === 'string'
    if (Array.isArray(values)) return values.some(value => typeof value === 'string')
    const decideNext = (next: unknown) => decide(next, depth + 1)
    if (!decideNext(follow(schema)) || (Array.isArray(allOf) && !allOf.every(decideNext))) return false
    return [anyOf, oneOf].every(union => !Array.isArray(union) || union.some(decideNext))
  }
  return decide(schema, 0)
}

/** Of `{ $ref: '#/$defs/Order', $defs }`, as libraries write a schema with a name. */
function inlineRoot(schema: Schema): Schema {
  const { $ref, $defs, ...others } = schema
  const name = /^#\/\$defs\/([^/~%]+)$/.exec(String($ref))?.[1]
  if (name === undefined || !isObject($defs) || Object.keys(others).length > 0) return schema
  const { [name]: root, ...rest } = $defs
  if (!isObject(root)) return schema
  const isRecursive = JSON.stringify($defs).includes(`"$ref":${JSON.stringify($ref)}`)
  const kept = isRecursive ? $defs : rest
  return Object.keys(kept).length === 0 ? root : { ...root, $defs: kept }
}

function takesObjects(root: Schema): boolean {
  const follow = createFollow(root)
  const answers = new Map<unknown, boolean>()
  const decide = (schema: unknown): boolean => {
    if (!isObject(schema)) return false
    // A reference may lead back here, and says nothing then.
    if (!answers.has(schema)) answers.set(schema, false).set(schema, decideAnew(schema))
    return answers.get(schema)!
  }
  const decideAnew = (schema: Schema): boolean => {
    const { type, allOf, anyOf, oneOf } = schema
    if (type !== undefined) return type === 'object'
    if (decide(follow(schema)) || (Array.isArray(allOf) && allOf.some(decide))) return true
    return [anyOf, oneOf].some(union => Array.isArray(union) && union.every(decide))
  }
  return decide(root)
}

/** Keywords with schemas for the value itself. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'then', 'else']

/** The root, and every schema that may apply to the same value. */
function findRootSchemas(root: Schema): readonly Schema[] {
  const follow = createFollow(root)
  const found = new Set<Schema>()
  const collect = (schema: unknown): void => {
    if (!isObject(schema) || found.has(schema)) return
    found.add(schema)
    for (const each of [follow(schema), ...IN_PLACE.flatMap(keyword => schema[keyword])]) collect(each)
  }
  collect(root)
  return [...found]
}

/** What finds the schema that a `$ref` leads to. */
export function createFollow(root: Schema): (schema: Schema) => unknown {
  let references: References | undefined
  return ({ $ref }) => {
    if (typeof $ref !== 'string') return undefined
    try {
      references ??= new References(findDialect(root['$schema']) ?? '2020-12', root)
      return references.resolve($ref, references.root.resource).schema
    } catch {
      // The schema is compiled later, which says what is broken.
      return undefined
    }
  }
}
