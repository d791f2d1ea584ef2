// Chooses the field for a schema. The first matching row counts; each has a component in `fields/`.
import { isObject } from '../client/json-rpc.ts'
import { type Choice, type Document, findChoices, findTypes, listProperties, type Node, resolveNode } from './schema.ts'
import { findShapes } from './shapes.ts'

export type Kind =
  | 'choice'
  | 'shapes'
  | 'boolean'
  | 'number'
  | 'file'
  | 'date'
  | 'time'
  | 'text'
  | 'tuple'
  | 'choices'
  | 'list'
  | 'object'
  | 'json'

type Matches = (node: Node, document: Document) => boolean

const isType = (...types: string[]): Matches => {
  return node => types.includes(findTypes(node).join())
}

const isText = isType('string')
const isArray = isType('array')

/** Formats of texts that contain a file. */
const isFile: Matches = node =>
  isText(node, NOTHING) &&
  (node['contentEncoding'] === 'base64' || node['format'] === 'binary' || node['format'] === 'byte')

const NOTHING: Document = { root: true, fits: () => false }

const isTuple: Matches = node => Array.isArray(node['prefixItems']) || Array.isArray(node['items'])

/** The choices of each item of a list. */
export function findItemChoices(node: Node, document: Document): readonly Choice[] | undefined {
  if (!isArray(node, document) || !isObject(node['items'])) return undefined
  return findChoices(resolveNode(node['items'], undefined, document), document)
}

/** An object whose members the schema declares, or a map. */
const isMembers: Matches = node =>
  isType('object')(node, NOTHING) || (findTypes(node).length === 0 && listProperties(node).length > 0)

const ROWS: readonly (readonly [Kind, Matches])[] = [
  ['choice', (node, document) => findChoices(node, document) !== undefined],
  ['shapes', (node, document) => findShapes(node, document) !== undefined],
  ['boolean', isType('boolean')],
  ['number', isType('number', 'integer', 'number,integer', 'integer,number')],
  ['file', isFile],
  ['date', node => isText(node, NOTHING) && node['format'] === 'date'],
  ['time', node => isText(node, NOTHING) && (node['format'] === 'time' || node['format'] === 'date-time')],
  ['text', isText],
  ['tuple', (node, document) => isArray(node, document) && isTuple(node, document)],
  ['choices', (node, document) => node['uniqueItems'] !== false && findItemChoices(node, document) !== undefined],
  ['list', isArray],
  ['object', isMembers],
]

/** A value of any other kind is written as JSON. */
export const findKind = (node: Node, document: Document): Kind =>
  ROWS.find(([, matches]) => matches(node, document))?.[0] ?? 'json'
