// The schema of a member that `properties` does not name.
import { findByPattern, mayMatch } from '@toolrack/json-schema/reader'
import { isFast } from './patterns.ts'
import type { Node } from './schema.ts'

/** Longer names are not tried on patterns. */
const MAX_NAME = 200

/** A slow pattern, or one that this browser does not know, matches nothing. */
export const matchesFast = (pattern: string, name: string): boolean =>
  name.length <= MAX_NAME && isFast(pattern, MAX_NAME) && mayMatch(pattern, name)

/** Finds it by the patterns of names, or else as an additional property. */
export const findEntrySchema = (node: Node, name: string): unknown =>
  findByPattern(node, name, matchesFast)[0] ?? (node['additionalProperties'] || true)
