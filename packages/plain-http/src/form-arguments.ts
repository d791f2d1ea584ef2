// Reads the arguments of a call from the fields of a form. The tool's schema decides which texts are
// numbers, lists or objects, and which files become Base64.
import { isUtf8 } from 'node:buffer'
import { NameError, splitName } from '@toolrack/json-schema/part-name'
import { PartSchema } from '@toolrack/json-schema/part-schema'
import { escapeKey } from '@toolrack/json-schema/pointer'
import { toValue } from '@toolrack/json-schema/text-value'
import type { JsonObject } from 'toolrack'
import { McpError } from 'toolrack/door'
import { parseJson } from 'toolrack/protocol'
import type { FormField } from './form.ts'
import { toProblemError } from './problems.ts'

/** The values of a field, or the fields within it. */
interface Field {
  readonly name: string
  /** Its place in the arguments. RFC 6901. */
  readonly pointer: string
  readonly values: FormField['value'][]
  readonly members: Map<string, Field>
  /** Whether its name ends in `[]`. */
  isListed: boolean
}

const createField = (name: string, pointer: string): Field => ({
  name,
  pointer,
  values: [],
  members: new Map(),
  isListed: false,
})

/**
 * @param schema of the arguments; without one, each field may have any type
 * @throws McpError INVALID_REQUEST (400) past a bound, INVALID_ARGUMENTS (422) for a field that is
 *   both a value and an object, a number that JSON would round, or bytes where the tool takes text
 */
export function toArguments(fields: readonly FormField[], schema: unknown): JsonObject {
  const part = PartSchema.create(schema, schema)
  const root = createField('', '')
  for (const field of fields) addField(root, toParts(field.name, part), field)
  return toObject(root.members, part)
}

function toParts(name: string, part: PartSchema): readonly string[] {
  try {
    return splitName(name, part)
  } catch (error) {
    throw error instanceof NameError ? new McpError('INVALID_REQUEST', `the field ${name} ${error.message}`) : error
  }
}

function addField(root: Field, parts: readonly string[], { name, value }: FormField): void {
  let field = root
  for (const [index, part] of parts.entries()) {
    assertName(part)
    // `tags[]=a` is one value of `tags`.
    if (part === '' && index > 0 && index === parts.length - 1) {
      field.isListed = true
      break
    }
    const member = field.members.get(part) ?? createField(name, `${field.pointer}/${escapeKey(part)}`)
    field.members.set(part, member)
    field = member
    const isWhole = index === parts.length - 1 || (index === parts.length - 2 && parts[index + 1] === '')
    if (isWhole ? field.members.size > 0 : field.values.length > 0)
      throw createFault({ name, pointer: field.pointer }, 'is both a value and an object')
  }
  field.values.push(value)
}

// As for JSON, so that no tool has to expect a key that names a prototype.
function assertName(part: string): void {
  if (part === '__proto__') throw new McpError('INVALID_REQUEST', 'a key names an object prototype')
}

type Place = Pick<Field, 'name' | 'pointer'>

const createFault = ({ name, pointer }: Place, detail: string): McpError =>
  new McpError('INVALID_ARGUMENTS', `${name} ${detail}`, { data: { errors: [toProblemError(pointer, detail)] } })

function toFieldValue(field: Field, part: PartSchema): unknown {
  const { values, members, isListed } = field
  if (members.size > 0) return isList(members, part) ? toList(members, part) : toObject(members, part)
  if (values.length === 1 && !(isListed && part.takes('array'))) return toSingle(field, part)
  if (!part.takes('array')) throw createFault(field, 'stands there twice, and takes one value')
  const whole = values.length === 1 ? toScalar(field, values[0]!, part) : undefined
  if (whole !== undefined && Array.isArray(whole.value)) return whole.value
  return values.map((value, index) => toScalar(field, value, part.item(index)).value)
}

function toSingle(field: Field, part: PartSchema): unknown {
  const { value, isItem = false } = toScalar(field, field.values[0]!, part)
  return isItem ? [value] : value
}

function toObject(members: ReadonlyMap<string, Field>, part: PartSchema): JsonObject {
  const narrowed = part.narrow(name => {
    const text = members.get(name)?.values[0]
    return typeof text === 'string' ? text : undefined
  })
  return Object.fromEntries([...members].map(([name, member]) => [name, toFieldValue(member, narrowed.property(name))]))
}

/** Members of a list have numbers: `items[0][name]`. The numbers only give the order. */
const isList = (members: ReadonlyMap<string, Field>, { namesList }: PartSchema) =>
  namesList && [...members.keys()].every(name => /^\d{1,9}$/.test(name))

const toList = (members: ReadonlyMap<string, Field>, part: PartSchema) =>
  [...members]
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([, member], index) => toFieldValue(member, part.item(index)))

/** The value that a text means; the text itself if the schema does not accept such a value. */
function toScalar(place: Place, value: FormField['value'], part: PartSchema): { value: unknown; isItem?: boolean } {
  const text = typeof value === 'string' ? value : toText(place, value, part)
  if (typeof text !== 'string') return text
  const found = toValue(text, part, readJson)
  if (found === undefined) return { value: text, isItem: part.namesList }
  if ('loss' in found) throw createFault(place, `cannot be sent exactly: ${found.loss}`)
  return found
}

/** The bytes of a file as Base64 if the schema accepts that; else its text. */
function toText(place: Place, bytes: Buffer, part: PartSchema): string | { value: unknown; isItem?: boolean } {
  if (part.takesBase64) return { value: bytes.toString('base64') }
  if (part.namesList && part.item(0).takesBase64) return { value: bytes.toString('base64'), isItem: true }
  if (isUtf8(bytes)) return bytes.toString('utf8')
  throw createFault(place, 'is not text in UTF-8, and the tool takes no Base64 (contentEncoding) there')
}

/** Parses JSON with the bounds of every body. */
function readJson(text: string): unknown {
  try {
    return parseJson(Buffer.from(text))
  } catch (error) {
    throw error instanceof McpError && error.reason === 'PARSE_ERROR' ? new SyntaxError('not JSON') : error
  }
}
