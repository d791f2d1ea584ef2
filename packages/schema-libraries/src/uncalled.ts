// Finds functions in place of schemas: `z.string` instead of `z.string()`. A library accepts them
// silently, and fails later with an error of its own.
import { findStandardSchema } from './standard-schema.ts'

/** Members of JSON Schema, Zod and Valibot that contain named schemas. */
const MAPS = ['properties', 'patternProperties', 'shape', 'entries']
/** Members that contain a schema, or an array of schemas. */
const SCHEMAS = ['items', 'prefixItems', 'additionalProperties', 'allOf', 'anyOf', 'oneOf', 'not', 'type']
const LIBRARY_SCHEMAS = [
  'element',
  'innerType',
  'options',
  'keyType',
  'valueType',
  'left',
  'right',
  'in',
  'out',
  'rest',
]
const VALIBOT_SCHEMAS = ['item', 'wrapped', 'key', 'value']
const MEMBERS = [...SCHEMAS, ...LIBRARY_SCHEMAS, ...VALIBOT_SCHEMAS]

const MAX_DEPTH = 32

/** @returns the problem and the fix; undefined if there is no function in place of a schema */
export function findUncalled(schema: unknown): string | undefined {
  const seen = new Set<unknown>()
  const find = (value: unknown, path: readonly string[], start: string): string | undefined => {
    if (isUncalled(value)) return explain(value, path, start)
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined
    if (seen.has(value) || path.length > MAX_DEPTH) return undefined
    seen.add(value)
    const prefix = findPrefix(value) ?? start
    for (const [name, member] of listMembers(value)) {
      const found = find(member, name === '' ? path : [...path, name], prefix)
      if (found !== undefined) return found
    }
    return undefined
  }
  return find(schema, [], '')
}

const isUncalled = (value: unknown) => typeof value === 'function' && findStandardSchema(value) === undefined

function listMembers(value: object): readonly [name: string, member: unknown][] {
  if (Array.isArray(value)) return value.map((each, index) => [String(index), each])
  // Zod keeps the members of a schema in its definition.
  const node = ((value as { _zod?: { def?: object } })._zod?.def ?? value) as Record<string, unknown>
  const maps = MAPS.flatMap(name => Object.entries(Object(node[name]) as object))
  const members = MEMBERS.map(name => [NAMELESS.has(name) ? '' : name, node[name]] as [string, unknown])
  // An object of schemas, instead of the schema of an object.
  const isPlain = Object.getPrototypeOf(value) === Object.prototype
  const isShape = isPlain && !('type' in value) && !('_def' in value) && findStandardSchema(value) === undefined
  return [...maps, ...members, ...(isShape ? Object.entries(value) : [])]
}

/** Members that wrap a value without a name. */
const NAMELESS: ReadonlySet<string> = new Set(['innerType', 'wrapped', 'in', 'out', 'type'])

/** The prefix of a library's functions, by vendor. */
const PREFIXES: Readonly<Record<string, string>> = { zod: 'z.', valibot: 'v.' }
const KIND = Symbol.for('TypeBox.Kind')

function findPrefix(value: object): string | undefined {
  if (KIND in value) return 'Type.'
  const vendor = findStandardSchema(value)?.['~standard'].vendor
  return vendor === undefined ? undefined : PREFIXES[vendor]
}

/** Types of JavaScript, and the same in JSON Schema. */
const TYPES: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [String, 'string'],
  [Number, 'number'],
  [Boolean, 'boolean'],
  [Array, 'array'],
  [Object, 'object'],
])

function explain(value: unknown, path: readonly string[], prefix: string): string {
  const place =
    path.length === 0 ? 'is a function in place of a schema' : `has a function in place of a schema: ${path.join('.')}`
  const type = TYPES.get(value)
  if (type !== undefined)
    return `${place}; write ${prefix === 'z.' || prefix === 'v.' ? `${prefix}${type}()` : `{ type: '${type}' }`}`
  const { name } = value as { name: string }
  return /^[A-Za-z]\w*$/.test(name) && prefix !== '' ? `${place}; call it: ${prefix}${name}()` : `${place}; call it`
}
