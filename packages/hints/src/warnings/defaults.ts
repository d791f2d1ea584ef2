// Finds defaults that their own schema refuses. A call without the argument would then be invalid.

import { schemaMembers } from '@toolrack/json-schema/reader'
import { compile, type Schema } from '@toolrack/json-schema/validator'
import { createFilling } from 'toolrack/definitions'
import { isObject } from 'toolrack/protocol'

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

/** @returns undefined if the value fits, or if the schema cannot be used alone */
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
