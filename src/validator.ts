// JSON Schema in, a checking function out: 2020-12, or draft-07 if `$schema` says so. Never coerces, drops keys or fetches
// a `$ref`, and compiles nothing that could cost too much to check.
// Spec 2026-07-28: basic/index, "JSON Schema Usage".
import { hasStepsLeft, renewSteps } from './pattern/bounded-pattern.ts'
import { type Dialect, findDialect, META_SCHEMAS } from './schema/dialect.ts'
import { type Check, compileLowered, countValues } from './schema/engine.ts'
import { type Lowered, lower } from './schema/lower.ts'
import { metaCheck } from './schema/meta-schema.ts'
import { assertBounds } from './schema-bounds.ts'
import { type Fault, faultsOf } from './schema-faults.ts'

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

/** More values than this are checked to the first fault only: each fault costs memory. */
const MAX_VALUES_FOR_ALL_FAULTS = 1000

/**
 * Compiles a schema once.
 *
 * @throws SchemaError saying what is wrong and where: dialect, meta-schema, `$ref`, bounds
 */
export function compile(schema: Schema | boolean): Validator {
  const dialect = dialectOf(typeof schema === 'boolean' ? undefined : schema['$schema'])
  assertBounds(schema)
  assertMeta(dialect, schema)
  const lowered = orSchemaError(() => lower(dialect, schema))
  const first = compileWith(dialect, lowered, false)
  let all: Check | undefined
  return {
    isValid(value) {
      renewSteps()
      return first(value) && hasStepsLeft()
    },
    faults(value, limit = 10) {
      // Most tools are never called wrongly, so the slower check is made when it is first needed.
      if (countValues(value) <= MAX_VALUES_FOR_ALL_FAULTS) {
        const faults = findFaults((all ??= compileWith(dialect, lowered, true)), value)
        if (faults !== undefined) return faults.slice(0, limit)
      }
      return findFaults(first, value)?.slice(0, limit) ?? [UNENDED]
    },
  }
}

const UNENDED: Fault = {
  path: '(root)',
  expected: 'takes too long to check against its schema: shorten or simplify it',
}

/** @returns undefined if the check was stopped, which is no answer: under `not` it would count as one */
function findFaults(check: Check, value: unknown): Fault[] | undefined {
  renewSteps()
  const isValid = check(value)
  if (!hasStepsLeft() || check.isStopped === true) return undefined
  return isValid ? [] : faultsOf(check.errors ?? [])
}

function dialectOf($schema: unknown): Dialect {
  const dialect = findDialect($schema)
  if (dialect !== undefined) return dialect
  const known = `use ${META_SCHEMAS['2020-12']} or draft-07`
  throw new SchemaError(`$schema: dialect ${JSON.stringify($schema)} is not supported; ${known}`)
}

function assertMeta(dialect: Dialect, schema: Schema | boolean): void {
  const check = metaCheck(dialect)
  if (check(schema)) return
  const faults = faultsOf(check.errors ?? []).slice(0, 3)
  throw new SchemaError(`not a valid schema: ${faults.map(({ path, expected }) => `${path} ${expected}`).join('; ')}`)
}

const compileWith = (dialect: Dialect, lowered: Lowered, allErrors: boolean): Check =>
  orSchemaError(() => compileLowered(dialect, lowered, allErrors))

function orSchemaError<T>(make: () => T): T {
  try {
    return make()
  } catch (cause) {
    throw new SchemaError(cause instanceof Error ? cause.message : 'cannot be compiled', { cause })
  }
}
