// Unions: the possible shapes of a value, their names, and which of them the value has.
import { isOfType } from '@toolrack/json-schema/reader'
import { isObject, type JsonObject } from '../client/json-rpc.ts'
import {
  type Document,
  findChoices,
  findConstant,
  findTypes,
  getMember,
  isEqual,
  listProperties,
  mergeNodes,
  type Node,
  resolveNode,
  toArray,
} from './schema.ts'
import { createUntouched } from './untouched.ts'

export interface Shapes {
  /** The schema that applies to every shape. */
  readonly base: Node
  readonly shapes: readonly Shape[]
  /** The member whose constant differs in each shape. */
  readonly discriminator?: string | undefined
}

export interface Shape {
  readonly label: string
  /** As it is in the document, or one of several types. */
  readonly schema: unknown
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'yes or no',
  array: 'list',
  object: 'object',
}

/** The shapes of `oneOf`, `anyOf`, or of several types; undefined if there is only one. */
export function findShapes(node: Node, document: Document): Shapes | undefined {
  const keyword = ['oneOf', 'anyOf'].find(each => Array.isArray(node[each]))
  if (keyword === undefined) return findTypeShapes(node)
  if (findChoices(node, document) !== undefined) return undefined
  const { [keyword]: branches, ...base } = node
  const schemas = toArray(branches)
  const nodes = schemas.map(branch => resolveNode(branch, undefined, document))
  // Branches that only require more are rules, not shapes.
  if (nodes.every(each => isRule(each, base))) return undefined
  const discriminator = findDiscriminator(nodes, document)
  const labels = nodes.map((each, index) => toLabel(each, schemas[index], discriminator, document))
  const isClear = new Set(labels).size === labels.length && labels.every(label => label !== undefined)
  const shapes = schemas.map((schema, index) => ({
    schema,
    label: (isClear ? labels[index] : titleOf(nodes[index]!)) ?? `Shape ${index + 1}`,
  }))
  return { base, shapes, discriminator }
}

function findTypeShapes(node: Node): Shapes | undefined {
  const types = findTypes(node)
  if (types.length < 2) return undefined
  const { type, ...base } = node
  return { base, shapes: types.map(each => ({ label: WORDS[each] ?? each, schema: { type: each } })) }
}

const RULES = ['required', 'not', 'title', 'description', 'minProperties', 'maxProperties']

/** Keywords that may differ between values of the same field. */
const BOUNDS = [
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'multipleOf',
  'minItems',
  'maxItems',
]

const isRule = (node: Node, { type }: Node) =>
  Object.keys(node).every(keyword => RULES.includes(keyword) || (typeof type === 'string' && BOUNDS.includes(keyword)))

/** The one that OpenAPI names, else the first member with a different constant in every shape. */
function findDiscriminator(nodes: readonly Node[], document: Document): string | undefined {
  const names = listProperties(nodes[0] ?? {}).map(([name]) => name)
  return names.find(name => {
    const constants = nodes.map(node => findConstant(resolveNode(getProperty(node, name), undefined, document)))
    const values = constants.map(constant => JSON.stringify(constant?.value))
    return constants.every(constant => constant !== undefined) && new Set(values).size === values.length
  })
}

export const getProperty = (node: Node, name: string): unknown => getMember(node['properties'], name)

function toLabel(node: Node, schema: unknown, discriminator: string | undefined, document: Document) {
  const title = titleOf(node)
  if (title !== undefined) return title
  if (discriminator !== undefined) {
    const constant = findConstant(resolveNode(getProperty(node, discriminator), undefined, document))
    return typeof constant?.value === 'string' ? constant.value : JSON.stringify(constant?.value)
  }
  const reference = isObject(schema)
    ? /^#\/(?:\$defs|definitions)\/(\w+)$/.exec(String(schema['$ref']))?.[1]
    : undefined
  return reference ?? WORDS[findTypes(node)[0] ?? '']
}

const titleOf = (node: Node) => (typeof node['title'] === 'string' && node['title'] !== '' ? node['title'] : undefined)

/** The schema for a value of a shape. */
export const joinShape = ({ base }: Shapes, shape: Shape, value: unknown, document: Document): Node => {
  const { title, description, ...own } = resolveNode(shape.schema, value, document)
  return mergeNodes(base, description === undefined ? own : { ...own, description })
}

/**
 * Finds the shape of a value.
 *
 * @param chosen schemas of the shapes that the user has chosen here; one counts as long as the
 *   value may have it
 * @returns its index
 */
export function findShape(
  { base, shapes, discriminator }: Shapes,
  value: unknown,
  document: Document,
  chosen: readonly unknown[] = [],
): number | undefined {
  const wanted = shapes.findIndex(({ schema }) => chosen.some(each => isEqual(schema, each)))
  const isBlank = isObject(value) && discriminator !== undefined && getMember(value, discriminator) === undefined
  // Nobody has chosen. A first shape that only looks chosen could not be clicked.
  if (value === undefined || isBlank) return wanted < 0 ? undefined : wanted
  const scores = shapes.map(({ schema }) => {
    const node = resolveNode(schema, value, document)
    return scoreShape(node['type'] === undefined ? { ...node, type: base['type'] } : node, value, document)
  })
  const best = Math.max(...scores)
  const isHalf =
    typeof value === 'string' && wanted >= 0 && isNumeric(resolveNode(shapes[wanted]!.schema, value, document))
  if (isHalf || (wanted >= 0 && (scores[wanted]! > IMPOSSIBLE || best === IMPOSSIBLE))) return wanted
  if (best === IMPOSSIBLE) return undefined
  const found = shapes.flatMap((_, index) => (scores[index] === best ? [index] : []))
  if (found.length < 2) return found[0]
  const fitting = found.find(index => document.fits(shapes[index]!.schema, value))
  return fitting ?? (isObject(value) && Object.keys(value).length === 0 ? undefined : found[0])
}

/** While it is written, a number may look like `-` or `1.`. */
export const isNumeric = (node: Node): boolean => {
  const types = findTypes(node)
  return types.length > 0 && types.every(type => type === 'number' || type === 'integer')
}

const IMPOSSIBLE = Number.NEGATIVE_INFINITY

/** How well a value matches a shape: other types and constants exclude it, members count for it. */
function scoreShape(node: Node, value: unknown, document: Document): number {
  const types = findTypes(node)
  if (types.length > 0 && !types.some(type => isOfType(value, type))) return IMPOSSIBLE
  const constant = findConstant(node)
  if (constant !== undefined) return isEqual(constant.value, value) ? 10 : IMPOSSIBLE
  if (!isObject(value)) return types.includes('integer') ? 1 : 0
  return listProperties(node).reduce((score, [name, schema]) => score + scoreMember(schema, name, value, document), 0)
}

function scoreMember(schema: unknown, name: string, object: JsonObject, document: Document): number {
  const value = getMember(object, name)
  if (value === undefined) return 0
  const constant = findConstant(resolveNode(schema, undefined, document))
  if (constant === undefined) return 1
  return isEqual(constant.value, value) ? 10 : IMPOSSIBLE
}

/**
 * The initial value of a chosen shape. It contains the constant that was chosen, even if the schema
 * does not require it.
 */
export function createShape({ discriminator }: Shapes, joined: Node, document: Document): JsonObject {
  const untouched = createUntouched(joined, document)
  const member = discriminator === undefined ? undefined : getProperty(joined, discriminator)
  const constant = findConstant(resolveNode(member, undefined, document))
  return discriminator === undefined || constant === undefined
    ? untouched
    : { [discriminator]: constant.value, ...untouched }
}

/**
 * The part of a value that stays when its shape changes: members that the new shape has, too, with a
 * matching type.
 */
export function keepShared(before: unknown, fresh: unknown, node: Node, document: Document): unknown {
  if (!isObject(before) || !isObject(fresh)) {
    const types = findTypes(node)
    return before !== undefined && types.some(type => isOfType(before, type)) ? before : fresh
  }
  const kept = Object.entries(before).filter(([name, value]) => {
    const member = resolveNode(getProperty(node, name), undefined, document)
    const types = findTypes(member)
    return (
      getProperty(node, name) !== undefined &&
      findConstant(member) === undefined &&
      types.some(type => isOfType(value, type))
    )
  })
  return { ...fresh, ...Object.fromEntries(kept) }
}
