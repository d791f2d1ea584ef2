// Schemas of other libraries, such as Zod, Valibot and ArkType: their JSON Schema is listed and
// checked, then the library's own check gives the handler its value. https://standardschema.dev
import type { MaybePromise } from '../request/maybe-promise.ts'
import { META_SCHEMAS } from '../schema/dialect.ts'
import type { Issue } from '../schema/issues.ts'
import type { Schema } from '../schema/validator.ts'

type Direction = 'input' | 'output'

interface JsonSchemaOptions {
  readonly target: 'draft-2020-12'
  readonly libraryOptions?: Record<string, unknown>
}

export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    // biome-ignore lint/suspicious/noExplicitAny: libraries differ in the types of their results
    readonly validate: (value: unknown, options?: any) => any
    /** Standard JSON Schema. */
    readonly jsonSchema?: Record<Direction, (options: JsonSchemaOptions) => Record<string, unknown>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** The value as the library makes it, with defaults and transforms; or why it is invalid. */
export type Parsed = { readonly value: unknown } | { readonly issues: readonly Issue[] }
export type Parse = (value: unknown) => MaybePromise<Parsed>

export function findStandardSchema(value: unknown): StandardSchema | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined
  const standard = (value as Partial<StandardSchema>)['~standard']
  return typeof standard?.vendor === 'string' ? (value as StandardSchema) : undefined
}

/** How a schema without a JSON Schema gets one, by vendor. */
const WAYS_TO_JSON_SCHEMA: Readonly<Record<string, string>> = {
  zod: 'update zod to 4.2 or later',
  valibot: 'wrap it: toStandardJsonSchema(schema) of @valibot/to-json-schema',
  arktype: 'update arktype to 2.1.28 or later',
}

/** ArkType says no more than `{}` of a type that JSON does not have, unless it is asked to throw. */
const LIBRARY_OPTIONS: Readonly<Record<string, Record<string, unknown>>> = {
  arktype: {
    fallback: {
      date: () => refuseType('Date'),
      domain: ({ domain }: { domain: string }) => refuseType(domain),
      proto: ({ proto }: { proto: { name: string } }) => refuseType(proto.name),
      unit: () => ({ not: {} }),
    },
  },
}

function refuseType(name: string): never {
  throw new Error(`${name} cannot be represented in JSON Schema`)
}

/** @throws Error with the fix, if the library cannot say the schema in JSON Schema */
export function toJsonSchema(standard: StandardSchema, direction: Direction): Schema {
  const { vendor, jsonSchema } = standard['~standard']
  if (jsonSchema === undefined)
    throw new Error(`is a schema of ${vendor} that says no JSON Schema; ${findWayToJsonSchema(standard, direction)}`)
  try {
    const libraryOptions = LIBRARY_OPTIONS[vendor]
    const { $schema, ...schema } = jsonSchema[direction]({
      target: 'draft-2020-12',
      ...(libraryOptions !== undefined && { libraryOptions }),
    })
    if (holdsBytes(schema)) throw new Error('a file cannot be represented in JSON')
    return $schema === META_SCHEMAS['2020-12'] || $schema === undefined ? schema : { $schema, ...schema }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`is a schema of ${vendor} that JSON Schema cannot say: ${reason}; ${WAYS_TO_JSON[direction]}`, {
      cause,
    })
  }
}

function findWayToJsonSchema(standard: StandardSchema, direction: Direction): string {
  const { vendor } = standard['~standard']
  if (vendor === 'zod' && isZodMini(standard)) return `give z.toJSONSchema(schema, { io: '${direction}' })`
  return WAYS_TO_JSON_SCHEMA[vendor] ?? 'give JSON Schema, which most libraries can make'
}

/** Of the versions whose other schemas say JSON Schema. */
function isZodMini(schema: object): boolean {
  const { major = 0, minor = 0 } = (schema as { _zod?: { version?: Record<string, number> } })._zod?.version ?? {}
  return major > 4 || (major === 4 && minor >= 2)
}

/** Zod says so of `z.file()`: no text of JSON is a file. */
const holdsBytes = (schema: Schema) => JSON.stringify(schema).includes('"contentEncoding":"binary"')

const WAYS_TO_JSON: Readonly<Record<Direction, string>> = {
  input: 'take what JSON has, such as a string with a format, and transform it',
  output: 'say what the transform gives, such as .transform(…).pipe(z.string())',
}

/** @returns undefined for JSON Schema and TypeBox, whose check is all there is */
export function createParse(schema: unknown): Parse | undefined {
  const standard = findStandardSchema(schema)?.['~standard']
  if (standard === undefined) return undefined
  return value => {
    const result = standard.validate(value) as MaybePromise<StandardResult>
    // The promise may be one of the library's own.
    return typeof (result as Partial<Promise<unknown>> | null)?.then === 'function'
      ? Promise.resolve(result).then(toParsed)
      : toParsed(result as StandardResult)
  }
}

/** @throws TypeError if the library breaks the interface */
function toParsed(result: StandardResult): Parsed {
  if (typeof result !== 'object' || result === null) throw new TypeError('the schema library gave no result')
  const { value, issues } = result as { value?: unknown; issues?: readonly StandardIssue[] | null }
  if (issues === undefined || issues === null) return { value }
  return { issues: issues.length === 0 ? [{ path: '(root)', expected: 'is not valid' }] : Array.from(issues, toIssue) }
}

function toIssue({ message, path }: StandardIssue): Issue {
  // ArkType's lists are subclasses of Array, whose `map` would make others of these.
  const keys = Array.from(path ?? [], part => (typeof part === 'object' && part !== null ? part.key : part))
  const prefix = `${keys.reduce<string>(appendKey, '')} `
  const expected = keys.length > 0 && message.startsWith(prefix) ? message.slice(prefix.length) : message
  return { path: keys.map(String).join('.') || '(root)', expected }
}

/** As ArkType begins its messages: `items[0].name`. */
function appendKey(path: string, key: PropertyKey): string {
  if (typeof key === 'number') return `${path}[${key}]`
  return path === '' ? String(key) : `${path}.${String(key)}`
}
