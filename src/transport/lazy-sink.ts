// The stream of one request, which may never need one.
import type { FastifyReply } from 'fastify'
import type { HeldStream, Sink } from '../exchange.ts'
import type { EventStream } from './event-stream.ts'
import { keep, type Streams } from './sse.ts'

/** Opens the stream with the first notification, so that what never notifies is answered as plain JSON. */
export class LazySink implements Sink {
  stream: EventStream | undefined
  readonly #streams: Streams
  readonly #reply: FastifyReply
  #onDrain: (() => void) | undefined

  constructor(streams: Streams, reply: FastifyReply) {
    this.#streams = streams
    this.#reply = reply
  }

  send(json: string): boolean {
    // What a tool still says when its call has been answered is dropped.
    if (this.stream === undefined && (this.#reply.sent || this.#reply.raw.destroyed)) return false
    return this.#open().send(json)
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener
    this.stream?.onDrain(listener)
  }

  hold(): HeldStream {
    this.#streams.shares.take(this.#reply)
    return keep(this.#open(), this.#reply)
  }

  #open(): EventStream {
    if (this.stream === undefined) {
      this.stream = this.#streams.open(this.#reply)
      if (this.#onDrain !== undefined) this.stream.onDrain(this.#onDrain)
    }
    return this.stream
  }
}
