// The one stream of a client of HTTP+SSE: everything goes over it, and nothing is kept when it ends.
// Spec 2024-11-05: basic/transports, "HTTP with SSE".
import type { HeldStream, Sink, Wire } from '../exchange.ts'

export class PlainStream implements Sink {
  readonly #wire: Wire
  readonly #listeners = new Set<() => void>()

  constructor(wire: Wire) {
    this.#wire = wire
    wire.onDrain(() => {
      for (const listener of this.#listeners) listener()
      this.#listeners.clear()
    })
  }

  get isConnected(): boolean {
    return !this.#wire.isClosed
  }

  send(json: string): boolean {
    return this.#wire.send(json)
  }

  /** Every request of the client shares the stream, so each is told once and asks again. */
  onDrain(listener: () => void): void {
    this.#listeners.add(listener)
  }

  end(): void {
    this.#wire.end()
  }

  /** No news will come any more, but answers may. */
  endNews(): void {}

  hold(): HeldStream {
    throw new Error('no method of a session holds the stream of its request')
  }
}
