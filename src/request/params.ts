// Validates params. Each schema is compiled on first use, to keep a cold start short.
import type { TSchema } from '@sinclair/typebox'
import { McpError } from '../protocol/errors.ts'
import { compile, type Validator } from '../schema/validator.ts'

const MAX_ISSUES = 3

const validators = new WeakMap<TSchema, Validator>()

/**
 * @param where prefix of the path of each issue, such as `_meta `
 * @throws McpError INVALID_PARAMS (-32602) naming the first issues
 */
export function assertParams(schema: TSchema, value: unknown, where = ''): void {
  let validator = validators.get(schema)
  if (validator === undefined) validators.set(schema, (validator = compile(schema)))
  if (validator.isValid(value)) return
  const faults = validator.issues(value, MAX_ISSUES).map(({ path, expected }) => `${where}${path} ${expected}`)
  throw new McpError('INVALID_PARAMS', faults.join('; '))
}
