// Adds the defaults to arguments, by `default` of TypeBox and JSON Schema. Other schema libraries add
// theirs themselves.
import { someSchema } from '@toolrack/json-schema/checkable'
import { Filling } from '@toolrack/json-schema/fill-defaults'
import { Patterns } from '@toolrack/json-schema/patterns'
import type { Schema, Validator } from '@toolrack/json-schema/validator'
import { copyJson } from './json-copy.ts'

/** Returns a copy with the defaults, or the value itself if nothing is missing. */
export type FillDefaults = <T>(value: T) => T

/** @returns undefined if the schema has no defaults */
export function createFillDefaults(root: Schema): FillDefaults | undefined {
  if (!someSchema(root, node => 'default' in node)) return undefined
  const fill = createFilling(root)
  return value => fill(root, value) as typeof value
}

export function withDefaults(validator: Validator, fill: FillDefaults | undefined): Validator {
  if (fill === undefined) return validator
  return {
    isValid: value => validator.isValid(fill(value)),
    issues: (value, limit) => validator.issues(fill(value), limit),
  }
}

/**
 * Fills a value in by a schema within `root`. Uses the engine of the check, so patterns are as fast
 * here.
 */
export function createFilling(root: Schema): (schema: unknown, value: unknown) => unknown {
  const patterns = new Patterns()
  const filling = new Filling(root, {
    matches: (pattern, name) => patterns.compile(pattern).test(name),
    copy: copyJson,
  })
  return (schema, value) => {
    patterns.renew()
    return filling.fill(schema, value)
  }
}
