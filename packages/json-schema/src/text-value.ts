// Converts text to a value by a schema: for fields of a form and words of a command line.
import { isExact, isNumber } from './exact-number.ts'
import { type PartSchema, toLiteralText } from './part-schema.ts'

export type TextValue =
  /** `isItem`: one element of a list; the next text with the same name adds another. */
  | { readonly value: unknown; readonly isItem?: boolean }
  /** JSON would change the written number. */
  | { readonly loss: string }

/** @throws Error for invalid JSON */
export type ParseJson = (text: string) => unknown

/** @returns undefined if the text fits no type that the schema accepts */
export function toValue(text: string, part: PartSchema, parseJson: ParseJson = JSON.parse): TextValue | undefined {
  const { literals, types } = part
  // A text of an enum stays text, even if it looks like a number.
  const literal = literals.includes(text) ? text : literals.find(each => toLiteralText(each) === text)
  if (literal !== undefined) return { value: literal }
  if (types === undefined) return { value: guess(text, parseJson) }
  for (const [type, parse] of PARSERS) {
    const found = types.has(type) ? parse(text, part, parseJson) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

type Parser = (text: string, part: PartSchema, parseJson: ParseJson) => TextValue | undefined

const parseNumber: Parser = text => {
  if (!isNumber(text)) return undefined
  return isExact(text) ? { value: Number(text) } : { loss: describeLoss(text) }
}

/** Text comes before types that the text only looks like: a number, true, false or null. */
const PARSERS: readonly (readonly [type: string, parse: Parser])[] = [
  ['array', parseList],
  ['object', (text, _part, parseJson) => parseContainer(text, '{', parseJson)],
  ['string', text => ({ value: text })],
  ['integer', parseNumber],
  ['number', parseNumber],
  ['boolean', text => (text === 'true' || text === 'false' ? { value: text === 'true' } : undefined)],
  ['null', text => (text === 'null' ? { value: null } : undefined)],
]

/** A list as JSON, or one of its elements. If the schema also accepts text, the text stays text. */
function parseList(text: string, part: PartSchema, parseJson: ParseJson): TextValue | undefined {
  const whole = parseContainer(text, '[', parseJson)
  if (whole !== undefined || part.takes('string')) return whole
  const item = toValue(text, part.item(0), parseJson)
  return item === undefined || 'loss' in item ? item : { value: item.value, isItem: true }
}

function parseContainer(text: string, bracket: string, parseJson: ParseJson): TextValue | undefined {
  if (!text.trimStart().startsWith(bracket)) return undefined
  const parsed = parseIfJson(text, parseJson)
  if (parsed === undefined) return undefined
  const loss = findLoss(text)
  return loss === undefined ? parsed : { loss }
}

function parseIfJson(text: string, parseJson: ParseJson): { readonly value: unknown } | undefined {
  try {
    return { value: parseJson(text) }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/**
 * If the schema has no types: JSON stays JSON, and the rest is text, also a number that would be
 * rounded.
 */
function guess(text: string, parseJson: ParseJson): unknown {
  const parsed = parseIfJson(text, parseJson)
  return parsed === undefined || findLoss(text) !== undefined ? text : parsed.value
}

const TEXTS_AND_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** The first number of a valid JSON text that would change when it is read. */
export function findLoss(json: string): string | undefined {
  for (const [token] of json.matchAll(TEXTS_AND_NUMBERS))
    if (!token.startsWith('"') && isNumber(token) && !isExact(token)) return describeLoss(token)
  return undefined
}

function describeLoss(written: string): string {
  const read = Number(written)
  return Number.isFinite(read) ? `${written} would become ${read}` : `${written} is too large for a number of JSON`
}
