// Drops slow regular expressions from a schema. The server runs them in linear time, but a browser
// backtracks: a hostile pattern would block the page. The server still checks the dropped ones.
import { mapMembers } from '@toolrack/json-schema/reader'
import { isObject, type JsonObject } from '../client/json-rpc.ts'

/** Maximum number of paths that a browser may have to try for one pattern: well below a second. */
const MAX_PATHS = 10_000_000

/**
 * Its check in @cfworker/json-schema backtracks without a bound, and JSON Schema has no such format.
 */
const UNBOUNDED_FORMAT = 'url'

interface Lengths {
  /** Of the longest text that `pattern` is tried on. */
  readonly text: number
  /** Of the longest key that `patternProperties` are tried on. */
  readonly key: number
}

/**
 * Copies the schema without slow patterns and formats.
 *
 * @param onCopy gets each schema and its copy
 */
export function boundPatterns(
  schema: unknown,
  lengths: Lengths,
  onCopy: (schema: JsonObject, copy: JsonObject) => void = () => {},
): unknown {
  const copyOne = (value: unknown, isMap = false): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (isMap || !isObject(value)) return mapMembers(value, isMap, copyOne)
    const copy = mapMembers(boundOwn(value, lengths), false, copyOne) as JsonObject
    onCopy(value, copy)
    return copy
  }
  return copyOne(schema)
}

function boundOwn(schema: JsonObject, { text, key }: Lengths): JsonObject {
  const { pattern, format, patternProperties } = schema
  const dropped: string[] = []
  if (typeof pattern === 'string' && !isFast(pattern, text)) dropped.push('pattern')
  if (format === UNBOUNDED_FORMAT) dropped.push('format')
  const members = isObject(patternProperties) ? Object.entries(patternProperties) : []
  const fast = members.filter(([source]) => isFast(source, key))
  // A member that a dropped pattern allows must not count as additional.
  if (fast.length < members.length) dropped.push('patternProperties', 'additionalProperties', 'unevaluatedProperties')
  if (dropped.length === 0) return schema
  const kept = Object.entries(schema).filter(([name]) => !dropped.includes(name))
  return Object.fromEntries(fast.length > 0 ? [...kept, ['patternProperties', Object.fromEntries(fast)]] : kept)
}

/** Whether a browser can try a pattern on a text of this length. */
export const isFast = (source: string, length: number): boolean => countPaths(source, length) <= MAX_PATHS

/**
 * An upper bound of the number of ways in which a backtracking matcher can try a pattern on a text;
 * `Infinity` if unbounded.
 *
 * @param length characters of the text
 */
export function countPaths(source: string, length: number): number {
  const starts = source.startsWith('^') && !source.includes('|') ? 1 : length + 1
  const reader = { source, at: 0, length }
  const paths = countChoice(reader)
  return reader.at < source.length ? Number.POSITIVE_INFINITY : starts * paths
}

interface Reader {
  readonly source: string
  readonly length: number
  at: number
}

/** `a|b|c`: the ways of all alternatives, added. */
function countChoice(reader: Reader): number {
  let paths = countSequence(reader)
  while (reader.source[reader.at] === '|') {
    reader.at++
    paths += countSequence(reader)
  }
  return paths
}

/** `abc`: the ways of all parts, multiplied. */
function countSequence(reader: Reader): number {
  let paths = 1
  while (reader.at < reader.source.length && !'|)'.includes(reader.source[reader.at]!))
    paths *= countRepeats(countAtom(reader), reader)
  return paths
}

const CLASS = /\[(?:\\.|[^\]\\])*\]/sy
const GROUP = /\((?:\?(?:[:=!]|<[=!]|<\w+>))?/y
const ESCAPE = /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|.)/sy
const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y

function take(reader: Reader, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = reader.at
  const match = pattern.exec(reader.source)
  if (match !== null) reader.at = pattern.lastIndex
  return match
}

function countAtom(reader: Reader): number {
  if (take(reader, GROUP) !== null) {
    const paths = countChoice(reader)
    reader.at++
    return paths
  }
  if (take(reader, CLASS) === null && take(reader, ESCAPE) === null) reader.at++
  return 1
}

/** The ways of a repeated part, such as `a+`: each number of repeats, with each way each time. */
function countRepeats(paths: number, reader: Reader): number {
  const quantifier = take(reader, QUANTIFIER)
  if (quantifier === null) return paths
  const [text, least, comma, most] = quantifier
  const unlimited = reader.length
  const min = least === undefined ? 0 : Math.min(Number(least), unlimited)
  const max = text[0] === '?' ? 1 : least === undefined || (comma && !most) ? unlimited : Number(most ?? least)
  const times = Math.min(max, unlimited)
  return paths === 1 ? Math.max(1, times - min + 1) : (times + 1) * paths ** times
}
