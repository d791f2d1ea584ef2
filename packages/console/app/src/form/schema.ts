// Reads the schema for one place of a value. It merges references, `allOf` and conditions for that
// place only. So a schema that refers to itself opens only as far as the user opens it.
import {
  type Choice,
  findChoices as findChoicesOf,
  findLiterals,
  followReference,
  getRequired,
  isEqual,
  listTypes,
} from '@toolrack/json-schema/reader'
import { isObject, type JsonObject } from '../client/json-rpc.ts'

/** A schema with its references and parts merged. */
export type Node = JsonObject

/** Whether a value matches a schema of the document; used for conditions. */
export type Fits = (schema: unknown, value: unknown) => boolean

export interface Document {
  readonly root: unknown
  readonly fits: Fits
  /** For a question: its answer gets no defaults, and all of it is shown. */
  readonly isAnswer?: boolean | undefined
}

/** Names that JavaScript knows, such as `__proto__`, are members only if the value has them. */
export const getMember = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

/** The requirements for the value at its place. `true` and unreadable schemas require nothing. */
export function resolveNode(schema: unknown, value: unknown, document: Document): Node {
  const parts = collectParts(schema, value, document, new Set())
  return parts.length === 1
    ? parts[0]!
    : withoutParts(parts.reduceRight((below, above) => mergeNodes(above, below), {}))
}

/** Each part once, however often it is referred to. */
function collectParts(schema: unknown, value: unknown, document: Document, seen: Set<unknown>): Node[] {
  if (!isObject(schema) || seen.has(schema)) return []
  seen.add(schema)
  const below = [
    followReference(schema, document.root),
    ...toArray(schema['allOf']),
    ...findConditional(schema, value, document),
  ]
  return [schema, ...below.flatMap(part => collectParts(part, value, document, seen))]
}

/** The schemas that apply because of other members and their values. */
function findConditional(schema: Node, value: unknown, { fits }: Document): unknown[] {
  const parts: unknown[] = []
  if (schema['if'] !== undefined) parts.push(schema[fits(schema['if'], value ?? {}) ? 'then' : 'else'])
  for (const keyword of ['dependentSchemas', 'dependentRequired', 'dependencies']) {
    const members = isObject(schema[keyword]) ? schema[keyword] : {}
    for (const [name, part] of Object.entries(members))
      if (getMember(value, name) !== undefined) parts.push(Array.isArray(part) ? { required: part } : part)
  }
  return parts
}

const PARTS = ['$ref', 'allOf', 'if', 'then', 'else']

const withoutParts = (node: Node): Node =>
  Object.fromEntries(Object.entries(node).filter(([keyword]) => !PARTS.includes(keyword)))

type Merge = (above: never, below: never) => unknown

/**
 * How to merge two values of a keyword. For others, the outer one counts, because its author wrote
 * it for this place.
 */
const MERGES: Readonly<Record<string, Merge>> = {
  type: (above: unknown, below: unknown) => {
    const kept = toArray(above).filter(each => toArray(below).includes(each))
    return kept.length === 1 ? kept[0] : kept
  },
  enum: (above: unknown[], below: unknown[]) => above.filter(each => below.some(other => isEqual(each, other))),
  required: (above: string[], below: string[]) => [...new Set([...toArray(above), ...toArray(below)])],
  properties: mergeMembers,
  patternProperties: mergeMembers,
  additionalProperties: mergeSchemas,
  items: mergeSchemas,
  minimum: Math.max,
  exclusiveMinimum: Math.max,
  minLength: Math.max,
  minItems: Math.max,
  minProperties: Math.max,
  maximum: Math.min,
  exclusiveMaximum: Math.min,
  maxLength: Math.min,
  maxItems: Math.min,
  maxProperties: Math.min,
}

/** Only for the form: the validator uses the schema as it is. */
export function mergeNodes(above: Node, below: Node): Node {
  const merged: Node = { ...below }
  for (const [keyword, value] of Object.entries(above)) {
    const merge = Object.hasOwn(below, keyword) && Object.hasOwn(MERGES, keyword) ? MERGES[keyword] : undefined
    merged[keyword] = merge === undefined ? value : merge(value as never, below[keyword] as never)
  }
  return nameChoices(merged, Object.hasOwn(above, 'enumNames') ? above : below)
}

/** The names of the remaining values: `enumNames` has them by their positions in the whole list. */
function nameChoices(node: Node, { enum: values, enumNames: names }: Node): Node {
  if (!Array.isArray(node['enum']) || !Array.isArray(values) || !Array.isArray(names)) return node
  return { ...node, enumNames: node['enum'].map(value => names[values.findIndex(each => isEqual(each, value))]) }
}

function mergeMembers(above: JsonObject, below: JsonObject): unknown {
  if (!isObject(above) || !isObject(below)) return above
  const names = new Set([...Object.keys(above), ...Object.keys(below)])
  return Object.fromEntries(
    [...names].map(name => [name, mergeSchemas(getMember(above, name) ?? true, getMember(below, name) ?? true)]),
  )
}

function mergeSchemas(above: unknown, below: unknown): unknown {
  if (above === false || below === false) return false
  if (!isObject(above)) return below
  return isObject(below) && above !== below ? { allOf: [above, below] } : above
}

export const toArray = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value]

/** The allowed types; an empty list if the schema does not say. */
export const findTypes: (node: Node) => readonly string[] = listTypes

export const isRequired = (node: Node, name: string): boolean => getRequired(node).includes(name)

/** Whether the server adds omitted members, also required ones. */
export const hasDefault = (schema: unknown, document: Document): boolean =>
  document.isAnswer !== true && Object.hasOwn(resolveNode(schema, undefined, document), 'default')

/** The declared members, in order. `false` forbids one. */
export const listProperties = (node: Node): readonly (readonly [name: string, schema: unknown])[] =>
  isObject(node['properties']) ? Object.entries(node['properties']).filter(([, schema]) => schema !== false) : []

/** The only valid value: a constant, or the only value of an enumeration. */
export function findConstant(node: Node): { readonly value: unknown } | undefined {
  const literals = findLiterals(node)
  return literals?.length === 1 ? { value: literals[0] } : undefined
}

export { type Choice, isEqual }

/** The values of an enumeration, or of a union of constants, with their titles; else undefined. */
export const findChoices = (node: Node, document: Document): readonly Choice[] | undefined =>
  findChoicesOf(node, branch => resolveNode(branch, undefined, document))

export interface Nullable {
  readonly node: Node
  readonly isNullable: boolean
}

/** Whether `null` is valid, and the schema for other values. */
export function splitNull(node: Node, document: Document): Nullable {
  const types = findTypes(node)
  if (types.length > 1 && types.includes('null')) {
    const [first, ...others] = types.filter(type => type !== 'null')
    const { enum: values, ...rest } = node
    const kept = Array.isArray(values) && { enum: values.filter(value => value !== null) }
    const type = others.length === 0 ? first : [first, ...others]
    return { node: nameChoices({ ...rest, ...kept, type }, node), isNullable: true }
  }
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = toArray(node[keyword])
    const resolved = branches.map(branch => resolveNode(branch, undefined, document))
    const others = branches.filter((branch, index) => !isNull(resolved[index]!) && !isNever(branch))
    if (others.length === branches.length || others.length === 0) continue
    const { [keyword]: _, ...rest } = node
    const inner =
      others.length === 1
        ? mergeNodes(rest, resolveNode(others[0], undefined, document))
        : { ...rest, [keyword]: others }
    return { node: inner, isNullable: resolved.some(isNull) }
  }
  return { node, isNullable: false }
}

/** Zod writes this for a value that may be left out. */
const isNever = (schema: unknown) => schema === false || (isObject(schema) && isEqual(schema['not'], {}))

const isNull = (node: Node) => node['type'] === 'null' || (Object.hasOwn(node, 'const') && node['const'] === null)
