// Bounds the detached streams of each subject. Anonymous callers have no quota, because one address may
// stand for many users; MAX_STREAMS_PER_PROCESS bounds them.
import type { FastifyReply } from 'fastify'
import { McpError } from '../protocol/errors.ts'
import { PerKeyCounter } from '../request/per-key-counter.ts'
import { isGone } from './http-versions.ts'
import { CLIENT_KEY } from './request-facts.ts'

/** Detached streams per subject; a stream that answers a call does not count. */
export const MAX_STREAMS_PER_SUBJECT = 16

/** About the time in which a dead stream is noticed, s. */
const RETRY_AFTER_S = 10

export class StreamQuota {
  readonly #held = new PerKeyCounter({ perKey: MAX_STREAMS_PER_SUBJECT })

  /** Number of subjects that hold a stream. */
  get size(): number {
    return this.#held.size
  }

  /**
   * Counts a stream until its connection closes.
   *
   * @throws McpError RATE_LIMITED (429) before anything is sent
   */
  acquire({ request, raw }: FastifyReply): void {
    const { caller, [CLIENT_KEY]: clientKey } = request
    // A destroyed socket emits no further `close`.
    if (caller === undefined || isGone(raw)) return
    if (!this.#held.take(clientKey)) {
      const text = `at most ${MAX_STREAMS_PER_SUBJECT} streams at once; end one, or retry later`
      throw new McpError('RATE_LIMITED', text, { retryAfterS: RETRY_AFTER_S })
    }
    raw.once('close', () => this.#held.release(clientKey))
  }
}
