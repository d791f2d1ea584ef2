// What a schema may cost: depth, number of subschemas, patterns without exponential backtracking.
// Spec 2026-07-28: basic/index, "Composition-Keyword Resource Use".
import { boundedPattern } from './pattern/bounded-pattern.ts'
import { isExponential } from './pattern/exponential.ts'

/** Deepest nesting of a schema document. */
export const MAX_SCHEMA_DEPTH = 32
/** Most objects in a schema document. */
export const MAX_SUBSCHEMAS = 1000

class SchemaBoundsError extends Error {
  override name = 'SchemaBoundsError'
}

const DATA_KEYWORDS = new Set(['const', 'enum', 'default', 'examples'])
const MAP_KEYWORDS = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
])

/** The members of a schema that are schemas or hold some; what is data is left out, whatever a property is named. */
export function schemaMembers(node: object, isMap: boolean): { key: string; value: unknown; isMap: boolean }[] {
  return Object.entries(node)
    .filter(([key]) => isMap || Array.isArray(node) || !DATA_KEYWORDS.has(key))
    .map(([key, value]) => ({ key, value, isMap: !isMap && MAP_KEYWORDS.has(key) }))
}

/** @throws SchemaBoundsError naming the JSON pointer of what goes too far */
export function assertBounds(schema: object | boolean): void {
  let subschemas = 0
  const walk = (node: unknown, pointer: string, depth: number, isMap: boolean): void => {
    if (typeof node !== 'object' || node === null) return
    if (depth > MAX_SCHEMA_DEPTH) throw new SchemaBoundsError(`${pointer}: nested deeper than ${MAX_SCHEMA_DEPTH}`)
    if (!Array.isArray(node) && !isMap) {
      if (++subschemas > MAX_SUBSCHEMAS) throw new SchemaBoundsError(`more than ${MAX_SUBSCHEMAS} subschemas`)
      assertNode(node as Record<string, unknown>, pointer)
    }
    for (const member of schemaMembers(node, isMap)) {
      walk(member.value, `${pointer}/${member.key}`, depth + 1, member.isMap)
    }
  }
  walk(schema, '#', 0, false)
}

function assertNode(node: Record<string, unknown>, pointer: string): void {
  assertPattern(node['pattern'], `${pointer}/pattern`)
  const patterns = node['patternProperties']
  if (typeof patterns === 'object' && patterns !== null) {
    for (const pattern of Object.keys(patterns)) assertPattern(pattern, `${pointer}/patternProperties`)
  }
}

function assertPattern(pattern: unknown, pointer: string): void {
  const fault = typeof pattern === 'string' ? faultOf(pattern) : undefined
  if (fault !== undefined) throw new SchemaBoundsError(`${pointer}: ${JSON.stringify(pattern)} ${fault}`)
}

// Also what would be harmless here: clients run the patterns of the schemas that they are shown.
function faultOf(pattern: string): string | undefined {
  try {
    boundedPattern(pattern, 'u')
  } catch (error) {
    return error instanceof SyntaxError ? 'is no regular expression of ECMAScript (flag u)' : (error as Error).message
  }
  if (!isExponential(pattern)) return undefined
  return 'may take exponential time in a client: a repetition within a repetition goes over the same text in two ways'
}
