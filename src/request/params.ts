// Validates params.
import type { TSchema } from '@sinclair/typebox'
import { lazyValidator } from '@toolrack/json-schema/validator'
import { McpError } from '../protocol/errors.ts'

const MAX_ISSUES = 3

/**
 * @param where prefix of the path of each issue, such as `_meta `
 * @throws McpError INVALID_PARAMS (-32602) naming the first issues
 */
export function assertParams(schema: TSchema, value: unknown, where = ''): void {
  const validator = lazyValidator(schema)
  if (validator.isValid(value)) return
  const faults = validator.issues(value, MAX_ISSUES).map(({ path, expected }) => `${where}${path} ${expected}`)
  throw new McpError('INVALID_PARAMS', faults.join('; '))
}
