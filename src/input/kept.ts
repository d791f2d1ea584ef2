// Values that a handler keeps for its later rounds: computed once, and sealed with the answers.
import type { JsonObject, JsonValue } from '../protocol/messages.ts'
import { copyJson, JsonCopier, NotJsonError, TooLargeError } from '../registry/json-copy.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import { MAX_KEY_LENGTH } from './notes.ts'

/** Maximum number of values of one call. */
export const MAX_KEPT = 32
/** Maximum size of all values of one call with their names, as JSON. */
export const MAX_KEPT_BYTES = 64 * 1024

/** Stores a value for later rounds. @returns the value that then belongs to the name */
type Store = (name: string, value: JsonValue) => MaybePromise<unknown>

/** The kept values as one run of a handler sees them. */
export class Kept {
  readonly #values: Map<string, unknown>
  readonly #computing = new Map<string, Promise<void>>()
  readonly #store: Store

  /** @param values of earlier rounds */
  constructor(values: JsonObject | undefined, store: Store) {
    this.#values = new Map(Object.entries(values ?? {}))
    this.#store = store
  }

  /** @throws TypeError, RangeError; the error of `compute` */
  async keep<T>(name: string, compute: () => T | Promise<T>): Promise<T> {
    if (typeof name !== 'string' || name === '' || name.length > MAX_KEY_LENGTH)
      throw new TypeError(`keep: the name must be a string of 1 to ${MAX_KEY_LENGTH} characters`)
    if (typeof compute !== 'function')
      throw new TypeError(`keep: ${JSON.stringify(name)} needs a function that returns the value`)
    if (!this.#values.has(name)) await this.#compute(name, compute)
    // Copied, so that the handler cannot change the value of a later call of `keep`.
    return copyJson(this.#values.get(name)) as T
  }

  #compute(name: string, compute: () => unknown): Promise<void> {
    const running = this.#computing.get(name)
    if (running !== undefined) return running
    const computing = this.#add(name, compute).finally(() => this.#computing.delete(name))
    this.#computing.set(name, computing)
    return computing
  }

  async #add(name: string, compute: () => unknown): Promise<void> {
    const value = toPlain(name, await compute())
    this.#values.set(name, await this.#store(name, value))
  }
}

/** @returns the values with one more @throws RangeError past a bound */
export function addKept(values: JsonObject | undefined, name: string, value: unknown): JsonObject {
  const all = { ...values, [name]: value }
  if (Object.keys(all).length > MAX_KEPT) throw new RangeError(`keep: a call keeps at most ${MAX_KEPT} values`)
  if (Buffer.byteLength(JSON.stringify(all)) > MAX_KEPT_BYTES) throw createTooLargeError(name)
  return all
}

function toPlain(name: string, value: unknown): JsonValue {
  const quoted = JSON.stringify(name)
  if (value === undefined)
    throw new TypeError(`keep: ${quoted} must be JSON, and its function returned undefined; return null for nothing`)
  try {
    return new JsonCopier({ maxBytes: MAX_KEPT_BYTES, tally: undefined }).copy(value)
  } catch (error) {
    if (error instanceof TooLargeError) throw createTooLargeError(name)
    if (error instanceof NotJsonError) throw new TypeError(`keep: ${quoted} must be JSON: ${error.message}`)
    throw error
  }
}

const createTooLargeError = (name: string): RangeError =>
  new RangeError(
    `keep: ${JSON.stringify(name)} is too large: the values of a call may have ${MAX_KEPT_BYTES} bytes of JSON in all`,
  )
