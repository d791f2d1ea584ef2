// A call by curl over plain HTTP, with values that the schema of the tool suggests.
import type { ExampleTool } from './client.ts'
import { quoteShell, toShell } from './quote.ts'
import { SHELL_TOKEN } from './token.ts'

type Schema = Readonly<Record<string, unknown>>

/** @param url of `GET /tools` */
export function createToolCurl(url: string, { name, inputSchema }: ExampleTool, needsToken: boolean): string {
  const target = toShell(`${url}/${encodeURIComponent(name)}`)
  return `curl ${target}${tokenHeader(needsToken)}${toData(suggestArguments(inputSchema))}`
}

/** The shell replaces the variable. */
export const tokenHeader = (needsToken: boolean): string =>
  needsToken ? ` -H "Authorization: Bearer $${SHELL_TOKEN}"` : ''

/** A form if it means the same, since that is shorter. */
function toData(values: Schema): string {
  const pairs = Object.entries(values)
  const isForm = pairs.length > 0 && pairs.every(([key, value]) => /^[\w-]+$/.test(key) && isField(value))
  if (!isForm) return ` --json ${quoteShell(toAscii(JSON.stringify(values)))}`
  return pairs
    .map(([key, value]) => ` ${PLAIN.test(String(value)) ? '-d' : '--data-urlencode'} ${toShell(`${key}=${value}`)}`)
    .join('')
}

const PLAIN = /^[\w.:/-]*$/

const isField = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.length <= MAX_FIELD && !/[\p{C}\u2028\u2029]/u.test(value)
    : typeof value === 'number' || typeof value === 'boolean'

const MAX_FIELD = 100

/** Escapes characters that a terminal might not show. */
const toAscii = (json: string): string =>
  json.replace(/[^ -~]/g, found => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Only the required arguments. */
function suggestArguments(inputSchema: unknown): Schema {
  const { properties = {}, required = [] } = toSchema(inputSchema)
  const names = Array.isArray(required) ? required.filter(name => typeof name === 'string') : []
  const fields = toSchema(properties)
  return Object.fromEntries(
    names.map(name => [name, suggestValue(Object.hasOwn(fields, name) ? toSchema(fields[name]) : {})]),
  )
}

const toSchema = (value: unknown): Schema => (typeof value === 'object' && value !== null ? (value as Schema) : {})

/** The author's own example comes first. */
function suggestValue(schema: Schema): unknown {
  const { const: constant, examples, default: preset, enum: choices } = schema
  const given = [constant, first(examples), preset, first(choices)].find(value => value !== undefined)
  if (given !== undefined) return given
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type']
  return type === 'string' && typeof schema['format'] === 'string'
    ? (FORMATS[schema['format']] ?? 'text')
    : type === 'integer' || type === 'number'
      ? suggestNumber(schema)
      : type === 'boolean'
        ? true
        : type === 'array'
          ? []
          : type === 'object'
            ? suggestArguments(schema)
            : 'text'
}

const first = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined)

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-11-27',
  'date-time': '2026-11-27T09:00:00Z',
  time: '09:00:00Z',
  email: 'ada@example.com',
  uri: 'https://example.com',
}

function suggestNumber({ minimum, maximum }: Schema): number {
  if (typeof minimum === 'number' && minimum > 1) return minimum
  return typeof maximum === 'number' && maximum < 1 ? maximum : 1
}
