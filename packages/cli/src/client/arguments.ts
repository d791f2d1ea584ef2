// Arguments of a call, as words: `sku=ABC-1234 n:=3 filter.price=3 tags=a tags=b data=@file.json`.
// The input schema decides the type of each text.
import { readFileSync } from 'node:fs'
import { NameError, splitName } from '@toolrack/json-schema/part-name'
import { PartSchema } from '@toolrack/json-schema/part-schema'
import { findLoss, toValue } from '@toolrack/json-schema/text-value'
import type { Schema } from '@toolrack/json-schema/validator'
import type { JsonObject } from 'toolrack'
import { isObject } from 'toolrack/protocol'
import { readUtf8 } from 'toolrack/text'
import { UsageError } from '../errors.ts'

/** Maximum size of a file or of stdin that is read as an argument, bytes. */
const MAX_BYTES = 64 * 1024 * 1024

/** A word as it was written. */
interface Written {
  readonly word: string
  readonly name: string
  readonly isJson: boolean
  readonly text: string
}

interface Word {
  readonly path: readonly string[]
  readonly value: unknown
  readonly isList: boolean
  /** Whether the name may be repeated, with another element of a list. */
  readonly isRepeatable: boolean
}

/**
 * @param base of `--args` or stdin; words add to it and replace its members
 * @throws UsageError naming the word and the expected value
 */
export function parseArguments(words: readonly string[], inputSchema: Schema, base: JsonObject = {}): JsonObject {
  const result = structuredClone(base)
  const seen = new Set<string>()
  const written = words.map(splitWord)
  const schema = PartSchema.create(inputSchema, inputSchema)
  const paths = written.map(({ name }) => toPath(name, schema))
  const texts = new Map(written.map(({ text }, index) => [JSON.stringify(paths[index]), text]))
  for (const [index, each] of written.entries()) {
    const { path, value, isList, isRepeatable } = parseWord(each, paths[index]!, { schema, texts })
    const key = JSON.stringify(path)
    if (seen.has(key) && !isRepeatable) throw new UsageError(`${path.join('.')}: is given twice, and takes one value`)
    assign(result, { path, value, isList: isList || seen.has(key) }, !seen.has(key))
    seen.add(key)
  }
  return result
}

function splitWord(word: string): Written {
  const [, name, sign, text] = /^([^=]+?)(:?=)(.*)$/s.exec(word) ?? []
  if (name === undefined || text === undefined)
    throw new UsageError(`${JSON.stringify(word)}: write arguments as name=value, or name:=JSON`)
  return { word, name, isJson: sign === ':=', text }
}

function toPath(name: string, schema: PartSchema): readonly string[] {
  try {
    return splitName(name, schema)
  } catch (error) {
    throw error instanceof NameError ? new UsageError(`${name}: ${error.message}`) : error
  }
}

interface Beside {
  readonly schema: PartSchema
  /** The text of each word, by its path as JSON. */
  readonly texts: ReadonlyMap<string, string>
}

function parseWord({ name, isJson, text }: Written, parts: readonly string[], beside: Beside): Word {
  const isListed = parts.length > 1 && parts.at(-1) === ''
  const path = isListed ? parts.slice(0, -1) : parts
  const part = findPart(path, beside)
  const isRepeatable = part.takes('array')
  if (isJson) return { path, value: parseJson(name, readFileText(name, text)), isList: isListed, isRepeatable }
  const isFile = text.startsWith('@') && !text.startsWith('@@')
  const plain = isFile ? readFileText(name, text) : text.replace(/^@@/, '@')
  const { value, isItem = false } = readText(name, plain, isListed ? part.item(0) : part)
  return { path, value, isList: isListed || isItem, isRepeatable }
}

/** The schema of a part, depending on the fields that the other words set. */
function findPart(path: readonly string[], { schema, texts }: Beside): PartSchema {
  let part = schema
  for (const [depth, name] of path.entries()) {
    const within = path.slice(0, depth)
    part = part.narrow(beside => texts.get(JSON.stringify([...within, beside]))).member(name)
  }
  return part
}

/** @throws UsageError for a text that the schema does not accept, or a number that JSON would round */
export function readText(name: string, text: string, part: PartSchema): { value: unknown; isItem?: boolean } {
  const found = toValue(text, part)
  if (found === undefined) throw new UsageError(`${name}: expected ${part.format()}, not ${shorten(text)}`)
  if ('loss' in found) throw new UsageError(`${name}: cannot be sent exactly: ${found.loss}`)
  return found
}

const shorten = (text: string) => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)

/** Without leading zeros: an array would take `00` for a name. */
const isIndex = (text: string) => /^(?:0|[1-9]\d*)$/.test(text)

function parseJson(name: string, text: string): unknown {
  const value = parse(name, text)
  const loss = findLoss(text)
  if (loss !== undefined) throw new UsageError(`${name}: cannot be sent exactly: ${loss}`)
  return value
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${name}: not valid JSON: ${(error as Error).message}`)
  }
}

/** `@file` means the text of the file. Any other text means itself. */
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

/** Removes a byte order mark. @throws Error if the bytes are not text, instead of replacing them */
function decodeText(bytes: Buffer): string {
  const text = readUtf8(bytes)
  if (text === undefined) throw new Error('is not text in UTF-8; tools take other files as base64 or as a URL')
  return text
}

/** Sets a member. A repeated name adds to a list. */
function assign(
  target: JsonObject,
  { path, value, isList }: Pick<Word, 'path' | 'value' | 'isList'>,
  isFirst: boolean,
): void {
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

/** Sets list elements by number. Refuses lists with gaps. */
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
