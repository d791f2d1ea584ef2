// Places the schemas of tools in an OpenAPI document, so that their references still lead where
// they led. OpenAPI 3.1, "Schema Object".
import { isObject, type JsonObject } from '../protocol/messages.ts'
import { isData } from '../schema/bounds.ts'
import { findDialect } from '../schema/dialect.ts'
import { KEYWORDS, NAMED } from '../schema/keywords.ts'

/** Names of one place in a document: two tools may have the same one, and nothing refers to them. */
const ANCHORS = ['$anchor', '$dynamicAnchor']

/**
 * @param schema as a tool lists it: its references are pointers
 * @param place of the schema in the document, such as `#/components/schemas/x`
 */
export function placeSchema(schema: JsonObject, place: string): JsonObject {
  const keywords = KEYWORDS[findDialect(schema['$schema']) ?? '2020-12']
  return rebaseNode(schema, place, keywords) as JsonObject
}

function rebaseNode(schema: unknown, place: string, keywords: Readonly<Record<string, string>>): unknown {
  if (!isObject(schema)) return schema
  const rebaseValue = (keyword: string, value: unknown): unknown => {
    if (keyword === '$ref' && typeof value === 'string' && value.startsWith('#')) return place + value.slice(1)
    // A keyword that no dialect knows may hold schemas that references lead to: `components`.
    const isPlain = Object.hasOwn(keywords, keyword) ? keywords[keyword] === 'data' : isData(keyword)
    if (isPlain) return value
    if (Array.isArray(value)) return value.map(each => rebaseNode(each, place, keywords))
    if (!NAMED.has(keyword) || !isObject(value)) return rebaseNode(value, place, keywords)
    const members = Object.entries(value)
    return Object.fromEntries(members.map(([name, each]) => [name, rebaseNode(each, place, keywords)]))
  }
  const kept = Object.entries(schema).filter(([keyword]) => !ANCHORS.includes(keyword))
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, rebaseValue(keyword, value)]))
}
