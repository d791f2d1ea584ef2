// The one stream of a client of HTTP+SSE: everything goes over it, and nothing is kept when it ends.
// Spec 2024-11-05: basic/transports, "HTTP with SSE".
import type { Caller, Sink, Wire } from '../exchange.ts'

export class PlainStream {
  readonly #wire: Wire
  /** Requests that were told that the reader lags. */
  readonly #waiting = new Set<() => void>()
  #onDrain: (() => void) | undefined

  constructor(wire: Wire) {
    this.#wire = wire
    wire.onDrain(() => {
      this.#onDrain?.()
      const waiting = [...this.#waiting]
      this.#waiting.clear()
      for (const wake of waiting) wake()
    })
  }

  get caller(): Caller | undefined {
    return this.#wire.caller
  }

  get isConnected(): boolean {
    return !this.#wire.isClosed
  }

  send(json: string): boolean {
    return this.#wire.send(json)
  }

  /** Several that belong together, however long they are. */
  sendAll(jsons: readonly string[]): boolean {
    return this.#wire.sendAll(jsons.map(json => ({ id: undefined, json })))
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener
  }

  /** A request's share of the stream. Held by it only while the reader lags, since there are many in its life. */
  share(): Sink {
    let wake = () => {}
    return {
      send: json => {
        const isRead = this.send(json)
        if (!isRead) this.#waiting.add(wake)
        return isRead
      },
      onDrain(listener) {
        wake = listener
      },
      hold() {
        throw new Error('no method of a session holds the stream of its request')
      },
    }
  }

  end(): void {
    this.#wire.end()
  }

  /** No news will come any more, but answers may. */
  endNews(): void {}
}
