// Compares two versions of a JSON Schema: what may callers no longer send, and what may they newly
// receive? A changed keyword that it cannot compare counts as a break.

import { type Elements, getProperties, getRequired, includesType, isEqual } from '@toolrack/json-schema/reader'
import type { JsonObject } from 'toolrack'
import { isObject } from 'toolrack/protocol'
import { findNarrowedBounds } from './number-bounds.ts'
import { findAlternatives, isOverlapping, splitSchema } from './schema-alternatives.ts'
import { describeSchema, findTypes, findValues, formatValues, isAllowed, keepKeywordsOf } from './schema-reading.ts'
import { hasReference, hasSameDefinitions, resolveSchema } from './schema-references.ts'
import { findUnlisted, getRest, hasSameReading, readElements } from './schema-unlisted.ts'

/** Arguments may become wider, results narrower. */
export type Direction = 'input' | 'output'

/** @returns one sentence for each break, without its subject's tool */
export function findSchemaBreaks(before: JsonObject, after: JsonObject, direction: Direction): string[] {
  // `to` must allow everything that `from` allows: arguments of before now, results of now before.
  const [from, to] = direction === 'input' ? [before, after] : [after, before]
  const comparison = new SchemaComparison(direction, { from, to })
  comparison.compareDialects()
  comparison.compare(from, to, '')
  return [...new Set(comparison.breaks)]
}

const LOWER_BOUNDS = ['minLength', 'minItems', 'minProperties', 'minContains']
const UPPER_BOUNDS = ['maxLength', 'maxItems', 'maxProperties', 'maxContains']
/** Bounds whose default is 0. */
const COUNTS = new Set(['minLength', 'minItems', 'minProperties'])
const EXACT = ['pattern', 'format', 'contentEncoding', 'contentMediaType']
/** Each may refuse values in ways that are not compared. */
const OPAQUE = [
  'anyOf',
  'oneOf',
  '$ref',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'patternProperties',
  'propertyNames',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'unevaluatedProperties',
  'unevaluatedItems',
]
/** Schemas for the value itself, which decide which members are unevaluated. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas', '$ref']

/** For a result whose schema was closed, such as one of `z.object`. */
const REFUSED_RESULT = 'and clients refuse it until they list the tools anew'

interface Roots {
  readonly from: JsonObject
  readonly to: JsonObject
}

class SchemaComparison {
  readonly breaks: string[] = []
  readonly #direction: Direction
  readonly #roots: Roots
  /** Pairs that were compared already, because schemas may refer to themselves. */
  readonly #seen: Map<JsonObject, Set<JsonObject>>

  constructor(direction: Direction, roots: Roots, seen = new Map<JsonObject, Set<JsonObject>>()) {
    this.#direction = direction
    this.#roots = roots
    this.#seen = seen
  }

  compareDialects(): void {
    if (!hasSameReading(this.#roots.from, this.#roots.to)) this.#reportOpaque('', '$schema')
  }

  compare(fromSchema: unknown, toSchema: unknown, path: string): void {
    const from = resolveSchema(fromSchema, this.#roots.from)
    const to = resolveSchema(toSchema, this.#roots.to)
    if (this.#seen.get(from)?.has(to) || (isEqual(from, to) && !hasReference(from))) return
    this.#seen.set(from, (this.#seen.get(from) ?? new Set()).add(to))
    // `oneOf` refuses a value that two alternatives accept.
    if (isOverlapping(from, to, this.#roots.to)) this.#reportOpaque(path, 'oneOf')
    const alternatives = findAlternatives(from, this.#roots.from)
    const accepting = findAlternatives(to, this.#roots.to)
    if (alternatives.length === 1 && accepting.length === 1) this.#compareOne(alternatives[0]!, accepting[0]!, path)
    else this.#compareAlternatives(alternatives, accepting, path)
  }

  #compareAlternatives(alternatives: readonly JsonObject[], accepting: readonly JsonObject[], path: string): void {
    for (const each of alternatives.flatMap(splitSchema))
      if (!accepting.some(other => this.#isAccepted(each, other))) this.#report(path, this.#says(describeSchema(each)))
  }

  #isAccepted(from: JsonObject, to: JsonObject): boolean {
    const seen = new Map([...this.#seen].map(([key, values]) => [key, new Set(values)]))
    const comparison = new SchemaComparison(this.#direction, this.#roots, seen)
    comparison.compare(from, to, '')
    return comparison.breaks.length === 0
  }

  #compareOne(from: JsonObject, toWhole: JsonObject, path: string): void {
    const refused = findRefusedValues(from, toWhole)
    if (refused !== undefined) this.#report(path, this.#says(refused))
    if (findValues(from) !== undefined) return
    const to = keepKeywordsOf(findTypes(from), toWhole)
    this.#compareBounds(from, to, path)
    this.#compareExact(from, to, path)
    this.#compareAllOf(from, to, path)
    this.#compareElements(from, to, path)
    const isPatternGone = from['patternProperties'] !== undefined && to['patternProperties'] === undefined
    const rest = getRest(to)
    if (isPatternGone && (rest === false || isObject(rest))) this.#reportOpaque(path, 'patternProperties')
    if (this.#direction === 'input') this.#compareArguments(from, to, path)
    else this.#compareResults(from, to, path)
    if (isObject(to['additionalProperties']) && from['additionalProperties'] !== false)
      this.compare(from['additionalProperties'], to['additionalProperties'], join(path, '*'))
  }

  #compareBounds(from: JsonObject, to: JsonObject, path: string): void {
    for (const keyword of findNarrowedBounds(from, to)) this.#reportKeyword(path, keyword, from, to)
    for (const keyword of LOWER_BOUNDS) {
      const least = from[keyword] ?? (COUNTS.has(keyword) ? 0 : Number.NEGATIVE_INFINITY)
      if (to[keyword] !== undefined && Number(to[keyword]) > Number(least)) this.#reportKeyword(path, keyword, from, to)
    }
    for (const keyword of UPPER_BOUNDS) {
      const most = from[keyword] ?? Number.POSITIVE_INFINITY
      if (to[keyword] !== undefined && Number(to[keyword]) < Number(most)) this.#reportKeyword(path, keyword, from, to)
    }
  }

  #compareExact(from: JsonObject, to: JsonObject, path: string): void {
    for (const keyword of EXACT)
      if (to[keyword] !== undefined && to[keyword] !== from[keyword]) this.#reportKeyword(path, keyword, from, to)
    if (to['uniqueItems'] === true && from['uniqueItems'] !== true) this.#reportKeyword(path, 'uniqueItems', from, to)
    const { multipleOf } = to
    if (multipleOf !== undefined && !isMultiple(Number(from['multipleOf']), Number(multipleOf)))
      this.#reportKeyword(path, 'multipleOf', from, to)
    for (const keyword of OPAQUE)
      if (to[keyword] !== undefined && !this.#isSameKeyword(keyword, from, to)) this.#reportOpaque(path, keyword)
    const isEvaluatedAlike = IN_PLACE.every(keyword => isEqual(from[keyword], to[keyword]))
    for (const keyword of isEvaluatedAlike ? [] : ['unevaluatedProperties', 'unevaluatedItems'])
      if (to[keyword] !== undefined && to[keyword] !== true) this.#reportOpaque(path, keyword)
  }

  #isSameKeyword(keyword: string, from: JsonObject, to: JsonObject): boolean {
    // Alternatives that list values were compared as values.
    if ((keyword === 'anyOf' || keyword === 'oneOf') && findValues(to) !== undefined) return true
    if (!isEqual(from[keyword], to[keyword])) return false
    // An unresolved reference leads to the same schema if all definitions are the same.
    return keyword !== '$ref' || hasSameDefinitions(this.#roots.from, this.#roots.to)
  }

  #compareAllOf({ allOf: before }: JsonObject, { allOf: after }: JsonObject, path: string): void {
    if (after === undefined || isEqual(before, after)) return
    if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
      for (const [index, each] of before.entries()) this.compare(each, after[index], path)
    else this.#reportOpaque(path, 'allOf')
  }

  #compareElements(from: JsonObject, to: JsonObject, path: string): void {
    const [before, after] = [readElements(from, this.#roots.from), readElements(to, this.#roots.to)]
    const count = Math.max(before.first.length, after.first.length)
    const at = ({ first, rest }: Elements, index: number) => (index < first.length ? first[index] : rest)
    // The element after the first ones stands for all later ones.
    for (let index = 0; index <= count; index++) {
      const [one, other] = [at(before, index), at(after, index)]
      if (one === false || other === undefined) continue
      if (other === false) this.#reportOpaque(path, 'items')
      else this.compare(one, other, `${path}[${index < count ? index : ''}]`)
    }
  }

  #compareArguments(before: JsonObject, after: JsonObject, path: string): void {
    const known = getProperties(before)
    const now = getProperties(after)
    for (const name of getRequired(after))
      if (!getRequired(before).includes(name)) this.#report(join(path, name), 'is required now')
    for (const [name, schema] of Object.entries(known)) {
      const others = Object.hasOwn(now, name) ? [now[name]] : findUnlisted(after, name)
      for (const other of others) {
        if (other === false && schema !== false) this.#report(join(path, name), 'is gone')
        else this.compare(schema, other, join(path, name))
      }
    }
    for (const name of Object.keys(now).filter(each => !Object.hasOwn(known, each)))
      for (const other of findUnlisted(before, name))
        if (isObject(other)) this.compare(other, now[name], join(path, name))
    const [others, rest] = [getRest(before), getRest(after)]
    if (rest === false && others !== false) this.#report(path, 'takes no members any more beside those that it lists')
  }

  // Readers of a result ignore unknown members, unless the earlier list has closed the object or
  // given a type to all other members: clients check results by the list that they have.
  #compareResults(after: JsonObject, before: JsonObject, path: string): void {
    const now = getProperties(after)
    const known = getProperties(before)
    for (const [name, schema] of Object.entries(now).filter(([each]) => !Object.hasOwn(known, each)))
      for (const other of findUnlisted(before, name)) {
        if (other === false) this.#report(join(path, name), `is new, ${REFUSED_RESULT}`)
        else if (isObject(other)) this.compare(schema, other, join(path, name))
      }
    if (getRest(before) === false && getRest(after) !== false)
      this.#report(path, `may have members now that it does not list, ${REFUSED_RESULT}`)
    for (const [name, schema] of Object.entries(known)) {
      if (!Object.hasOwn(now, name)) this.#report(join(path, name), 'is gone')
      else if (getRequired(before).includes(name) && !getRequired(after).includes(name))
        this.#report(join(path, name), 'may be missing now')
      if (Object.hasOwn(now, name)) this.compare(now[name], schema, join(path, name))
    }
  }

  #says(values: string): string {
    return this.#direction === 'input' ? `no longer takes ${values}` : `may now be ${values}`
  }

  #reportKeyword(path: string, keyword: string, from: JsonObject, to: JsonObject): void {
    const [before, after] = this.#direction === 'input' ? [from, to] : [to, from]
    const show = (value: unknown) => (value === undefined ? 'unset' : JSON.stringify(value))
    this.#report(path, `has ${keyword} ${show(after[keyword])}, which was ${show(before[keyword])}`)
  }

  #reportOpaque(path: string, keyword: string): void {
    const effect = this.#direction === 'input' ? 'may refuse' : 'may allow'
    this.#report(path, `has another ${keyword}, which ${effect} more than before`)
  }

  #report(path: string, what: string): void {
    this.breaks.push(`${describeSubject(this.#direction, path)} ${what}`)
  }
}

/** The values or types of `from` that `to` does not have, as text; undefined if it has all of them. */
function findRefusedValues(from: JsonObject, to: JsonObject): string | undefined {
  const values = findValues(from)
  const allowed = findValues(to)
  const types = findTypes(to)
  if (values !== undefined) {
    const refused = values.filter(value => !isAllowed(value, to))
    return refused.length === 0 ? undefined : formatValues(refused)
  }
  if (allowed !== undefined) return `values other than ${formatValues(allowed)}`
  const refused = findTypes(from).filter(type => !includesType(types, type))
  if (refused.length === 0) return undefined
  return from['type'] === undefined ? `values that are not ${types.join(' or ')}` : refused.join(' or ')
}

/** Compares as decimals: 0.3 is a multiple of 0.1. */
const isMultiple = (number: number, of: number): boolean => Number.isInteger(Number((number / of).toFixed(9)))

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

function describeSubject(direction: Direction, path: string): string {
  if (direction === 'input') return path === '' ? 'the call' : `the argument ${path}`
  return path === '' ? 'the result' : `${path} of the result`
}
