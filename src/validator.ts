// JSON Schema in, a checking function out: 2020-12, or draft-07 where `$schema` says so. The only importer of Ajv.
// Refuses to coerce, to drop keys, to fetch a `$ref`, and to compile what could cost too much to check.
// Spec 2026-07-28: basic/index, "JSON Schema Usage".
import { createRequire } from 'node:module'
import { Ajv2020, type Options } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { type Dialect, META_SCHEMAS, metaCheck } from './meta-schema.ts'
import { boundedPattern, renewSteps } from './pattern/bounded-pattern.ts'
import { assertBounds, schemaMembers } from './schema-bounds.ts'
import { EXACT, type Fault, faultsOf } from './schema-faults.ts'

export type Schema = { readonly [key: string]: unknown }

export type { Fault } from './schema-faults.ts'

export interface Validator {
  /** The hot path: true or false, first fault only within. */
  isValid(value: unknown): boolean
  /** The first `limit` faults of a value that is not valid. */
  faults(value: unknown, limit?: number): Fault[]
}

export class SchemaError extends Error {
  override name = 'SchemaError'
}

const DRAFT_07 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/

/** More values than this are checked to the first fault only: each fault costs memory. */
const MAX_VALUES_FOR_ALL_FAULTS = 1000

const OPTIONS: Options = {
  strict: false,
  strictNumbers: true,
  ownProperties: true,
  validateFormats: true,
  inlineRefs: true,
  code: { regExp: boundedPattern },
  logger: false,
  // Schemas are checked by `metaCheck`, which the build has compiled before.
  meta: false,
  validateSchema: false,
}

type Engine = Pick<Ajv2020, 'compile' | 'removeSchema'>
const engines = new Map<string, Engine>()

function engineFor(dialect: Dialect, allErrors: boolean): Engine {
  const key = `${dialect} ${allErrors}`
  let engine = engines.get(key)
  if (engine === undefined) {
    // Few tools declare draft-07, so its engine loads with the first of them.
    const Ajv = dialect === '2020-12' ? Ajv2020 : (createRequire(import.meta.url)('ajv') as typeof Ajv2020)
    const ajv = new Ajv({ ...OPTIONS, allErrors })
    formats.default(ajv)
    ajv.addFormat('url', isUrl)
    ajv.addKeyword({ keyword: EXACT, validate: isExactInteger, schemaType: 'boolean', errors: false })
    engines.set(key, (engine = ajv))
  }
  return engine
}

// The pattern that comes with ajv-formats takes quadratic time: minutes for one argument of a megabyte.
const isUrl = (text: string) => /^(?:https?|ftp):\/\//i.test(text) && URL.canParse(text)

// JSON.parse rounds 2^53+1 and keeps -0; an integer argument must be what the client wrote.
const isExactInteger = (_schema: unknown, value: unknown) =>
  typeof value !== 'number' || (Number.isSafeInteger(value) && !Object.is(value, -0))

function dialectOf(schema: Schema): Dialect {
  const declared = schema['$schema']
  if (declared === undefined) return '2020-12'
  if (typeof declared === 'string') {
    if (declared.replace(/#$/, '') === META_SCHEMAS['2020-12']) return '2020-12'
    if (DRAFT_07.test(declared)) return 'draft-07'
  }
  throw new SchemaError(
    `$schema: dialect ${JSON.stringify(declared)} is not supported; use ${META_SCHEMAS['2020-12']} or draft-07`,
  )
}

/**
 * Compiles a schema once.
 *
 * @throws SchemaError saying what is wrong and where: dialect, meta-schema, `$ref`, bounds
 */
export function compile(schema: Schema): Validator {
  const dialect = dialectOf(schema)
  assertBounds(schema)
  assertMeta(dialect, schema)
  const exact = withExactIntegers(schema) as Schema
  const first = compileWith(engineFor(dialect, false), exact)
  let all: ReturnType<typeof compileWith> | undefined
  return {
    isValid(value) {
      renewSteps()
      return first(value) as boolean
    },
    faults(value, limit = 10) {
      // Most tools are never called wrongly, so the slower validator is made when it is first needed.
      const check =
        countValues(value) > MAX_VALUES_FOR_ALL_FAULTS ? first : (all ??= compileWith(engineFor(dialect, true), exact))
      renewSteps()
      check(value)
      return faultsOf(check.errors ?? []).slice(0, limit)
    },
  }
}

function assertMeta(dialect: Dialect, schema: Schema): void {
  const check = metaCheck(dialect)
  if (check(schema)) return
  const faults = faultsOf(check.errors ?? []).slice(0, 3)
  throw new SchemaError(`not a valid schema: ${faults.map(({ path, expected }) => `${path} ${expected}`).join('; ')}`)
}

function compileWith(engine: Engine, schema: Schema) {
  try {
    return engine.compile(schema)
  } catch (cause) {
    throw new SchemaError(cause instanceof Error ? cause.message : 'cannot be compiled', { cause })
  } finally {
    // The engine knows a schema while it compiles it, so that `#` is found; it would keep every one that it ever saw.
    engine.removeSchema(schema)
  }
}

// A copy for the engine only: the schema that clients see stays as its author wrote it.
function withExactIntegers(schema: unknown, isMap = false): unknown {
  if (Array.isArray(schema)) return schema.map(entry => withExactIntegers(entry))
  if (typeof schema !== 'object' || schema === null) return schema
  const copy: Record<string, unknown> = { ...schema }
  for (const member of schemaMembers(schema, isMap)) copy[member.key] = withExactIntegers(member.value, member.isMap)
  if (!isMap && isInteger(copy['type'])) copy[EXACT] = true
  return copy
}

const isInteger = (type: unknown) =>
  type === 'integer' || (Array.isArray(type) && type.includes('integer') && !type.includes('number'))

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const member of Object.values(value)) count += countValues(member)
  return count
}
