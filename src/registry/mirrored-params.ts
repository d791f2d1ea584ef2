// Finds the parameters that a tool mirrors into headers (`x-mcp-header`), and rejects invalid ones.
// Spec 2026-07-28: server/tools, "x-mcp-header".

import { formatPath } from '@toolrack/json-schema/pointer'
import { schemaMembers } from '@toolrack/json-schema/reader'
import type { Schema } from '@toolrack/json-schema/validator'
import { type MirroredParam, PARAM_PREFIX } from '../protocol/headers.ts'
import { isObject } from '../protocol/messages.ts'
import { RegistrationError } from './definition.ts'

const KEYWORD = 'x-mcp-header'
const HTTP_TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const PRIMITIVES: readonly unknown[] = ['string', 'integer', 'boolean']

export function findMirroredParams(tool: string, schema: Schema): readonly MirroredParam[] {
  const refuse = (where: string, text: string) =>
    new RegistrationError('tool', tool, `inputSchema ${where}: ${KEYWORD} ${text}`)
  const found: MirroredParam[] = []
  const seen = new Set<string>()

  const visit = (node: unknown, path: string[], isReachable: boolean, isMap: boolean): void => {
    if (typeof node !== 'object' || node === null) return
    if (!isMap && isObject(node) && Object.hasOwn(node, KEYWORD)) {
      const where = formatPath(path)
      const name = node[KEYWORD]
      if (!isReachable || path.length === 0)
        throw refuse(where, 'must sit on a property reached through properties only')
      if (typeof name !== 'string' || !HTTP_TOKEN.test(name)) throw refuse(where, 'must be an HTTP token')
      if (!PRIMITIVES.includes(node['type'])) throw refuse(where, 'needs type string, integer or boolean')
      const header = `${PARAM_PREFIX}${name.toLowerCase()}`
      if (seen.has(header)) throw refuse(where, `${JSON.stringify(name)} is used twice`)
      seen.add(header)
      found.push(Object.freeze({ header, path: Object.freeze([...path]) }))
    }
    for (const member of schemaMembers(node, isMap)) {
      const stays = isReachable && (isMap || member.key === 'properties')
      visit(member.value, isMap ? [...path, member.key] : path, stays, member.isMap)
    }
  }

  visit(schema, [], true, false)
  return Object.freeze(found)
}
