// Arguments of a call, as words: `sku=ABC-1234 n:=3 filter.price=3 tags=a tags=b data=@file.json`.
// The input schema says what each text means.
import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { isObject, type JsonObject } from '../../protocol/messages.ts'
import type { Schema } from '../../schema/validator.ts'
import { followReference, formatType, listProperties } from '../../signature.ts'
import { UsageError } from '../errors.ts'

/** Files and stdin that are read as an argument, bytes. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_DEPTH = 32

interface Word {
  readonly path: readonly string[]
  readonly value: unknown
  readonly isList: boolean
  /** Whether the name may come again, with another element of a list. */
  readonly isRepeatable: boolean
}

/**
 * @param base of `--args` or stdin; words add to it and replace its members
 * @throws UsageError that names the word, and what was expected
 */
export function parseArguments(words: readonly string[], inputSchema: Schema, base: JsonObject = {}): JsonObject {
  const result = structuredClone(base)
  const seen = new Set<string>()
  for (const word of words) {
    const { path, value, isList, isRepeatable } = parseWord(word, inputSchema)
    const key = JSON.stringify(path)
    if (seen.has(key) && !isRepeatable) throw new UsageError(`${path.join('.')}: is given twice, and takes one value`)
    assign(result, { path, value, isList: isList || seen.has(key) }, !seen.has(key))
    seen.add(key)
  }
  return result
}

function parseWord(word: string, root: Schema): Word {
  const [, name, sign, text] = /^([^=]+?)(:?=)(.*)$/s.exec(word) ?? []
  if (name === undefined || text === undefined)
    throw new UsageError(`${JSON.stringify(word)}: write arguments as name=value, or name:=JSON`)
  const { path, schema } = findPlace(name, root)
  const isRepeatable = takesList(schema, root)
  if (sign === ':=') return { path, value: parseJson(name, readFileText(name, text)), isList: false, isRepeatable }
  const isFile = text.startsWith('@') && !text.startsWith('@@')
  const plain = isFile ? readFileText(name, text) : text.replace(/^@@/, '@')
  const value = toValue(plain, schema, root)
  if (value !== undefined) return { path, value: value.value, isList: value.isItem === true, isRepeatable }
  throw new UsageError(`${name}: expected ${formatType(withRoot(schema, root))}, not ${shorten(plain)}`)
}

/** References of a part are found in its document. */
const withRoot = (schema: unknown, { $defs, definitions }: Schema): unknown =>
  isObject(schema) ? { $defs, definitions, ...schema } : schema

const shorten = (text: string) => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)

/** `filter.price`: a property with this name, or one of an object. */
function findPlace(name: string, root: Schema): { path: readonly string[]; schema: unknown } {
  const whole = findProperty(root, name, root)
  const parts = name.split('.')
  if (whole !== undefined || parts.length === 1) return { path: [name], schema: whole }
  if (parts.length > MAX_DEPTH || parts.includes(''))
    throw new UsageError(`${name}: expected a name, or names with points between them`)
  let schema: unknown = root
  for (const part of parts) schema = findProperty(schema, part, root)
  return { path: parts, schema }
}

/** `00` is no index: an array would take it for a name. */
const isIndex = (text: string) => /^(?:0|[1-9]\d*)$/.test(text)

/** Also if the schema says nothing of the type. */
function takesList(schema: unknown, root: Schema): boolean {
  const types = findAlternatives(schema, root).flatMap(findTypes)
  return types.length === 0 || types.includes('array')
}

/** @returns undefined if the schema says nothing of this property */
function findProperty(schema: unknown, name: string, root: Schema): unknown {
  for (const each of findAlternatives(schema, root)) {
    const found = listProperties(withRoot(each, root) as Schema).find(property => property.name === name)
    if (found !== undefined) return found.schema
    if (isObject(each['items']) && isIndex(name)) return each['items']
    if (isObject(each['additionalProperties'])) return each['additionalProperties']
  }
  return undefined
}

const MAX_ALTERNATIVES = 200

/** The schema itself, what it refers to, and the branches of its unions. */
function findAlternatives(schema: unknown, root: Schema): readonly Schema[] {
  const found: Schema[] = []
  const open: unknown[] = [schema]
  // What is added on the way is visited, too.
  for (const each of open) {
    if (!isObject(each) || found.includes(each) || found.length >= MAX_ALTERNATIVES) continue
    found.push(each)
    open.push(followReference(each, root))
    for (const key of ['anyOf', 'oneOf', 'allOf'] as const) if (Array.isArray(each[key])) open.push(...each[key])
  }
  return found
}

interface Typed {
  readonly value: unknown
  /** One element of a list, to which the next word with the same name adds. */
  readonly isItem?: boolean
}

/** @returns undefined if no type that the schema allows fits the text */
export function toValue(text: string, schema: unknown, root: Schema): Typed | undefined {
  const alternatives = findAlternatives(schema, root)
  const literal = alternatives.flatMap(findLiterals).find(each => toText(each) === text)
  if (literal !== undefined) return { value: literal }
  const types = new Set(alternatives.flatMap(findTypes))
  if (types.size === 0) return { value: alternatives.some(each => findLiterals(each).length > 0) ? text : guess(text) }
  for (const [type, parse] of PARSERS) {
    const typed = types.has(type) ? parse(text, alternatives, root) : undefined
    if (typed !== undefined) return typed
  }
  return undefined
}

const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

const findLiterals = (schema: Schema): readonly unknown[] => [
  ...(Array.isArray(schema['enum']) ? schema['enum'] : []),
  ...('const' in schema ? [schema['const']] : []),
]

function findTypes(schema: Schema): readonly string[] {
  const { type } = schema
  if (Array.isArray(type)) return type
  if (typeof type === 'string') return [type]
  return isObject(schema['properties']) ? ['object'] : schema['items'] !== undefined ? ['array'] : []
}

type Parser = (text: string, alternatives: readonly Schema[], root: Schema) => Typed | undefined

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** JSON has no infinite numbers. */
const parseNumber: Parser = text =>
  NUMBER.test(text) && Number.isFinite(Number(text)) ? { value: Number(text) } : undefined

/** Text comes before what only looks like a number: `:=` says otherwise. */
const PARSERS: readonly (readonly [type: string, parse: Parser])[] = [
  ['array', parseItems],
  ['object', text => parseIfJson(text, isObject)],
  ['string', text => ({ value: text })],
  ['integer', parseNumber],
  ['number', parseNumber],
  ['boolean', text => (text === 'true' || text === 'false' ? { value: text === 'true' } : undefined)],
  ['null', text => (text === 'null' ? { value: null } : undefined)],
]

/** A list as JSON, or one of its elements. A schema that takes a text too takes the text. */
function parseItems(text: string, alternatives: readonly Schema[], root: Schema): Typed | undefined {
  const whole = text.startsWith('[') ? parseIfJson(text, Array.isArray) : undefined
  if (whole !== undefined) return whole
  const list = alternatives.find(each => findTypes(each).includes('array'))!
  const item = toValue(text, list['items'], root)
  if (item === undefined || alternatives.some(each => findTypes(each).includes('string'))) return undefined
  return { value: item.value, isItem: true }
}

function parseIfJson(text: string, isWanted: (value: unknown) => boolean): Typed | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isWanted(value) ? { value } : undefined
  } catch {
    return undefined
  }
}

/** Without any type in the schema, JSON is JSON and the rest is text. */
const guess = (text: string): unknown => (parseIfJson(text, () => true) ?? { value: text }).value

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${name}: not valid JSON: ${(error as Error).message}`)
  }
}

/** `@file` is the text of the file; anything else is the text itself. */
function readFileText(name: string, text: string): string {
  if (!text.startsWith('@')) return text
  try {
    const bytes = readFileSync(text.slice(1))
    if (bytes.length > MAX_BYTES) throw new Error('is larger than 64 MiB')
    return decodeText(bytes)
  } catch (error) {
    throw new UsageError(`${name}: ${text.slice(1)}: ${(error as Error).message}`)
  }
}

/** Without a byte order mark. @throws Error rather than replace what is no text */
function decodeText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Error('is not text in UTF-8; tools take other files as base64 or as a URL')
  return new TextDecoder().decode(bytes)
}

/** Sets a member; a name that comes again adds to a list. */
function assign(target: JsonObject, { path, value, isList }: Omit<Word, 'isRepeatable'>, isFirst: boolean): void {
  let place: JsonObject | unknown[] = target
  for (const [index, part] of path.slice(0, -1).entries()) {
    const next: unknown = readMember(place, part)
    const fresh = isIndex(path[index + 1]!) ? [] : {}
    if (next === undefined) setMember(place, part, fresh)
    else if (typeof next !== 'object' || next === null)
      throw new UsageError(`${path.join('.')}: ${part} is already ${JSON.stringify(next)}`)
    place = readMember(place, part) as JsonObject
  }
  const last = path.at(-1)!
  const before = isFirst ? undefined : readMember(place, last)
  const items = Array.isArray(before) ? before : before === undefined ? [] : [before]
  setMember(place, last, isList ? [...items, value] : value)
}

/** List elements by number: sparse lists are refused. */
function setMember(place: JsonObject | unknown[], key: string, value: unknown): void {
  if (Array.isArray(place) && !(isIndex(key) && Number(key) <= place.length))
    throw new UsageError(`${key}: expected an index from 0 to ${place.length}, without gaps`)
  Object.defineProperty(place, key, { value, enumerable: true, writable: true, configurable: true })
}

const readMember = (place: object, key: string): unknown =>
  Object.hasOwn(place, key) ? (place as JsonObject)[key] : undefined

/** The JSON object of `--args`, or of stdin. */
export function parseArgumentObject(source: string, text: string): JsonObject {
  const value = parseJson(source, text)
  if (!isObject(value)) throw new UsageError(`${source}: expected a JSON object, such as {"sku":"ABC-1234"}`)
  return value
}

/** All of stdin as text. */
export async function readStdin(input: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of input) {
    size += chunk.length
    if (size > MAX_BYTES) throw new UsageError('stdin: is larger than 64 MiB')
    chunks.push(Buffer.from(chunk))
  }
  try {
    return decodeText(Buffer.concat(chunks))
  } catch (error) {
    throw new UsageError(`stdin: ${(error as Error).message}`)
  }
}
