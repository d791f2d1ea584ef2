// Completes @valibot/to-json-schema. For parts that JSON Schema cannot express, leaves them out:
// Valibot itself checks them later. Refuses only a type that JSON Schema cannot express.

import type { Direction } from 'toolrack/definitions'
import { isObject } from 'toolrack/protocol'
import { findRefinementPatterns, HARMLESS_FLAGS, toSource } from './refinement-patterns.ts'

interface ValibotSchema {
  readonly type: string
  readonly default?: unknown
  readonly wrapped?: ValibotSchema
  readonly options?: readonly ValibotSchema[]
  readonly items?: readonly ValibotSchema[]
  readonly getter?: (input: undefined) => ValibotSchema
}

type Members = Readonly<Record<string, unknown>>

interface Override {
  readonly jsonSchema: Members
  readonly errors: readonly string[] | undefined
}

interface ActionOverride extends Override {
  readonly valibotAction: {
    readonly kind: string
    readonly type: string
    readonly requirement?: unknown
    readonly operation?: unknown
  }
}

interface SchemaOverride extends Override {
  readonly valibotSchema: ValibotSchema
  readonly definitions: Readonly<Record<string, Members>>
  readonly referenceMap: ReadonlyMap<ValibotSchema, string>
}

/** Transformations that do not change the value. */
const UNCHANGING: ReadonlySet<string> = new Set(['brand', 'flavor', 'guard', 'readonly'])

/** Transformations that return another value of the same type. */
const SAME_TYPE: ReadonlySet<string> = new Set([
  ...['filter_items', 'normalize', 'sort_items', 'to_camel_case', 'to_kebab_case', 'to_lower_case'],
  ...['to_max_value', 'to_min_value', 'to_pascal_case', 'to_snake_case', 'to_upper_case'],
  ...['trim', 'trim_end', 'trim_start'],
])

/** Valibot's patterns for these have no time zone, but the formats of JSON Schema need one. */
const WITHOUT_ZONE: ReadonlySet<string> = new Set(['iso_time', 'iso_date_time'])

/** Checks after a change of the value do not apply to what a client sends. */
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'const', 'enum', 'not']
const SIZES = ['minItems', 'maxItems', 'minProperties', 'maxProperties']

/**
 * Marks a schema that a transformation has changed, with its earlier keywords. Left out of the JSON.
 */
const BEFORE = Symbol('before')

type Converted = Members & { readonly [BEFORE]?: Members }

/** Schemas that remove `undefined` or `null`. The converter has no JSON Schema for them. */
const NARROWING: ReadonlySet<string> = new Set(['non_optional', 'non_nullable', 'non_nullish'])

interface ValibotOptions extends Record<string, unknown> {
  definitions?: Record<string, unknown>
}

/**
 * Converts by the converter of Valibot. Schemas that it cannot convert, and that contain others, are
 * first converted by name.
 *
 * @param unlistedPatterns gets the sources of patterns that are left out
 */
export function convertValibot(
  convert: (options: Record<string, unknown>) => Record<string, unknown>,
  direction: Direction,
  unlistedPatterns: string[],
): Record<string, unknown> {
  const inner = new Set<ValibotSchema>()
  for (let passes = 0; passes <= MAX_DEPTH; passes++) {
    const known = inner.size
    const options: ValibotOptions = {
      overrideAction: (override: ActionOverride) => overrideAction(override, direction, unlistedPatterns),
      overrideSchema: (override: SchemaOverride) => overrideSchema(override, direction, inner),
    }
    // The innermost first, since the outer schemas refer to them.
    const named = [...inner].reverse().map((schema, index) => [`${OWN}${index}`, schema] as const)
    if (named.length > 0) options.definitions = Object.fromEntries(named)
    const converted = convert(options)
    if (inner.size === known) return withoutUnused(converted)
  }
  throw new Error('a v.lazy makes another v.nonOptional each time; make it once')
}

const OWN = 'narrowed'

function withoutUnused({ $defs, ...schema }: Record<string, unknown>): Record<string, unknown> {
  if (!isObject($defs)) return schema
  const used = Object.entries($defs).filter(([name]) => {
    const reference = `"$ref":"#/$defs/${name}"`
    return !name.startsWith(OWN) || JSON.stringify({ ...schema, $defs }).includes(reference)
  })
  return used.length === 0 ? schema : { ...schema, $defs: Object.fromEntries(used) }
}

function overrideAction(
  { valibotAction, jsonSchema, errors }: ActionOverride,
  direction: Direction,
  unlistedPatterns: string[],
): Converted | undefined {
  const { kind, type, requirement, operation } = valibotAction
  for (const refinement of [requirement, operation]) unlistedPatterns.push(...findRefinementPatterns(refinement))
  if (kind === 'transformation' && !UNCHANGING.has(type)) {
    if (direction === 'output' && !SAME_TYPE.has(type) && errors !== undefined) return undefined
    return direction === 'output' ? withBounds(jsonSchema, {}) : { ...jsonSchema, [BEFORE]: jsonSchema }
  }
  if (requirement instanceof RegExp) {
    if (WITHOUT_ZONE.has(type)) return withPattern(jsonSchema, requirement)
    if (errors !== undefined) return leaveOutPattern(requirement, jsonSchema, unlistedPatterns)
  }
  const { [BEFORE]: before } = jsonSchema as Converted
  if (before !== undefined && kind === 'validation') return withBounds(jsonSchema, before)
  return errors === undefined ? undefined : jsonSchema
}

/** Adds the bounds of another schema, except those for texts, which Valibot checks. */
function withBounds(jsonSchema: Members, other: Members): Converted {
  const copy: Record<string, unknown> = { ...jsonSchema }
  for (const keyword of [...BOUNDS, ...SIZES]) {
    delete copy[keyword]
    if (other[keyword] !== undefined) copy[keyword] = other[keyword]
  }
  return copy
}

function withPattern({ format: _format, ...others }: Members, { source }: RegExp): Members {
  return 'pattern' in others ? others : { ...others, pattern: source }
}

function overrideSchema(
  { valibotSchema, jsonSchema, errors, definitions, referenceMap }: SchemaOverride,
  direction: Direction,
  inner: Set<ValibotSchema>,
): Members | undefined {
  const { type, wrapped, items } = valibotSchema
  if (NARROWING.has(type) && wrapped !== undefined) {
    const name = referenceMap.get(wrapped)
    if (name === undefined) {
      inner.add(wrapped)
      return {}
    }
    const schema = definitions[name] ?? { $ref: `#/$defs/${name}` }
    return type === 'non_optional' ? schema : withoutNull(schema)
  }
  if (Array.isArray(items) && 'prefixItems' in jsonSchema)
    return { ...jsonSchema, minItems: countNeeded(items, direction) }
  // A record whose key is not a plain string. Its JSON Schema has the key in `propertyNames`.
  return errors !== undefined && type === 'record' ? jsonSchema : undefined
}

function withoutNull(schema: Members): Members {
  const { anyOf, ...others } = schema
  const rest = Array.isArray(anyOf) ? anyOf.filter(each => each.type !== 'null') : []
  if (rest.length === 1) return { ...rest[0], ...others }
  return { ...schema, not: { type: 'null' } }
}

/** Valibot reads missing items as `undefined`, which some items accept. */
function countNeeded(items: readonly ValibotSchema[], direction: Direction): number {
  const isNeeded = (item: ValibotSchema) =>
    !takesUndefined(item) || (direction === 'output' && item.default !== undefined)
  return items.findLastIndex(isNeeded) + 1
}

const TAKING_UNDEFINED: ReadonlySet<string> = new Set(['any', 'nullish', 'optional', 'undefinedable', 'unknown'])

function takesUndefined(schema: ValibotSchema, depth = 0): boolean {
  const { type, options = [], getter } = schema
  if (TAKING_UNDEFINED.has(type)) return true
  if (depth > MAX_DEPTH) return false
  const next = (each: ValibotSchema) => takesUndefined(each, depth + 1)
  if (type === 'lazy' && getter !== undefined) return next(getter(undefined))
  return type === 'union' ? options.some(next) : type === 'intersect' && options.every(next)
}

const MAX_DEPTH = 32

/** JSON Schema allows one pattern, without flags. */
function leaveOutPattern(pattern: RegExp, jsonSchema: Members, unlistedPatterns: string[]): Members {
  const isListed = jsonSchema['pattern'] === pattern.source
  if (isListed && HARMLESS_FLAGS.test(pattern.flags)) return jsonSchema
  unlistedPatterns.push(toSource(pattern))
  if (!isListed) return jsonSchema
  const { pattern: _withoutFlags, ...others } = jsonSchema
  return others
}
