// What a schema says of one place of a value: references, `allOf` and conditions are put together for that place only, so
// that a schema which refers to itself opens as far as the user opens it.
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

/** A schema whose references and parts are put together. */
export type Node = JsonObject

/** Whether a value fits a schema of the document; a condition asks it. */
export type Fits = (schema: unknown, value: unknown) => boolean

export interface Document {
  readonly root: unknown
  readonly fits: Fits
  /** Of a question: nobody fills in what its answer leaves out, and all of it is shown. */
  readonly isAnswer?: boolean | undefined
}

/** Names that JavaScript knows, such as `__proto__`, are members only if the value has them. */
export const getMember = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

/** What a schema asks of the value at its place. `true` and what cannot be read ask nothing. */
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

/** What holds since other members are there, or are as they are. */
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

/** How two values of a keyword become one. Of others the outer one counts: it is nearer to its author. */
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

/** For the form only: the validator judges the schema as it is. */
export function mergeNodes(above: Node, below: Node): Node {
  const merged: Node = { ...below }
  for (const [keyword, value] of Object.entries(above)) {
    const merge = Object.hasOwn(below, keyword) && Object.hasOwn(MERGES, keyword) ? MERGES[keyword] : undefined
    merged[keyword] = merge === undefined ? value : merge(value as never, below[keyword] as never)
  }
  return nameChoices(merged, Object.hasOwn(above, 'enumNames') ? above : below)
}

/** The names of the values that are left: `enumNames` has them by their places in the whole list. */
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

/** The names of the types that a value may have; none if the schema does not say. */
export const findTypes: (node: Node) => readonly string[] = listTypes

export const isRequired = (node: Node, name: string): boolean => getRequired(node).includes(name)

/** Whether the server fills in omitted members, also required ones. */
export const hasDefault = (schema: unknown, document: Document): boolean =>
  document.isAnswer !== true && Object.hasOwn(resolveNode(schema, undefined, document), 'default')

/** The members that a schema names, in its order. `false` forbids one. */
export const listProperties = (node: Node): readonly (readonly [name: string, schema: unknown])[] =>
  isObject(node['properties']) ? Object.entries(node['properties']).filter(([, schema]) => schema !== false) : []

/** The one value that fits: a constant, or the only one of an enumeration. */
export function findConstant(node: Node): { readonly value: unknown } | undefined {
  const literals = findLiterals(node)
  return literals?.length === 1 ? { value: literals[0] } : undefined
}

export { type Choice, isEqual }

/** The values of an enumeration, or of a union of constants, with their titles; undefined if the schema is neither. */
export const findChoices = (node: Node, document: Document): readonly Choice[] | undefined =>
  findChoicesOf(node, branch => resolveNode(branch, undefined, document))

export interface Nullable {
  readonly node: Node
  readonly isNullable: boolean
}

/** Whether `null` fits, and what else does. */
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

/** As Zod writes a value that may be left out. */
const isNever = (schema: unknown) => schema === false || (isObject(schema) && isEqual(schema['not'], {}))

const isNull = (node: Node) => node['type'] === 'null' || (Object.hasOwn(node, 'const') && node['const'] === null)
