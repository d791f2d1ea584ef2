// The part of a library's JSON Schema that Ajv checks. The library checks the value again, with
// formats of its own, and with the flags of its patterns, which JSON Schema does not have. It counts
// a text after it has trimmed it, and in units of its own.
import { schemaMembers } from './bounds.ts'
import { isPlain } from './plain-pattern.ts'
import type { Schema } from './validator.ts'

type Members = Record<string, unknown>

/** @returns a schema that every value passes which passes `schema` */
export function toCheckable(schema: Schema): Schema {
  return someSchema(schema, hasUncheckable) ? (weaken(schema).schema as Schema) : schema
}

/** Whether V8 might run one of its patterns for long. */
export function mayRunLong(schema: Schema): boolean {
  return someSchema(schema, ({ pattern, patternProperties }) =>
    [pattern, ...Object.keys(patternProperties ?? {})].some(each => typeof each === 'string' && !isPlain(each)),
  )
}

function someSchema(node: unknown, test: (schema: Members) => boolean, isMap = false): boolean {
  if (typeof node !== 'object' || node === null) return false
  if (!isMap && !Array.isArray(node) && test(node as Members)) return true
  return schemaMembers(node, isMap).some(member => someSchema(member.value, test, member.isMap))
}

const UNCHECKABLE = ['format', 'pattern', 'patternProperties', 'minLength', 'maxLength']

const hasUncheckable = (schema: Members) => UNCHECKABLE.some(keyword => schema[keyword] !== undefined)

interface Weakened {
  readonly schema: unknown
  readonly isWeaker: boolean
}

function weaken(node: unknown, isMap = false): Weakened {
  if (typeof node !== 'object' || node === null) return { schema: node, isWeaker: false }
  const copy: Members | unknown[] = Array.isArray(node) ? [...node] : { ...node }
  const weaker = new Set<string>()
  for (const member of schemaMembers(node, isMap)) {
    const { schema, isWeaker } = weaken(member.value, member.isMap)
    ;(copy as Members)[member.key] = schema
    if (isWeaker) weaker.add(member.key)
  }
  if (isMap || Array.isArray(copy)) return { schema: copy, isWeaker: weaker.size > 0 }
  const isWeaker = dropUncheckable(copy) || weaker.size > 0
  keepWeaker(copy, weaker)
  return { schema: copy, isWeaker }
}

/** `unevaluated…` holds for what other keywords leave over: fewer keywords leave more. */
const DROPPED = [...UNCHECKABLE, 'unevaluatedProperties', 'unevaluatedItems']

/** A reference to what is dropped, or moves. */
const TO_DROPPED = /\/(?:patternProperties|additionalProperties|unevaluated\w+|not|if|then|else|oneOf)(?:\/|$)/

/** @returns whether the node is weaker now, or may be */
function dropUncheckable(node: Members): boolean {
  const dropped = DROPPED.filter(keyword => keyword in node)
  // It holds for the names that no pattern takes.
  if (dropped.includes('patternProperties')) dropped.push('additionalProperties')
  for (const keyword of dropped) delete node[keyword]
  // A reference may lead to what is weaker: something in the document is.
  const isReference = '$ref' in node || '$dynamicRef' in node
  if (TO_DROPPED.test(String(node['$ref']))) delete node['$ref']
  return dropped.length > 0 || isReference
}

// A weaker branch makes these keywords stronger.
function keepWeaker(node: Members, weaker: ReadonlySet<string>): void {
  if (weaker.has('not')) delete node['not']
  if (weaker.has('contains')) delete node['maxContains']
  if (weaker.has('if')) for (const keyword of ['if', 'then', 'else']) delete node[keyword]
  if (!weaker.has('oneOf')) return
  const branches = node['oneOf']
  delete node['oneOf']
  node['allOf'] = [...((node['allOf'] as unknown[] | undefined) ?? []), { anyOf: branches }]
}
