// Turns values that JSON lacks, such as the dates of a database row, into values that it has.
import { formatPath } from '@toolrack/json-schema/pointer'
import { type Loss, toJsonForm } from './json-form.ts'

/** The type that `json` returns for a type. */
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
 * Converts a value to JSON, and refuses values that JSON would lose.
 * As in JSON, `toJSON` is called and functions are left out. A map becomes an object, a set an
 * array, a bigint a number if that is exact, else a text.
 *
 * @throws TypeError with the path of a value that would be lost. NaN, infinite numbers and invalid
 *   dates would become null. Promises, errors and objects of a class without members, such as a RegExp,
 *   would become `{}`. Bytes, circles, and keys of a map that are objects or become one key fail, too.
 */
export function json<T>(value: T): Jsonified<T> {
  return new JsonConverter().convert(value) as Jsonified<T>
}

class JsonConverter {
  readonly #path: string[] = []
  /** The objects that contain the value. */
  readonly #around = new Set<object>()

  /** @returns undefined if JSON leaves the value out */
  convert(value: unknown): unknown {
    const form = toJsonForm(value, this.#path.at(-1) ?? '', this.#refuse)
    if (typeof form !== 'object' || form === null) return form
    // Remembers the original, since `toJSON` may make a new object each time.
    const original = typeof value === 'object' ? value! : form
    if (this.#around.has(original)) return this.#refuse({ what: 'is circular' })
    this.#around.add(original)
    const converted = Array.isArray(form) ? this.#toArray(form) : this.#toObject(form)
    this.#around.delete(original)
    return converted
  }

  #toArray(values: readonly unknown[]): unknown[] {
    return Array.from(values, (value, index) => this.#convertMember(String(index), value) ?? null)
  }

  #toObject(value: object): object {
    const members: [string, unknown][] = []
    for (const [key, each] of Object.entries(value)) {
      const member = this.#convertMember(key, each)
      if (member !== undefined) members.push([key, member])
    }
    return Object.fromEntries(members)
  }

  #convertMember(key: string, value: unknown): unknown {
    this.#path.push(key)
    const member = this.convert(value)
    this.#path.pop()
    return member
  }

  readonly #refuse = ({ what, fix }: Loss): never => {
    const text = `${formatPath(this.#path, 'the value')} ${what}`
    throw new TypeError(fix === undefined ? text : `${text}: ${fix}`)
  }
}
