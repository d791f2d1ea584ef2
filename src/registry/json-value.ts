// Turns values that JSON does not have, such as the dates of a database row, into what it has.
import { isThenable } from '../request/maybe-promise.ts'

/** What `json` makes of a type. */
export type Jsonified<T> = T extends { toJSON(...args: never[]): infer J }
  ? Jsonified<J>
  : T extends bigint
    ? number | string
    : T extends ReadonlyMap<unknown, infer V>
      ? Record<string, Jsonified<V>>
      : T extends ReadonlySet<infer V>
        ? Jsonified<V>[]
        : T extends object
          ? { [K in keyof T]: Jsonified<T[K]> }
          : T

/**
 * As JSON writes it: `toJSON` is called, functions are left out. A map becomes an object, a set an
 * array, a bigint a number if that is exact, else a text.
 *
 * @throws TypeError with the path of what would be lost: NaN, infinite numbers and invalid dates,
 *   which JSON would turn into null; promises, errors, and objects of a class without members, such
 *   as a RegExp, which it would turn into `{}`; bytes; circles; keys of a map that are objects, or become one key
 */
export function json<T>(value: T): Jsonified<T> {
  return new JsonConverter().convert(value) as Jsonified<T>
}

class JsonConverter {
  readonly #path: string[] = []
  /** The objects around the value. */
  readonly #around = new Set<object>()

  /** @returns undefined for what JSON leaves out */
  convert(value: unknown): unknown {
    const written = this.#callToJson(value)
    switch (typeof written) {
      case 'string':
      case 'boolean':
        return written
      case 'number':
        if (!Number.isFinite(written)) throw this.#fault(`is ${written}`)
        return Object.is(written, -0) ? 0 : written
      case 'bigint':
        return Number.isSafeInteger(Number(written)) ? Number(written) : String(written)
      case 'object':
        return written === null ? null : this.#convertObject(typeof value === 'object' ? value! : written, written)
      default:
        return undefined
    }
  }

  #callToJson(value: unknown): unknown {
    if (value === null || value === undefined) return value
    if (isBytes(value)) throw this.#fault("is bytes: return them by file(), or as toString('base64')")
    const { toJSON } = value as { toJSON?: unknown }
    if (typeof toJSON !== 'function') return value
    const written: unknown = toJSON.call(value, this.#path.at(-1) ?? '')
    if (written === null && value instanceof Date) throw this.#fault('is an invalid date')
    return written
  }

  /** @param original what `toJSON` was called on: it may make something new each time */
  #convertObject(original: object, value: object): unknown {
    if (this.#around.has(original)) throw this.#fault('is circular')
    this.#around.add(original)
    const converted = this.#convertMembers(value)
    this.#around.delete(original)
    return converted
  }

  #convertMembers(value: object): unknown {
    if (value instanceof Number || value instanceof String || value instanceof Boolean)
      return this.convert(value.valueOf())
    if (value instanceof Set) return this.#toArray([...value])
    if (Array.isArray(value)) return this.#toArray(value)
    if (value instanceof Map) return this.#toObject(this.#nameKeys(value))
    const loss = findLoss(value)
    if (loss !== undefined) throw this.#fault(loss)
    return this.#toObject(Object.entries(value))
  }

  #toArray(values: readonly unknown[]): unknown[] {
    return Array.from(values, (value, index) => this.#convertMember(String(index), value) ?? null)
  }

  #toObject(entries: Iterable<[string, unknown]>): object {
    const members: [string, unknown][] = []
    for (const [key, value] of entries) {
      const member = this.#convertMember(key, value)
      if (member !== undefined) members.push([key, member])
    }
    return Object.fromEntries(members)
  }

  #nameKeys(map: ReadonlyMap<unknown, unknown>): Map<string, unknown> {
    const named = new Map<string, unknown>()
    for (const [key, value] of map) {
      if (!NAMES.has(typeof key)) throw this.#fault('has a key that is neither a text nor a number')
      const name = String(key)
      if (named.has(name)) throw this.#fault(`has two keys that become ${JSON.stringify(name)}`)
      named.set(name, value)
    }
    return named
  }

  #convertMember(key: string, value: unknown): unknown {
    this.#path.push(key)
    const member = this.convert(value)
    this.#path.pop()
    return member
  }

  #fault(what: string): TypeError {
    return new TypeError(`${this.#path.join('.') || 'the value'} ${what}`)
  }
}

/** Types whose values are keys of JSON, as texts. */
const NAMES = new Set(['string', 'number', 'bigint', 'boolean'])

const isBytes = (value: unknown): boolean =>
  ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof Blob

/** What is wrong with an object of which JSON would keep nothing, or not what counts. */
function findLoss(value: object): string | undefined {
  if (isThenable(value)) return 'is a promise: await it'
  if (value instanceof Error) return 'is an error: throw it, or return its message'
  if (Object.keys(value).length > 0) return undefined
  const type = findClass(value)
  return type === undefined ? undefined : `is of the class ${type}, of which JSON keeps nothing`
}

/** Undefined for a plain object, also of another realm. */
function findClass(value: object): string | undefined {
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1)
  if (tag !== 'Object') return tag
  const { constructor: made } = value as { constructor?: unknown }
  return typeof made === 'function' && made.name !== 'Object' ? made.name : undefined
}
