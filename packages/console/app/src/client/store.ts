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
    this.announce()
  }

  update(change: (value: T) => T): void {
    this.set(change(this.#value))
  }

  /** @returns ends it */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  protected announce(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}

/** A store whose value may change thousands of times a second. Listeners are called once per frame. */
export class FrameStore<T> extends Store<T> {
  #isWaiting = false

  protected override announce(): void {
    if (this.#isWaiting) return
    this.#isWaiting = true
    requestFrame(() => {
      this.#isWaiting = false
      super.announce()
    })
  }
}

/** A hidden page has no frames, and needs none. Outside of a browser there are no frames at all. */
const { requestAnimationFrame: requestFrame = (run: () => void) => setTimeout(run) } = globalThis as {
  requestAnimationFrame?: (run: () => void) => unknown
}

/** Appends to a list, and drops the oldest items above `max`. */
export function append<T>(list: readonly T[], item: T, max: number): readonly T[] {
  return [...list.slice(Math.max(0, list.length + 1 - max)), item]
}
