// A connection that remembers what was sent, and lags when the test says so.
import type { SseConnection, StreamEvent } from '../../../src/request/exchange.ts'

export class FakeWire implements SseConnection {
  readonly caller = undefined
  isClosed = false
  lags = false
  readonly sent: { id?: string | undefined; json: string }[] = []
  readonly primed: string[] = []
  keptAlive = 0
  #onDrain = () => {}

  send(json: string, id?: string): boolean {
    this.sent.push({ id, json })
    return !this.lags
  }

  sendAll(events: readonly StreamEvent[]): boolean {
    this.sent.push(...events)
    return !this.lags
  }

  prime(id: string): void {
    this.primed.push(id)
  }

  keepAlive(): void {
    this.keptAlive++
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener
  }

  drain(): void {
    this.lags = false
    this.#onDrain()
  }

  end(): void {
    this.isClosed = true
  }
}
