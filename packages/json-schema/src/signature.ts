// A tool in a form for people: `get_price(sku: string) → { price: number }`. Pure, because the
// command line and the console in the browser both use it.
import { findLiterals, followReference, isNode, listProperties, type Node, type Property } from './reader.ts'

/** A tool of a list. */
interface Described {
  readonly name: string
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
  readonly annotations?: Readonly<Record<string, unknown>> | undefined
  readonly execution?: Readonly<Record<string, unknown>> | undefined
}

interface Scope {
  readonly root: unknown
  readonly depth: number
  readonly seen: readonly string[]
  /** Shared by the whole schema, since references can make it arbitrarily large. */
  readonly budget: { left: number }
}

const MAX_STEPS = 5000

const createScope = (root: unknown): Scope => ({ root, depth: 0, seen: [], budget: { left: MAX_STEPS } })

/** Deeper objects are shown as `object`, longer unions end with `…`. */
const MAX_DEPTH = 4
const MAX_BRANCHES = 12
const MAX_PROPERTIES = 40

/** `name(required: string, optional?: number = 3) → result`; without an output schema, no arrow. */
export function formatSignature({ name, inputSchema, outputSchema }: Described): string {
  const output = isNode(outputSchema) ? ` → ${formatType(outputSchema)}` : ''
  return `${name}(${formatParameters(inputSchema).join(', ')})${output}`
}

/** One text for each argument, required ones first. */
function formatParameters(inputSchema: unknown): readonly string[] {
  if (!isNode(inputSchema)) return []
  const scope = createScope(inputSchema)
  const rows = listProperties(inputSchema)
  const more = rows.length > MAX_PROPERTIES ? ['…'] : []
  return [...rows.slice(0, MAX_PROPERTIES).map(row => formatProperty(row, scope)), ...more]
}

/** A JSON Schema as a TypeScript-like type, on one line. */
export const formatType = (schema: unknown): string => toType(schema, createScope(schema))

function formatProperty({ name, schema, isRequired }: Property, scope: Scope): string {
  const fallback = isNode(schema) && schema['default'] !== undefined ? ` = ${toLiteral(schema['default'])}` : ''
  return `${toKey(name)}${isRequired ? '' : '?'}: ${toType(schema, scope)}${fallback}`
}

const toKey = (name: string) => (/^[A-Za-z_$][\w$-]*$/.test(name) ? name : JSON.stringify(name))

const MAX_LITERAL = 60

function toLiteral(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  return text.length > MAX_LITERAL ? `${text.slice(0, MAX_LITERAL)}…` : text
}

function toType(schema: unknown, scope: Scope): string {
  if (scope.budget.left-- <= 0) return '…'
  if (schema === false) return 'never'
  if (!isNode(schema)) return 'any'
  const { $ref } = schema
  if (typeof $ref === 'string') {
    const target = scope.seen.includes($ref) ? undefined : followReference(schema, scope.root)
    return target === undefined ? lastPart($ref) : toType(target, { ...scope, seen: [...scope.seen, $ref] })
  }
  const literals = findLiterals(schema)
  if (literals !== undefined) return toUnion(literals.map(toLiteral))
  const branches = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(branches) && !isNode(schema['properties']))
    return toUnion(branches.slice(0, MAX_BRANCHES + 1).map(each => toType(each, scope)))
  const types = Array.isArray(schema['type']) ? schema['type'] : [schema['type']]
  return toUnion(types.map(type => toPlainType(type, schema, scope)))
}

const lastPart = ($ref: string) => (/^#?$/.test($ref) ? 'any' : ($ref.split('/').at(-1) ?? 'any'))

function toUnion(types: readonly string[]): string {
  const different = [...new Set(types)]
  const more = different.length > MAX_BRANCHES ? ['…'] : []
  return [...different.slice(0, MAX_BRANCHES), ...more].join(' | ') || 'never'
}

function toPlainType(type: unknown, schema: Node, scope: Scope): string {
  if (type === 'array' || schema['items'] !== undefined || schema['prefixItems'] !== undefined)
    return toArrayType(schema, scope)
  if (type === 'object' || isNode(schema['properties']) || schema['allOf'] !== undefined)
    return toObjectType(schema, scope)
  return typeof type === 'string' ? type : 'any'
}

function toArrayType({ items, prefixItems }: Node, scope: Scope): string {
  if (scope.depth >= MAX_DEPTH) return 'array'
  const inner = { ...scope, depth: scope.depth + 1 }
  if (Array.isArray(prefixItems)) return `[${prefixItems.map(each => toType(each, inner)).join(', ')}]`
  const item = toType(items, inner)
  return /^[\w"]+$/.test(item) || item.startsWith('{') ? `${item}[]` : `(${item})[]`
}

function toObjectType(schema: Node, scope: Scope): string {
  if (scope.depth >= MAX_DEPTH) return 'object'
  const inner = { ...scope, depth: scope.depth + 1 }
  const rows = listProperties(schema, scope.root)
  if (rows.length === 0) return toMapType(schema['additionalProperties'], inner)
  const shown = rows.slice(0, MAX_PROPERTIES).map(row => formatProperty(row, inner))
  return `{ ${[...shown, ...(rows.length > MAX_PROPERTIES ? ['…'] : [])].join(', ')} }`
}

const toMapType = (values: unknown, scope: Scope) =>
  isNode(values) ? `{ [name]: ${toType(values, scope)} }` : values === false ? '{}' : 'object'

/** Fits two lines of a terminal. */
const MAX_SENTENCE = 160

/** The first sentence of a description, on one line. */
export function firstSentence(description: string | undefined): string {
  const text = (description ?? '')
    .trim()
    .split(/\n\s*\n/, 1)[0]!
    .replace(/\s+/g, ' ')
  const [sentence = text] = /^.*?[.!?](?=\s|$)(?<!\b(?:e\.g|i\.e|etc|vs)\.)/.exec(text) ?? []
  return sentence.length > MAX_SENTENCE ? `${sentence.slice(0, MAX_SENTENCE - 1)}…` : sentence
}

/** Marks that a caller should know before a call: `read-only`, `destructive`, `task` (it can be one), … */
export function listMarks({ annotations = {}, execution = {} }: Described): readonly string[] {
  const isReadOnly = annotations['readOnlyHint'] === true
  return [
    ...(isReadOnly ? ['read-only'] : []),
    // Only if declared, although MCP's default is true: most tools declare nothing.
    ...(!isReadOnly && annotations['destructiveHint'] === true ? ['destructive'] : []),
    ...(!isReadOnly && annotations['idempotentHint'] === true ? ['idempotent'] : []),
    ...(annotations['openWorldHint'] === true ? ['open-world'] : []),
    ...(['optional', 'required'].includes(String(execution['taskSupport'])) ? ['task'] : []),
  ]
}
