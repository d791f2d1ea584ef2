// Schemas of other libraries, such as Zod, Valibot and ArkType: their JSON Schema is listed and
// checked, then the library's own check gives the handler its value. https://standardschema.dev

import { type Issue, locate } from '@toolrack/json-schema/issues'
import type { MaybePromise } from '../request/maybe-promise.ts'

export type Direction = 'input' | 'output'

export interface JsonSchemaOptions {
  readonly target: 'draft-2020-12'
  readonly libraryOptions?: Record<string, unknown>
}

/** The converters of a schema: for what goes in, and for what comes out. */
export type ToJsonSchema = Record<Direction, (options: JsonSchemaOptions) => Record<string, unknown>>

/** A schema of any library that follows Standard Schema; https://standardschema.dev/schema */
export interface StandardSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    // biome-ignore lint/suspicious/noExplicitAny: libraries differ in the types of their results
    readonly validate: (value: unknown, options?: any) => any
    readonly jsonSchema?: ToJsonSchema
    readonly types?: { readonly input: unknown; readonly output: unknown } | undefined
  }
}

/** A schema that says its JSON Schema: https://standardschema.dev/json-schema */
export interface StandardJsonSchema extends StandardSchema {
  readonly '~standard': StandardSchema['~standard'] & { readonly jsonSchema: ToJsonSchema }
}

interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** The value as the library makes it, with defaults and transforms; or why it is invalid. */
export type Parsed =
  | { readonly value: unknown }
  | {
      readonly issues: readonly Issue[]
      /** It took too long. */
      readonly isStopped?: true
    }
export type Parse = (value: unknown) => MaybePromise<Parsed>

export function findStandardSchema(value: unknown): StandardSchema | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined
  const standard = (value as Partial<StandardSchema>)['~standard']
  return typeof standard?.vendor === 'string' ? (value as StandardSchema) : undefined
}

/** @returns undefined for JSON Schema and TypeBox, whose check is all there is */
export function createParse(schema: unknown, direction: Direction): Parse | undefined {
  const standard = findStandardSchema(schema)?.['~standard']
  if (standard === undefined) return undefined
  const isPadded = direction === 'output' && standard.vendor === 'valibot'
  const read = (result: StandardResult): Parsed => {
    const parsed = toParsed(result)
    return 'issues' in parsed || !isPadded ? parsed : { value: withoutMissingItems(parsed.value) }
  }
  return value => {
    const result = standard.validate(value) as MaybePromise<StandardResult>
    // The promise may be one of the library's own.
    return typeof (result as Partial<Promise<unknown>> | null)?.then === 'function'
      ? Promise.resolve(result).then(read)
      : read(result as StandardResult)
  }
}

/** Valibot fills tuples up to their length with `undefined`, which JSON does not have. */
function withoutMissingItems(value: unknown): unknown {
  if (Array.isArray(value)) {
    const length = value.findLastIndex(item => item !== undefined) + 1
    return value.slice(0, length).map(withoutMissingItems)
  }
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutMissingItems(member)]))
}

/** @throws TypeError if the library breaks the interface */
function toParsed(result: StandardResult): Parsed {
  if (typeof result !== 'object' || result === null) throw new TypeError('the schema library gave no result')
  const { value, issues } = result as { value?: unknown; issues?: readonly StandardIssue[] | null }
  if (issues === undefined || issues === null) return { value }
  return { issues: issues.length === 0 ? [{ ...locate([]), expected: 'is not valid' }] : Array.from(issues, toIssue) }
}

function toIssue({ message, path }: StandardIssue): Issue {
  // ArkType's lists are subclasses of Array, whose `map` would make others of these.
  const keys = Array.from(path ?? [], part => (typeof part === 'object' && part !== null ? part.key : part))
  const prefix = `${keys.reduce<string>(appendKey, '')} `
  const expected = keys.length > 0 && message.startsWith(prefix) ? message.slice(prefix.length) : message
  return { ...locate(keys.map(String)), expected }
}

/** As ArkType begins its messages: `items[0].name`. */
function appendKey(path: string, key: PropertyKey): string {
  if (typeof key === 'number') return `${path}[${key}]`
  return path === '' ? String(key) : `${path}.${String(key)}`
}
