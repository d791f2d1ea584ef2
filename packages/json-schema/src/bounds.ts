// Bounds the cost of a schema: depth, number of subschemas, patterns that run in linear time.
// Spec 2026-07-28: basic/index, "Composition-Keyword Resource Use".
import { PatternError, type Patterns } from './patterns.ts'
import { schemaMembers } from './reader.ts'

export const MAX_SCHEMA_DEPTH = 32
export const MAX_SUBSCHEMAS = 1000

class SchemaBoundsError extends Error {
  override name = 'SchemaBoundsError'
}

/** Whether its depth and its number of subschemas are within the bounds. */
export function isWithinBounds(schema: object): boolean {
  try {
    assertBounds(schema, undefined)
    return true
  } catch {
    return false
  }
}

/** Also compiles the patterns. @throws SchemaBoundsError naming the JSON pointer */
export function assertBounds(schema: object | boolean, patterns: Patterns | undefined): void {
  let subschemas = 0
  const walk = (node: unknown, pointer: string, depth: number, isMap: boolean): void => {
    if (typeof node !== 'object' || node === null) return
    if (depth > MAX_SCHEMA_DEPTH) throw new SchemaBoundsError(`${pointer}: nested deeper than ${MAX_SCHEMA_DEPTH}`)
    if (!Array.isArray(node) && !isMap) {
      if (++subschemas > MAX_SUBSCHEMAS) throw new SchemaBoundsError(`more than ${MAX_SUBSCHEMAS} subschemas`)
      if (patterns !== undefined) assertPatterns(node as Record<string, unknown>, pointer, patterns)
    }
    for (const member of schemaMembers(node, isMap)) {
      walk(member.value, `${pointer}/${member.key}`, depth + 1, member.isMap)
    }
  }
  walk(schema, '#', 0, false)
}

function assertPatterns(node: Record<string, unknown>, pointer: string, compiled: Patterns): void {
  const { pattern, patternProperties } = node
  if (typeof pattern === 'string') assertPattern(pattern, `${pointer}/pattern`, compiled)
  if (typeof patternProperties !== 'object' || patternProperties === null) return
  for (const each of Object.keys(patternProperties)) assertPattern(each, `${pointer}/patternProperties`, compiled)
}

function assertPattern(pattern: string, pointer: string, compiled: Patterns): void {
  try {
    compiled.compile(pattern)
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    throw new SchemaBoundsError(`${pointer}: ${JSON.stringify(pattern)} ${error.message}`)
  }
}
