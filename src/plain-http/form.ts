// Reads the arguments of a call from a form. The tool's schema says which texts are numbers, lists
// or objects. https://url.spec.whatwg.org, "application/x-www-form-urlencoded".
import { isUtf8 } from 'node:buffer'
import { McpError } from '../protocol/errors.ts'
import { parseJson } from '../protocol/json.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { FieldSchema } from './field-types.ts'

/** Fields of a form. */
export const MAX_FIELDS = 1000
/** Names within a name: `a[b][c]` has three. */
export const MAX_FIELD_DEPTH = 16

/** The texts of a field, or the fields within it. */
interface Field {
  readonly texts: string[]
  readonly members: Map<string, Field>
  /** Whether its name ends in `[]`. */
  isListed: boolean
}

const createField = (): Field => ({ texts: [], members: new Map(), isListed: false })

/**
 * @param schema of the arguments; without one, each field may have any type
 * @throws McpError PARSE_ERROR (400) if it is no form in UTF-8, INVALID_REQUEST (400) past a bound,
 *   INVALID_ARGUMENTS (422) for a field that is both a value and an object
 */
export function parseForm(body: Buffer, schema: unknown): JsonObject {
  const type = FieldSchema.create(schema, schema)
  const root = createField()
  for (const [name, text] of readFields(body)) addField(root, splitName(name, type), { name, text })
  return toObject(root.members, type)
}

function readFields(body: Buffer): URLSearchParams {
  if (!isUtf8(body)) throw new McpError('PARSE_ERROR', 'the form is not UTF-8')
  const text = body.toString('utf8')
  try {
    // URLSearchParams would replace what is malformed.
    decodeURIComponent(text)
  } catch {
    throw new McpError('PARSE_ERROR', 'the form is not percent-encoded UTF-8; curl has --data-urlencode for it')
  }
  const fields = new URLSearchParams(text)
  if (fields.size > MAX_FIELDS) throw new McpError('INVALID_REQUEST', `more than ${MAX_FIELDS} fields`)
  return fields
}

/** `filter[price]` and `filter.price` are members of `filter`, unless the schema has that very name. */
function splitName(name: string, type: FieldSchema): string[] {
  if (type.hasProperty(name)) return [name]
  const [, head, brackets] = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name) ?? []
  if (head !== undefined) return assertDepth([head, ...brackets!.slice(1, -1).split('][')])
  const parts = name.split('.')
  return type.hasProperty(parts[0]!) ? assertDepth(parts) : [name]
}

function assertDepth(parts: string[]): string[] {
  if (parts.length > MAX_FIELD_DEPTH) throw new McpError('INVALID_REQUEST', `a field deeper than ${MAX_FIELD_DEPTH}`)
  return parts
}

function addField(root: Field, parts: readonly string[], { name, text }: { name: string; text: string }): void {
  let field = root
  for (const [index, part] of parts.entries()) {
    assertName(part)
    // `tags[]=a` is one of `tags`.
    if (part === '' && index === parts.length - 1) {
      field.isListed = true
      break
    }
    const member = field.members.get(part) ?? createField()
    field.members.set(part, member)
    field = member
    const isWhole = index === parts.length - 1 || (index === parts.length - 2 && parts[index + 1] === '')
    if (isWhole ? field.members.size > 0 : field.texts.length > 0)
      throw new McpError('INVALID_ARGUMENTS', `${name} is both a value and an object`)
  }
  field.texts.push(text)
}

// As in JSON: no tool has to expect a key that names a prototype.
function assertName(part: string): void {
  if (part === '__proto__') throw new McpError('INVALID_REQUEST', 'a key names an object prototype')
}

function toValue({ texts, members, isListed }: Field, type: FieldSchema): unknown {
  const { types } = type
  if (members.size > 0) return isList(members, types) ? toList(members, type) : toObject(members, type)
  if (types?.has('array') ?? isListed)
    return readJsonList(texts) ?? texts.map((text, index) => toScalar(text, type.item(index)))
  return texts.length === 1 ? toScalar(texts[0]!, type) : texts.map(text => toScalar(text, type))
}

function toObject(members: ReadonlyMap<string, Field>, type: FieldSchema): JsonObject {
  const narrowed = type.narrow(name => members.get(name)?.texts[0])
  return Object.fromEntries([...members].map(([name, member]) => [name, toValue(member, narrowed.property(name))]))
}

/** Members of a list are numbered: `items[0][name]`. The numbers say the order alone. */
const isList = (members: ReadonlyMap<string, Field>, types: ReadonlySet<string> | undefined) =>
  types?.has('array') === true && [...members.keys()].every(name => /^\d{1,9}$/.test(name))

const toList = (members: ReadonlyMap<string, Field>, type: FieldSchema) =>
  [...members]
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([, member], index) => toValue(member, type.item(index)))

/** A list of one text that is JSON; undefined for a text that only begins like it. */
function readJsonList([text, ...others]: readonly string[]): unknown[] | undefined {
  const parsed = others.length === 0 && text!.startsWith('[') ? parseText(text!) : undefined
  return Array.isArray(parsed) ? parsed : undefined
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The value that the text stands for; the text itself if the schema has no such type. */
function toScalar(text: string, type: FieldSchema): unknown {
  const { types, values } = type
  // A text of an enum stays one, even if it reads like a number.
  if (values.includes(text)) return text
  const takes = (name: string) => types === undefined || types.has(name)
  if ((takes('number') || takes('integer')) && isExactNumber(text)) return Number(text)
  if (takes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  if (takes('null') && text === 'null') return null
  if (takes('object') && text.startsWith('{')) return parseText(text)
  if (takes('array') && text.startsWith('[')) return parseText(text)
  return text
}

/** A number that would be rounded stays a text, which the schema refuses. */
function isExactNumber(text: string): boolean {
  if (!NUMBER.test(text)) return false
  const number = Number(text)
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number) || /[eE]/.test(text))
}

/** JSON with the bounds of every body. @returns the text if it is no JSON */
function parseText(text: string): unknown {
  try {
    return parseJson(Buffer.from(text))
  } catch (error) {
    if (error instanceof McpError && error.reason === 'PARSE_ERROR') return text
    throw error
  }
}
