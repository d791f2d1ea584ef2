// Bounds the cost of a schema: depth, number of subschemas, patterns that run in linear time.
// Spec 2026-07-28: basic/index, "Composition-Keyword Resource Use".
import { PatternError, type Patterns } from './patterns.ts'

export const MAX_SCHEMA_DEPTH = 32
export const MAX_SUBSCHEMAS = 1000

class SchemaBoundsError extends Error {
  override name = 'SchemaBoundsError'
}

/** Their values are data, as are those of names that begin with `x-`; the last line is of OpenAPI and Ajv. */
const DATA_KEYWORDS = new Set([
  ...['const', 'enum', 'default', 'examples'],
  ...['discriminator', 'example', 'xml', 'externalDocs', 'errorMessage'],
])
export const isData = (keyword: string) => DATA_KEYWORDS.has(keyword) || keyword.startsWith('x-')
const MAP_KEYWORDS = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
])

/** The members that are or contain schemas. A property may have the name of a data keyword. */
export function schemaMembers(node: object, isMap: boolean): { key: string; value: unknown; isMap: boolean }[] {
  return Object.entries(node)
    .filter(([key]) => isMap || Array.isArray(node) || !isData(key))
    .map(([key, value]) => ({ key, value, isMap: !isMap && MAP_KEYWORDS.has(key) }))
}

/** A copy whose members that are or contain schemas are mapped. */
export function mapMembers(
  node: object,
  isMap: boolean,
  map: (value: unknown, isMap: boolean) => unknown,
): Record<string, unknown> | unknown[] {
  const copy: Record<string, unknown> | unknown[] = Array.isArray(node) ? [...node] : { ...node }
  for (const { key, value, isMap: isMapToo } of schemaMembers(node, isMap))
    (copy as Record<string, unknown>)[key] = map(value, isMapToo)
  return copy
}

/** Whether its depth and its number of subschemas are. */
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
