// Fills in what arguments leave out, by `default` of TypeBox and JSON Schema. A schema library does
// that itself.
import { isObject } from '../protocol/messages.ts'
import { someSchema } from '../schema/checkable.ts'
import { Filling } from '../schema/fill-defaults.ts'
import { Patterns } from '../schema/patterns.ts'
import { schemaMembers } from '../schema/reader.ts'
import { compile, type Schema, type Validator } from '../schema/validator.ts'
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

/** With the engine of the check, so that a pattern costs no more here. */
function createFilling(root: Schema): (schema: unknown, value: unknown) => unknown {
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

/** Defaults that their own schema refuses. */
export function findUnfitDefaults(root: Schema): readonly string[] {
  const unfit: string[] = []
  const fill = createFilling(root)
  const visit = (node: unknown, path: string, isMap: boolean): void => {
    if (typeof node !== 'object' || node === null) return
    if (!isMap && isObject(node) && 'default' in node) {
      const fault = findFault(root, node, fill(node, node['default']))
      if (fault !== undefined) unfit.push(`default of ${path === '' ? '(root)' : path} ${fault}`)
    }
    for (const { key, value, isMap: isMapToo } of schemaMembers(node, isMap)) {
      const isNamed = isMap || Array.isArray(node)
      visit(value, isNamed || key === 'items' ? [path, key].filter(Boolean).join('.') : path, isMapToo)
    }
  }
  visit(root, '', false)
  return unfit
}

/** @returns undefined if the value fits, or if the schema means nothing on its own */
function findFault(root: Schema, schema: Schema, value: unknown): string | undefined {
  const { $schema, $defs, definitions } = root
  const whole = { ...($schema !== undefined && { $schema }), ...schema, ...($defs !== undefined && { $defs }) }
  try {
    const [issue] = compile(definitions === undefined ? whole : { ...whole, definitions }).issues(value, 1)
    return issue && `${issue.path === '(root)' ? '' : `${issue.path} `}${issue.expected}`
  } catch {
    return undefined
  }
}
