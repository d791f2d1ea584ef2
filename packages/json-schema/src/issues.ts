// Converts Ajv errors to issues that a model can fix.
import type { ErrorObject } from 'ajv'
import { EXACT } from './lower.ts'
import { escapeKey, formatPath, readPointer } from './pointer.ts'

/** One rule that a value breaks. */
export interface Issue {
  /** A JSON path, `(root)` for the whole value. */
  readonly path: string
  /** RFC 6901. */
  readonly pointer: string
  /** For people; never quotes the value. Programs read `keyword` and `params`. */
  readonly expected: string
  /** The keyword of the schema; undefined if another check than JSON Schema found the issue. */
  readonly keyword?: string
  /** Ajv's params of the keyword: `{ type: 'array' }`, `{ missingProperty: 'id' }`. */
  readonly params?: Readonly<Record<string, unknown>>
}

/** Each issue once, in Ajv's order. Errors of `if` and `propertyNames` only repeat earlier ones. */
export function toIssues(errors: readonly ErrorObject[]): Issue[] {
  const faults = new Map<string, Issue>()
  const names = new Set<string>()
  for (const error of mergeEnums(errors.filter(({ keyword }) => keyword !== 'if'))) {
    const fault = { ...locate(getIssueKeys(error)), expected: describeExpectation(error), ...findRule(error) }
    if (error.keyword === 'propertyNames' && names.has(fault.path)) continue
    if (error.propertyName !== undefined) names.add(fault.path)
    faults.set(`${fault.path} ${fault.expected}`, fault)
  }
  return [...faults.values()]
}

const findRule = ({ keyword, params }: ErrorObject): Pick<Issue, 'keyword' | 'params'> =>
  keyword === EXACT ? { keyword: 'type', params: { type: 'integer' } } : { keyword, params }

// A union of literals, as TypeBox writes it, becomes one enum. Ajv reports each branch.
function mergeEnums(errors: readonly ErrorObject[]): ErrorObject[] {
  const told: ErrorObject[] = []
  for (const error of errors) {
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf') {
      const start = told.findLastIndex(({ schemaPath }) => !schemaPath.startsWith(`${error.schemaPath}/`)) + 1
      const allowedValues = findLiterals(told.slice(start), error)
      if (allowedValues !== undefined) {
        told.splice(start, told.length, { ...error, keyword: 'enum', params: { allowedValues } })
        continue
      }
    }
    told.push(error)
  }
  return told
}

/** @returns undefined if a branch is not a literal */
function findLiterals(branches: readonly ErrorObject[], union: ErrorObject): unknown[] | undefined {
  const literals = new Map<string, unknown>()
  const open = new Set<string>()
  for (const { schemaPath, instancePath, keyword, params } of branches) {
    const branch = schemaPath.slice(union.schemaPath.length).split('/')[1]!
    if (instancePath !== union.instancePath) return undefined
    if (keyword === 'const') literals.set(branch, params['allowedValue'])
    else if (keyword === 'type' && params['type'] === 'null') literals.set(branch, null)
    else if (keyword === 'type') open.add(branch)
    else return undefined
  }
  const isClosed = [...open].every(branch => literals.has(branch))
  return isClosed && literals.size > 0 ? [...literals.values()] : undefined
}

/** Whether the schema has no property of this name. */
export const isUnknownProperty = ({ keyword }: Issue): boolean =>
  keyword !== undefined && ['additionalProperties', 'unevaluatedProperties', 'propertyNames'].includes(keyword)

/** A place in a value, for people and for programs. */
export const locate = (keys: readonly string[]): Pick<Issue, 'path' | 'pointer'> => ({
  path: formatPath(keys),
  pointer: keys.map(key => `/${escapeKey(key)}`).join(''),
})

function getIssueKeys({ instancePath, keyword, params, propertyName }: ErrorObject): string[] {
  const parts = readPointer(instancePath)
  const name = propertyName ?? (keyword === 'propertyNames' ? params['propertyName'] : undefined)
  if (name !== undefined) parts.push(name)
  if (keyword === 'required') parts.push(params['missingProperty'])
  if (keyword === 'additionalProperties') parts.push(params['additionalProperty'])
  if (keyword === 'unevaluatedProperties') parts.push(params['unevaluatedProperty'])
  return parts
}

function describeExpectation(error: ErrorObject): string {
  if (error.propertyName === undefined) return describeValueExpectation(error)
  if (error.keyword === 'false schema') return 'is not a known property'
  return `is not a known property: a name ${describeValueExpectation(error)}`
}

function describeValueExpectation({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'propertyNames':
      return 'is not a known property'
    case 'false schema':
      return 'is not allowed'
    case 'enum':
      return `must be one of ${formatValues(params['allowedValues'])}`
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`
    default:
      return message ?? `must satisfy ${keyword}`
  }
}

function formatValues(values: readonly unknown[]): string {
  const shown = values
    .slice(0, 20)
    .map(value => JSON.stringify(value))
    .join(', ')
  return values.length > 20 ? `${shown}, …` : shown
}
