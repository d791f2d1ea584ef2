// Describes a schema in the words of a form: `text, 1 to 120`, `list of whole numbers, at least 1`.
import { isObject } from '../client/json-rpc.ts'
import { formatNumber as format, formatBytes } from '../results/format.ts'
import { findItemChoices, findKind } from './kinds.ts'
import { type Document, findChoices, findTypes, listProperties, type Node, resolveNode, splitNull } from './schema.ts'
import { findShapes } from './shapes.ts'

const MAX_NAMES = 4

/** The type of a field with its bounds. A list or map is described by its items, but not deeper. */
export function describeType(node: Node, document: Document, isNullable = false): string {
  const split = splitNull(node, document)
  const words = describe(split.node, document)
  return split.isNullable || isNullable ? `${words} or null` : words
}

function describe(node: Node, document: Document): string {
  switch (findKind(node, document)) {
    case 'choice':
      return describeChoice(findChoices(node, document)!.length)
    case 'shapes':
      return `one of ${findShapes(node, document)!.shapes.length} shapes`
    case 'boolean':
      return 'yes or no'
    case 'number':
      return join(findTypes(node).includes('number') ? 'number' : 'whole number', describeBounds(node))
    case 'file':
      return join(describeFile(node), describeSize(node))
    case 'date':
      return 'date'
    case 'time':
      return node['format'] === 'time' ? 'time' : 'date and time'
    case 'text':
      return join('text', describeLength(node))
    case 'choices':
      return join(
        `any of ${findItemChoices(node, document)!.length}`,
        describeRange(node['minItems'], node['maxItems']),
      )
    case 'tuple':
      return `list of ${countPlaces(node)}`
    case 'list':
      return join(`list of ${describeItems(node, document)}`, describeRange(node['minItems'], node['maxItems']))
    case 'object':
      return describeObject(node, document)
    case 'json':
      return 'any JSON'
  }
}

const join = (...parts: string[]) => parts.filter(part => part !== '').join(', ')

/** Gives a large size in bytes, since nobody counts a million characters. */
function describeLength({ minLength, maxLength }: Node): string {
  if (typeof maxLength === 'number' && maxLength >= LONG) return `up to ${formatBytes(maxLength)}`
  return describeRange(minLength || undefined, maxLength)
}

const LONG = 10_000

const describeChoice = (count: number) => (count > 4 ? `one of ${count}` : 'choice')

function describeFile(node: Node): string {
  const [kind = ''] = String(node['contentMediaType'] ?? '').split('/')
  return ['image', 'audio', 'video'].includes(kind) ? kind : 'file'
}

/** In bytes: base64 has 4 characters for 3. */
const describeSize = ({ maxLength }: Node) =>
  typeof maxLength === 'number' ? `up to ${formatBytes(Math.floor((maxLength * 3) / 4))}` : ''

function describeRange(least: unknown, most: unknown): string {
  if (typeof least === 'number' && typeof most === 'number')
    return least === most ? `exactly ${format(most)}` : `${format(least)} to ${format(most)}`
  if (typeof most === 'number') return `up to ${format(most)}`
  return typeof least === 'number' ? `at least ${format(least)}` : ''
}

function describeBounds({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Node): string {
  if (typeof minimum === 'number' || typeof maximum === 'number') {
    const range = describeRange(minimum, maximum)
    if (range !== '' && exclusiveMinimum === undefined && exclusiveMaximum === undefined) return range
  }
  return join(
    typeof minimum === 'number' ? `at least ${format(minimum)}` : '',
    typeof exclusiveMinimum === 'number' ? `more than ${format(exclusiveMinimum)}` : '',
    typeof maximum === 'number' ? `up to ${format(maximum)}` : '',
    typeof exclusiveMaximum === 'number' ? `less than ${format(exclusiveMaximum)}` : '',
  )
}

const countPlaces = (node: Node) => {
  const places = node['prefixItems'] ?? node['items']
  return Array.isArray(places) ? places.length : 0
}

const ITEMS: Readonly<Partial<Record<ReturnType<typeof findKind>, string>>> = {
  text: 'text',
  number: 'numbers',
  boolean: 'yes or no',
  choice: 'choices',
  choices: 'lists',
  date: 'dates',
  time: 'times',
  file: 'files',
  object: 'objects',
  list: 'lists',
  tuple: 'lists',
  shapes: 'shapes',
}

const describeItems = (node: Node, document: Document) =>
  ITEMS[findKind(resolveNode(node['items'] ?? true, undefined, document), document)] ?? 'any JSON'

function describeObject(node: Node, document: Document): string {
  const names = listProperties(node).map(([name]) => name)
  if (names.length === 0) {
    const values = node['additionalProperties']
    return isObject(values) ? `names to ${describeItems({ items: values }, document)}` : 'names to any JSON'
  }
  return 'object'
}

/** The first members of an object, behind Add. */
export function describeMembers(node: Node): string {
  const names = listProperties(node).map(([name]) => name)
  const more = names.length > MAX_NAMES ? ', …' : ''
  return names.length === 0 ? '' : ` · ${names.slice(0, MAX_NAMES).join(', ')}${more}`
}
