// Progress of one call: strictly increasing, and not more of it than a reader can use.
// Spec 2026-07-28: basic/patterns/progress.
import type { ProgressListener, Sink } from '../exchange.ts'
import { cleanText } from '../registry/clean.ts'
import { cut } from './error-text.ts'

/** This many go out at once; after that, so many per second, and the newest of the rest. */
const BURST = 100
const PER_SECOND = 50
const MAX_MESSAGE = 1000

export interface Manner {
  /** Whether the caller's revision knows messages. */
  readonly hasMessages?: boolean
  /** A clock that never steps back, ms. */
  readonly now?: () => number
}

export class Progress implements ProgressListener {
  readonly #sink: Sink
  readonly #token: string | number
  readonly #now: () => number
  #last = Number.NEGATIVE_INFINITY
  #allowance = BURST
  #checkedAtMs: number
  #held: string | undefined
  readonly #hasMessages: boolean

  constructor(sink: Sink, token: string | number, { hasMessages = true, now = () => performance.now() }: Manner = {}) {
    this.#sink = sink
    this.#token = token
    this.#hasMessages = hasMessages
    this.#now = now
    this.#checkedAtMs = now()
  }

  report(progress: number, total?: number, message?: string): void {
    if (typeof progress !== 'number' || !Number.isFinite(progress) || progress <= this.#last) return
    this.#last = progress
    const text = this.#hasMessages ? messageOf(message) : undefined
    const params = { progressToken: this.#token, progress, total: numberOf(total), message: text }
    const json = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })
    if (this.#mayPass()) this.#send(json)
    else this.#held = json
  }

  /** Sends what was held back, then nothing more: the result comes next. */
  close(): void {
    if (this.#held !== undefined) this.#send(this.#held)
    this.#last = Number.POSITIVE_INFINITY
  }

  #send(json: string): void {
    this.#held = undefined
    if (!this.#sink.send(json)) this.#allowance = 0
  }

  #mayPass(): boolean {
    const nowMs = this.#now()
    this.#allowance = Math.min(BURST, this.#allowance + ((nowMs - this.#checkedAtMs) * PER_SECOND) / 1000)
    this.#checkedAtMs = nowMs
    if (this.#allowance < 1) return false
    this.#allowance--
    return true
  }
}

// What is neither is left out: reporting progress must never fail the call, whoever listens.
const numberOf = (total: unknown) => (Number.isFinite(total) ? total : undefined)
const messageOf = (text: unknown) => (typeof text === 'string' ? cleanText(cut(text, MAX_MESSAGE)) : undefined)
