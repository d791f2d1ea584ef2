// An observable value: views render again when it changes.

export class Store<T> {
  #value: T
  readonly #listeners = new Set<() => void>()

  constructor(value: T) {
    this.#value = value
  }

  readonly get = (): T => this.#value

  readonly set = (value: T): void => {
    if (Object.is(value, this.#value)) return
    this.#value = value
    for (const listener of [...this.#listeners]) listener()
  }

  update(change: (value: T) => T): void {
    this.set(change(this.#value))
  }

  /** @returns ends it */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** Adds to the end of a list, and drops the oldest above `max`. */
export function append<T>(list: readonly T[], item: T, max: number): readonly T[] {
  return [...list.slice(Math.max(0, list.length + 1 - max)), item]
}
