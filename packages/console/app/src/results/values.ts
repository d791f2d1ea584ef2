// JSON values of a tool: the labels of the tree's nodes, and the text of values.
import { isObject } from '../client/json-rpc.ts'
import { ExactNumber, parseExact } from './exact.ts'
import { formatCount, formatNumber } from './format.ts'

export const isScalar = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || value instanceof ExactNumber

export const isNumeric = (value: unknown): boolean => typeof value === 'number' || value instanceof ExactNumber

/** An object with members, not a list and not a number. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && !(value instanceof ExactNumber)

/** Own properties only: a row may lack `__proto__` or `constructor`. */
export const readOwn = (record: object, key: string): unknown =>
  Object.hasOwn(record, key) ? (record as Record<string, unknown>)[key] : undefined

const MAX_PREVIEW = 60

/**
 * A closed node of the tree in a few words: the first values of an object, else the number of
 * members.
 */
export function describe(value: object): string {
  if (Array.isArray(value)) return formatCount(value.length, 'item')
  const first = Object.values(value).filter(each => typeof each === 'string' || isNumeric(each))
  const words = first.slice(0, 2).map(String).join(', ')
  return words !== '' && words.length <= MAX_PREVIEW ? words : countMembers(value)
}

/** The label of an open node. */
export const countMembers = (value: object): string =>
  Array.isArray(value)
    ? formatCount(value.length, 'item')
    : formatCount(Object.keys(value).length, 'property', 'properties')

/** The value of a text that is a JSON object or list. */
export function parseJson(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return parseExact(text) as object
  } catch {
    // Text that only looks like JSON is shown as text.
    return undefined
  }
}

/** Indented JSON. Values that are nested too deep are shown in the tree only. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? String(value)
  } catch {
    return 'This value is nested too deep to be shown as text.'
  }
}

/** Names of numbers that are not amounts, so they have no thousands separators. */
const NAMES_ONE = /(?:^|[_\s-])(?:id|ids|year|port|code|zip|pid|no|nr|version|status|number)$|(?:Id|Year|Port|Code)$/i

/** A single value in large type: `6,744`. */
export function formatFigure(name: string, value: unknown): string {
  if (typeof value !== 'number' || NAMES_ONE.test(name)) return String(value)
  return formatNumber(value)
}
