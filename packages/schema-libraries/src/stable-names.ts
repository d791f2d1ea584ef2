// ArkType numbers its types per process: `intersection218`. After a reload, and on another replica,
// the same schema would have other names, and would be announced as changed.

import { mapMembers } from '@toolrack/json-schema/reader'
import type { Schema } from '@toolrack/json-schema/validator'
import { isObject } from 'toolrack/protocol'

const NUMBERED = /^([a-z]+)\d+$/
const PREFIX = '#/$defs/'

/** Numbers the definitions anew, in the order of the document. */
export function withStableNames(schema: Schema): Schema {
  const { $defs } = schema
  if (!isObject($defs)) return schema
  const names = renumber(Object.keys($defs))
  const rename = (node: unknown, isMap: boolean): unknown => {
    if (typeof node !== 'object' || node === null) return node
    const copy = mapMembers(node, isMap, rename) as Record<string, unknown>
    const { $ref } = copy
    if (isMap || typeof $ref !== 'string' || !$ref.startsWith(PREFIX)) return copy
    const name = names.get($ref.slice(PREFIX.length))
    return name === undefined ? copy : { ...copy, $ref: PREFIX + name }
  }
  const renamed = rename(schema, false) as Schema
  const entries = Object.entries(renamed['$defs'] as Schema)
  return { ...renamed, $defs: Object.fromEntries(entries.map(([name, each]) => [names.get(name), each])) }
}

function renumber(names: readonly string[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>()
  return new Map(
    names.map(name => {
      const [, word] = NUMBERED.exec(name) ?? []
      if (word === undefined) return [name, name]
      const count = (counts.get(word) ?? 0) + 1
      counts.set(word, count)
      return [name, `${word}${count}`]
    }),
  )
}
