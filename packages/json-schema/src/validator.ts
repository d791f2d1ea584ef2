// Compiles JSON Schema (2020-12, or draft-07 by `$schema`) to a check of bounded cost. Never
// coerces, drops keys or fetches a `$ref`. Spec 2026-07-28: basic/index, "JSON Schema Usage".
import { assertBounds } from './bounds.ts'
import { type Dialect, findDialect, META_SCHEMAS } from './dialect.ts'
import { compileLowered, countValues, type SchemaCheck } from './engine.ts'
import { type Issue, locate, toIssues } from './issues.ts'
import { lower } from './lower.ts'
import { metaCheck } from './meta-schema.ts'
import { Patterns } from './patterns.ts'
import { splitUnions } from './unions.ts'

/** A JSON Schema: an object or a boolean. */
export type Schema = { readonly [key: string]: unknown }

export type { Issue } from './issues.ts'

export interface Validator {
  /** The hot path: stops at the first issue. */
  isValid(value: unknown): boolean
  /** At most `limit` issues of an invalid value. */
  issues(value: unknown, limit?: number): Issue[]
}

export class SchemaError extends Error {
  override name = 'SchemaError'
  /** Issues by the meta-schema; empty if the reason is another one. */
  readonly issues: readonly Issue[]

  constructor(text: string, { issues = [], ...options }: ErrorOptions & { readonly issues?: readonly Issue[] } = {}) {
    super(text, options)
    this.issues = issues
  }
}

/** Larger values get their first issue only, since each issue costs memory. */
const MAX_VALUES_FOR_ALL_ISSUES = 1000

/** @throws SchemaError naming the place: dialect, meta-schema, `$ref` or bounds */
export function compile(schema: Schema | boolean): Validator {
  const dialect = requireDialect(typeof schema === 'boolean' ? undefined : schema['$schema'])
  const patterns = new Patterns()
  assertBounds(schema, patterns)
  assertMeta(dialect, schema)
  const lowered = wrapSchemaError(() => lower(dialect, schema))
  const first = wrapSchemaError(() => compileLowered(dialect, lowered, patterns, false))
  // Most tools never get invalid arguments, so compile the checks that explain on first use.
  const explain = (allErrors: boolean) => {
    const split = lowered.branches === undefined ? { ...lowered, schema: splitUnions(lowered.schema) } : lowered
    return compileLowered(dialect, split, patterns, allErrors)
  }
  let all: SchemaCheck | undefined
  let one: SchemaCheck | undefined
  return {
    isValid: value => first(value),
    issues(value, limit = 10) {
      if (countValues(value) <= MAX_VALUES_FOR_ALL_ISSUES) {
        const faults = findIssues((all ??= explain(true)), value)
        if (faults !== undefined) return faults.slice(0, limit)
      }
      return findIssues((one ??= explain(false)), value)?.slice(0, limit) ?? [CHECK_STOPPED]
    },
  }
}

export const CHECK_STOPPED: Issue = {
  ...locate([]),
  expected: 'takes too long to check against its schema: shorten or simplify it',
}

/** @returns undefined if the check was stopped: within `not`, that would count as valid */
function findIssues(check: SchemaCheck, value: unknown): Issue[] | undefined {
  const isValid = check(value)
  if (check.isStopped === true) return undefined
  return isValid ? [] : toIssues(check.errors ?? [])
}

function requireDialect($schema: unknown): Dialect {
  const dialect = findDialect($schema)
  if (dialect !== undefined) return dialect
  const known = `use ${META_SCHEMAS['2020-12']} or draft-07`
  throw new SchemaError(`$schema: dialect ${JSON.stringify($schema)} is not supported; ${known}`)
}

function assertMeta(dialect: Dialect, schema: Schema | boolean): void {
  const check = metaCheck(dialect)
  if (check(schema)) return
  const issues = toIssues(check.errors ?? []).slice(0, 3)
  const text = issues.map(({ path, expected }) => `${path} ${expected}`).join('; ')
  throw new SchemaError(`not a valid schema: ${text}`, { issues })
}

function wrapSchemaError<T>(make: () => T): T {
  try {
    return make()
  } catch (cause) {
    throw new SchemaError(cause instanceof Error ? cause.message : 'cannot be compiled', { cause })
  }
}

const lazy = new WeakMap<Schema, Validator>()

/** The check of one of our own schemas, compiled on first use: that keeps a cold start short. */
export function lazyValidator(schema: Schema): Validator {
  let validator = lazy.get(schema)
  if (validator === undefined) lazy.set(schema, (validator = compile(schema)))
  return validator
}

/** @returns the first issue with its path below `path`; undefined if the value is valid */
export type IssueFinder = (value: unknown, path: string) => string | undefined

export function createIssueFinder(schema: Schema): IssueFinder {
  return (value, path) => {
    const validator = lazyValidator(schema)
    if (validator.isValid(value)) return undefined
    const [fault] = validator.issues(value, 1)
    return `${fault?.pointer === '' ? path : `${path}.${fault?.path}`} ${fault?.expected}`
  }
}

export function findFirstIssue<K, T>(
  entries: Iterable<[name: K, entry: T]>,
  find: (entry: T, name: K) => string | undefined,
): string | undefined {
  for (const [name, entry] of entries) {
    const fault = find(entry, name)
    if (fault !== undefined) return fault
  }
  return undefined
}
