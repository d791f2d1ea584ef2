// Issues at the fields where the user can fix them: only those of the chosen shape, one for each place.
import type { OutputUnit } from '@cfworker/json-schema'
import { isObject, type JsonObject } from '../client/json-rpc.ts'
import { fillDefaults } from './fill-defaults.ts'
import type { Judge } from './judge.ts'
import {
  type Document,
  getMember,
  isEqual,
  listProperties,
  type Node,
  resolveNode,
  splitNull,
  toArray,
} from './schema.ts'
import { findShape, findShapes, getProperty, isNumeric, joinShape } from './shapes.ts'

export interface Issue {
  /** Names of members and numbers of items, from the outside. */
  readonly path: readonly string[]
  readonly keyword: string
  /** The value of the keyword in the schema, such as 100 for `minimum`. */
  readonly rule: unknown
}

/** By the pointer of their places. */
export type Issues = ReadonlyMap<string, Issue>

/**
 * The shapes that the user has chosen, by the pointers of their places. A union within a union has
 * several.
 */
export type Chosen = ReadonlyMap<string, readonly unknown[]>

/**
 * Moves the chosen shapes of a list's items, and of their members, to the new positions of the
 * items.
 */
export function moveChosen(chosen: Chosen, pointer: string, to: (index: number) => number | undefined): Chosen {
  const moved = [...chosen].flatMap<[string, readonly unknown[]]>(([at, schemas]) => {
    if (!at.startsWith(`${pointer}/`)) return [[at, schemas]]
    const [index = '', ...below] = at.slice(pointer.length + 1).split('/')
    const next = to(Number(index))
    return next === undefined ? [] : [[[pointer, next, ...below].join('/'), schemas]]
  })
  return new Map(moved)
}

export const toPointer = (path: readonly (string | number)[]): string =>
  path.map(key => `/${encodeURIComponent(toWellFormed(String(key)))}`).join('')

/** Half a character of UTF-16 cannot be encoded. */
const toWellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, '\ufffd')

const decodePointer = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map(part => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))

/** @returns undefined if the schema cannot be judged in the browser */
export function findIssues(judge: Judge, document: Document, value: unknown, chosen: Chosen): Issues | undefined {
  try {
    const filled = fillDefaults(value, document)
    const errors = judge.findErrors(filled)
    return errors && nameIssues(errors, document, filled, chosen)
  } catch {
    // Such as a value or a schema that refers to itself without an end.
    return undefined
  }
}

function nameIssues(errors: readonly OutputUnit[], document: Document, value: unknown, chosen: Chosen): Issues {
  const found = new Map<string, Issue>()
  const add = (issue: Issue) => {
    const pointer = toPointer(issue.path)
    if (!found.has(pointer)) found.set(pointer, issue)
  }
  for (const [pointer, schemas] of chosen) {
    const issue = findHalf(decodePointer(pointer), schemas, { document, value, chosen })
    if (issue !== undefined) add(issue)
  }
  const walked = errors.flatMap((error, index) => walk(error, errors[index - 1], { document, value, chosen }))
  for (const each of walked) if (!hasReasonBelow(each, walked)) for (const issue of toIssues(each, value)) add(issue)
  return new Map(sortAsShown([...found], document, value, chosen))
}

/** A text in a field for numbers, if the schema also allows text and so reports no issue. */
function findHalf(
  path: readonly string[],
  schemas: readonly unknown[],
  { document, value }: Context,
): Issue | undefined {
  if (typeof getAt(value, path) !== 'string') return undefined
  const found = schemas.map(schema => resolveNode(schema, undefined, document)).find(isNumeric)
  return found && { path, keyword: 'type', rule: found['type'] }
}

/** In the order of their fields, because the first one gets the focus. */
function sortAsShown(entries: [string, Issue][], document: Document, value: unknown, chosen: Chosen) {
  const ranked = entries.map(entry => ({ entry, rank: rank(entry[1].path, { document, value, chosen }) }))
  return ranked.sort((one, other) => compareRanks(one.rank, other.rank)).map(({ entry }) => entry)
}

/** The position of each part of a path among the members of its object, or the items of its list. */
function rank(path: readonly string[], { document, value, chosen }: Context): number[] {
  let schema: unknown = document.root
  return path.map((key, depth) => {
    const around = path.slice(0, depth)
    const here = getAt(value, around)
    const { node } = splitNull(resolveNode(schema, here, document), document)
    const shapes = findShapes(node, document)
    const index = shapes && findShape(shapes, here, document, chosen.get(toPointer(around)))
    const own = shapes && index !== undefined ? joinShape(shapes, shapes.shapes[index]!, here, document) : node
    const at = listProperties(own).findIndex(([name]) => name === key)
    schema = at < 0 ? getMember(own, 'items') : getProperty(own, key)
    return at < 0 && !Array.isArray(here) ? Number.MAX_SAFE_INTEGER : at < 0 ? Number(key) : at
  })
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((each, index) => each !== other[index])
  return at < 0 ? one.length - other.length : one[at]! - (other[at] ?? -1)
}

/** Errors of these keywords only say that there is an error below. */
const STEPS: readonly string[] = [
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'dependentSchemas',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  '$ref',
  'allOf',
  'if',
  'propertyNames',
]

const UNIONS: readonly string[] = ['oneOf', 'anyOf']

/** An error, and the schemas on its way. */
interface Walked {
  readonly keyword: string
  readonly path: readonly string[]
  readonly location: string
  /** The schema that has the keyword. */
  readonly schema: Node
}

interface Context {
  readonly document: Document
  readonly value: unknown
  readonly chosen: Chosen
}

/** @returns an empty list for a step, and for an error of a shape that is not chosen */
function walk(error: OutputUnit, before: OutputUnit | undefined, context: Context): Walked[] {
  if (STEPS.includes(error.keyword)) return []
  // For `false`, the library reports the place of the value; the error before it has the place of
  // the schema.
  const isFalse = error.keyword === 'false'
  const location = isFalse ? (before?.keywordLocation ?? '#') : error.keywordLocation
  const path = decodePointer(error.instanceLocation)
  const steps = decodePointer(location)
  const schema = followSteps(isFalse ? steps : steps.slice(0, -1), path, context)
  return schema === undefined
    ? []
    : [{ keyword: error.keyword, path, location, schema: isObject(schema) ? schema : {} }]
}

/** These keywords contain the schemas of members and items. */
const CHILDREN: readonly string[] = STEPS.slice(0, 4).concat(
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
)

/** @returns undefined if the way leads through a shape that is not chosen */
function followSteps(steps: readonly string[], path: readonly string[], context: Context): unknown {
  const { document } = context
  let schema: unknown = document.root
  let depth = 0
  for (let at = 0; at < steps.length; at++) {
    const keyword = steps[at]!
    if (keyword === '$ref') {
      schema = resolveReference(schema, document)
      continue
    }
    const parent = schema
    schema = getBelow(schema, keyword)
    const next = steps[at + 1]
    const isNamed =
      Array.isArray(schema) || ['properties', 'patternProperties', 'dependentSchemas', 'dependencies'].includes(keyword)
    if (isNamed && next !== undefined) {
      schema = getBelow(schema, next)
      at++
    }
    if (CHILDREN.includes(keyword)) depth++
    if (UNIONS.includes(keyword) && !isChosen(parent, schema, path.slice(0, depth), context)) return undefined
  }
  return schema ?? {}
}

const getBelow = (schema: unknown, key: string): unknown =>
  Array.isArray(schema) ? schema[Number(key)] : getMember(schema, key)

const resolveReference = (schema: unknown, { root }: Document): unknown =>
  isObject(schema) && typeof schema['$ref'] === 'string'
    ? decodePointer(schema['$ref']).reduce<unknown>(getBelow, root)
    : undefined

function isChosen(parent: unknown, branch: unknown, path: readonly string[], { document, value, chosen }: Context) {
  const here = getAt(value, path)
  const { node } = splitNull(resolveNode(parent, here, document), document)
  const shapes = findShapes(node, document)
  if (shapes === undefined) {
    // If one branch is null and one is not, the user should fix the other one. Constants and rules
    // are not choices.
    const others = [...toArray(getMember(parent, 'oneOf')), ...toArray(getMember(parent, 'anyOf'))]
    const isOptional = others.length === 2 && splitNull(parent as Node, document).isNullable
    return isOptional && here !== null && getMember(resolveNode(branch, here, document), 'type') !== 'null'
  }
  const index = findShape(shapes, here, document, chosen.get(toPointer(path)))
  return index !== undefined && isEqual(shapes.shapes[index]?.schema, branch)
}

const getAt = (value: unknown, path: readonly string[]): unknown => path.reduce<unknown>(getBelow, value)

/** For a union: whether the chosen shape explains the issue. */
const hasReasonBelow = ({ keyword, location }: Walked, all: readonly Walked[]): boolean =>
  UNIONS.includes(keyword) && all.some(other => other.location.startsWith(`${location}/`))

function toIssues({ keyword, path, schema }: Walked, value: unknown): Issue[] {
  const missing = findMissing(keyword, schema, getAt(value, path))
  if (missing === undefined) return [{ path, keyword, rule: schema[keyword] }]
  return missing.map(name => ({ path: [...path, name], keyword: 'required', rule: undefined }))
}

/** The missing members; undefined if the keyword does not require members. */
function findMissing(keyword: string, schema: Node, value: unknown): readonly string[] | undefined {
  const object: JsonObject = isObject(value) ? value : {}
  const isMissing = (name: string) => !Object.hasOwn(object, name)
  if (keyword === 'required') return toNames(schema['required']).filter(isMissing)
  if (keyword !== 'dependentRequired' && keyword !== 'dependencies') return undefined
  const rules = isObject(schema[keyword]) ? Object.entries(schema[keyword]) : []
  return rules.flatMap(([name, needed]) => (isMissing(name) ? [] : toNames(needed).filter(isMissing)))
}

const toNames = (names: unknown) => toArray(names).filter(name => typeof name === 'string')
