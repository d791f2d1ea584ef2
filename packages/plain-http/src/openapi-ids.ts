// The ids of operations. Generators use them for names of functions and types.
import type { JsonObject } from 'toolrack'

export type Paths = Readonly<Record<string, JsonObject>>

/** In names of functions, `a.b` and `a_b` are the same: the later one gets a number. */
export class OperationIds {
  readonly #taken = new Set<string>()

  claim(name: string): string {
    // Names of functions cannot begin with a digit.
    const id = /^\d/.test(name) ? `tool_${name}` : name
    let free = id
    for (let ordinal = 2; this.#taken.has(toKey(free)); ordinal++) free = `${id}_${ordinal}`
    this.#taken.add(toKey(free))
    return free
  }

  /** Adds free ids to the paths. */
  claimAll(paths: Paths): Paths {
    const rename = (operation: unknown) => {
      const { operationId } = Object(operation) as { operationId?: string }
      return operationId === undefined ? operation : { ...(operation as object), operationId: this.claim(operationId) }
    }
    return mapValues(paths, item => mapValues(item, rename))
  }
}

const toKey = (id: string) => id.replace(/[^a-z0-9]/gi, '').toLowerCase()

const mapValues = <V, W>(object: Readonly<Record<string, V>>, map: (value: V) => W): Record<string, W> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]))
