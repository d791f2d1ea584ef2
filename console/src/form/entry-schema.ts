// The schema of a member that `properties` does not name.
import { isObject } from '../client/json-rpc.ts'
import { isFast } from './patterns.ts'
import type { Node } from './schema.ts'

/** A name is not longer than this where it is tried on patterns. */
const MAX_NAME = 200

/** By the patterns of names, or else as an additional property. */
export function findEntrySchema(node: Node, name: string): unknown {
  const patterns = isObject(node['patternProperties']) ? Object.entries(node['patternProperties']) : []
  const found = patterns.find(
    ([pattern]) => name.length <= MAX_NAME && isFast(pattern, MAX_NAME) && matches(pattern, name),
  )
  return found?.[1] ?? (node['additionalProperties'] || true)
}

function matches(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(name)
  } catch {
    return false
  }
}
