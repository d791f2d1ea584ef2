// Reads a JSON Schema, keyword by keyword: types, values, members, elements, references. Signatures,
// forms, the command line, contracts and the console in the browser use it, so it imports nothing.

/** A schema that is an object. */
export type Node = { readonly [keyword: string]: unknown }

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Their values are data, as for names that begin with `x-`. The last line is from OpenAPI and Ajv. */
const DATA_KEYWORDS = new Set([
  ...['const', 'enum', 'default', 'examples'],
  ...['discriminator', 'example', 'xml', 'externalDocs', 'errorMessage'],
])
const isData = (keyword: string) => DATA_KEYWORDS.has(keyword) || keyword.startsWith('x-')
const MAP_KEYWORDS = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
])

/** The members that are schemas or contain some. A property may have the name of a data keyword. */
export function schemaMembers(node: object, isMap: boolean): { key: string; value: unknown; isMap: boolean }[] {
  return Object.entries(node)
    .filter(([key]) => isMap || Array.isArray(node) || !isData(key))
    .map(([key, value]) => ({ key, value, isMap: !isMap && MAP_KEYWORDS.has(key) }))
}

/** Copies a node, with its members mapped that are schemas or contain some. */
export function mapMembers(
  node: object,
  isMap: boolean,
  map: (value: unknown, isMap: boolean) => unknown,
): Record<string, unknown> | unknown[] {
  const copy: Record<string, unknown> | unknown[] = Array.isArray(node) ? [...node] : { ...node }
  for (const { key, value, isMap: isMapToo } of schemaMembers(node, isMap))
    (copy as Record<string, unknown>)[key] = map(value, isMapToo)
  return copy
}

/** The schemas of `allOf`, `anyOf` or `oneOf`; an empty list without that keyword. */
export const listBranches = (schema: Node, keyword: 'allOf' | 'anyOf' | 'oneOf'): readonly unknown[] => {
  const branches = schema[keyword]
  return Array.isArray(branches) ? branches : []
}

/** The names in `type`; an empty list without it. */
export const listTypes = ({ type }: Node): readonly string[] =>
  (Array.isArray(type) ? type : [type]).filter(each => typeof each === 'string')

/** Whether every value of a type has one of those types: an integer is a number. */
export const includesType = (types: Iterable<string>, type: string): boolean => {
  const all = [...types]
  return all.includes(type) || (type === 'integer' && all.includes('number'))
}

/** The narrowest type of a JSON value: `integer` for 1 and for 1.0. */
export function getTypeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

export const isOfType = (value: unknown, type: string): boolean => includesType([type], getTypeOf(value))

/** The values of `const` or `enum`; undefined without both. */
export function findLiterals(schema: Node): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema['const']]
  return Array.isArray(schema['enum']) ? schema['enum'] : undefined
}

/** One of the values that can be chosen. */
export interface Choice {
  readonly value: unknown
  /** The name of the value, or the value itself; never empty. */
  readonly label: string
}

/**
 * The values of an `enum`, with the names of `enumNames`, or of a union of constants, with their titles.
 *
 * @param resolve the branches of a union
 * @returns undefined if the schema allows other values, too
 */
export function findChoices(
  schema: Node,
  resolve = (branch: unknown): Node => (isNode(branch) ? branch : {}),
): readonly Choice[] | undefined {
  const { enum: values, enumNames, title, oneOf, anyOf } = schema
  const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : []
  if (Array.isArray(values)) return values.map((value, index) => createChoice(value, names[index]))
  if (Object.hasOwn(schema, 'const')) return [createChoice(schema['const'], title)]
  const branches = oneOf ?? anyOf
  if (!Array.isArray(branches) || branches.length === 0) return undefined
  const choices = branches.map(branch => {
    const node = resolve(branch)
    const literals = findLiterals(node)
    return literals?.length === 1 ? createChoice(literals[0], node['title']) : undefined
  })
  return choices.every(each => each !== undefined) ? choices : undefined
}

function createChoice(value: unknown, name: unknown): Choice {
  const shown = name ?? value
  return { value, label: (typeof shown === 'string' ? shown : JSON.stringify(shown)) || '""' }
}

/** The declared properties, by name. */
export const getProperties = ({ properties }: Node): Node => (isNode(properties) ? properties : {})

export const getRequired = ({ required }: Node): readonly string[] => (Array.isArray(required) ? required : [])

/** Whether a name matches, or may match: V8 and browsers do not know every pattern. */
export function mayMatch(pattern: string, name: string): boolean {
  // A library may have written the pattern with or without the flag `u`.
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags).test(name)
    } catch {
      // The pattern needs other flags, or is invalid.
    }
  }
  return true
}

/** The schemas of `patternProperties` for a name. */
export const findByPattern = ({ patternProperties }: Node, name: string, matches = mayMatch): readonly unknown[] =>
  Object.entries(isNode(patternProperties) ? patternProperties : {})
    .filter(([pattern]) => matches(pattern, name))
    .map(([, schema]) => schema)

/**
 * The schemas of a member: the declared one and those by patterns of names, else the schema for all
 * others.
 */
export function findMember(schema: Node, name: string, matches = mayMatch): readonly unknown[] {
  const properties = getProperties(schema)
  const declared = Object.hasOwn(properties, name) ? [properties[name]] : []
  const found = [...declared, ...findByPattern(schema, name, matches)]
  return found.length > 0 ? found : [schema['additionalProperties']]
}

/** The schemas for the elements of a list: the first ones, and all others. */
export interface Elements {
  readonly first: readonly unknown[]
  /** Undefined if the others may have any value. */
  readonly rest: unknown
}

/** @param isOld whether the schema uses draft-07, where `items` may be a list */
export function getElements(schema: Node, isOld = Array.isArray(schema['items'])): Elements {
  const { items, prefixItems, additionalItems } = schema
  if (!isOld) return { first: Array.isArray(prefixItems) ? prefixItems : [], rest: items }
  return Array.isArray(items) ? { first: items, rest: additionalItems } : { first: [], rest: items }
}

/**
 * @returns the target of a pointer within the document; undefined for an anchor, or without a target
 */
export function findTarget($ref: unknown, root: unknown): unknown {
  if (typeof $ref !== 'string' || !/^#(?:\/|$)/.test($ref)) return undefined
  let found = root
  for (const part of $ref.split('/').slice(1)) {
    const key = decodePart(part)
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Node)[key]
  }
  return found
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return part
  }
}

/** @returns the target of `$ref`; undefined if it is missing or not an object */
export function followReference({ $ref }: Node, root: unknown): Node | undefined {
  const target = findTarget($ref, root)
  return isNode(target) ? target : undefined
}

/** A schema and those beside it, through its reference and `allOf`, at every depth. Each comes once. */
export function listParts(schema: unknown, root: unknown, found = new Set<Node>()): ReadonlySet<Node> {
  if (!isNode(schema) || found.has(schema)) return found
  found.add(schema)
  for (const part of [followReference(schema, root), ...listBranches(schema, 'allOf')]) listParts(part, root, found)
  return found
}

export interface Property {
  readonly name: string
  readonly schema: unknown
  readonly isRequired: boolean
}

/** The properties of an object, required ones first. */
export function listProperties(schema: Node, root: unknown = schema): readonly Property[] {
  const parts = [...listParts(schema, root)]
  const required = new Set(parts.flatMap(getRequired))
  const found = new Map(parts.flatMap(part => Object.entries(getProperties(part))))
  const rows = [...found].map(([name, each]) => ({ name, schema: each, isRequired: required.has(name) }))
  return [...rows.filter(({ isRequired }) => isRequired), ...rows.filter(({ isRequired }) => !isRequired)]
}

/** Whether two JSON values are equal, in any order of members. Calls no methods of a value. */
export function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every(key => Object.hasOwn(right, key) && isEqual(left[key as never], right[key as never]))
}
