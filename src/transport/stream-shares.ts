// How many streams one subject holds at once. Who is not verified has no share: an address may stand for a thousand
// listeners, and what all hold together is bounded by the process.
import type { FastifyReply } from 'fastify'
import { McpError } from '../protocol/errors.ts'

/** Streams that one subject holds: those that stay open for news, not those that answer a call. */
export const MAX_STREAMS_OF_SUBJECT = 16

/** As long as a stream that nobody reads may take to be noticed, s. */
const RETRY_AFTER_S = 10

export class StreamShares {
  readonly #held = new Map<string, number>()

  /** Subjects that hold one. */
  get size(): number {
    return this.#held.size
  }

  /** Counts one more until its connection closes. @throws McpError RATE_LIMITED (429) before anything is sent */
  take({ request, raw }: FastifyReply): void {
    const { caller, clientKey } = request
    // Who has left will not be heard to close.
    if (caller === undefined || raw.destroyed) return
    const held = this.#held.get(clientKey) ?? 0
    if (held >= MAX_STREAMS_OF_SUBJECT) {
      throw new McpError('RATE_LIMITED', `at most ${MAX_STREAMS_OF_SUBJECT} streams at once; end one, or retry later`, {
        retryAfterS: RETRY_AFTER_S,
      })
    }
    this.#held.set(clientKey, held + 1)
    raw.once('close', () => this.#giveBack(clientKey))
  }

  #giveBack(clientKey: string): void {
    const left = this.#held.get(clientKey)! - 1
    if (left > 0) this.#held.set(clientKey, left)
    else this.#held.delete(clientKey)
  }
}
