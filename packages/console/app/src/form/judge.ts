// Checks values with @cfworker/json-schema, which does not need eval, since the page forbids it.
// Parts that could take forever are not checked here; the server checks all of it.
import { dereference, type OutputUnit, type Schema, validate } from '@cfworker/json-schema'
import type { JsonObject } from '../client/json-rpc.ts'
import { boundPatterns } from './patterns.ts'

const DRAFT = '2020-12'

/** A small schema can refer to itself without an end, or to each of its parts twice. */
const MAX_REFERENCES = 50_000

type Lookup = Record<string, Schema | boolean>

/** A copy of the schema for texts up to a certain length. */
interface Compiled {
  readonly root: Schema
  readonly lookup: Lookup
  readonly copies: ReadonlyMap<unknown, JsonObject>
  readonly budget: { left: number }
}

export class Judge {
  readonly #root: unknown
  readonly #compiled = new Map<number, Compiled>()

  constructor(root: unknown) {
    this.#root = root
  }

  /** Why a value is invalid; undefined if the browser cannot tell. */
  findErrors(value: unknown): readonly OutputUnit[] | undefined {
    return this.#run(value, ({ root, lookup }) => validate(value, root, DRAFT, lookup, false).errors)
  }

  /** Whether a value matches a schema that is part of the document. */
  fits(schema: unknown, value: unknown): boolean {
    if (typeof schema === 'boolean') return schema
    const result = this.#run(value, ({ copies, lookup }) => {
      const copy = copies.get(schema)
      return copy !== undefined && validate(value, copy, DRAFT, lookup, true).valid
    })
    return result === true
  }

  #run<T>(value: unknown, run: (compiled: Compiled) => T): T | undefined {
    try {
      const compiled = this.#compile(roundUp(measureLongest(value)))
      compiled.budget.left = MAX_REFERENCES
      return run(compiled)
    } catch {
      // Such as a broken reference, or an endless one.
      return undefined
    }
  }

  /** @param length of the longest text that is tried on patterns */
  #compile(length: number): Compiled {
    const known = this.#compiled.get(length)
    if (known !== undefined) return known
    const budget = { left: MAX_REFERENCES }
    const copies = new Map<unknown, JsonObject>()
    const root = boundPatterns(this.#root, { text: length, key: length }, (schema, copy) => {
      copies.set(schema, copy)
      countReferences(copy, budget)
    }) as Schema
    const made = { root, lookup: dereference(root), copies, budget }
    this.#compiled.set(length, made)
    return made
  }
}

/** The library reads `$ref` each time that it follows it. */
function countReferences(schema: JsonObject, budget: { left: number }): void {
  const { $ref } = schema
  if ($ref === undefined) return
  const get = () => {
    if (budget.left-- <= 0) throw new Error('The schema has too many references')
    return $ref
  }
  Object.defineProperty(schema, '$ref', { get, enumerable: true })
}

/** The length of the longest text or key. */
function measureLongest(data: unknown): number {
  if (typeof data === 'string') return data.length
  if (typeof data !== 'object' || data === null) return 0
  return Object.entries(data).reduce((most, [key, value]) => Math.max(most, key.length, measureLongest(value)), 0)
}

/** Rounds up to 100, 1,000 and so on, so that the schema is copied only for a few lengths. */
const roundUp = (length: number): number => 10 ** Math.ceil(Math.log10(Math.max(100, length)))
