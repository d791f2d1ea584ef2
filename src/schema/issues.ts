// What Ajv says of a value that breaks its schema → faults that a model can mend: where, and what was expected.
import type { ErrorObject } from 'ajv'

/** What is wrong with a value: where (JSON path, `(root)` for the whole) and what was expected; never the value. */
export interface Issue {
  readonly path: string
  readonly expected: string
}

/**
 * Each fault once, in the order in which they were found. That a branch of an `if` does not hold says nothing beside the
 * faults that it found.
 */
export function toIssues(errors: readonly ErrorObject[]): Issue[] {
  const faults = new Map<string, Issue>()
  for (const error of mergeEnums(errors.filter(({ keyword }) => keyword !== 'if'))) {
    const fault = { path: getIssuePath(error), expected: describeExpectation(error) }
    faults.set(`${fault.path} ${fault.expected}`, fault)
  }
  return [...faults.values()]
}

// A union of literals, as TypeBox writes it, is told as the enum that it is. Ajv says what is wrong with each branch, and
// then that none fits.
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

/** @returns undefined where a branch is not one value */
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

function getIssuePath({ instancePath, keyword, params }: ErrorObject): string {
  const parts = instancePath
    .split('/')
    .slice(1)
    .map(part => part.replace(/~1/g, '/').replace(/~0/g, '~'))
  if (keyword === 'required') parts.push(params['missingProperty'])
  if (keyword === 'additionalProperties') parts.push(params['additionalProperty'])
  if (keyword === 'unevaluatedProperties') parts.push(params['unevaluatedProperty'])
  return parts.join('.') || '(root)'
}

function describeExpectation({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not a known property'
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
