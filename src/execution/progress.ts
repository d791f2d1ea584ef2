// Progress notifications of one call: strictly increasing and rate-limited.
// Spec 2026-07-28: basic/patterns/progress.

import type { NotificationSink, ProgressListener } from '../request/exchange.ts'
import { cleanText } from '../text/clean.ts'
import { cutText } from '../text/one-line.ts'

/** Notifications at once, then per second; above that, only the newest is sent later. */
const PROGRESS_BURST = 100
const PROGRESS_PER_SECOND = 50
const MAX_MESSAGE = 1000

export interface ProgressOptions {
  /** Whether the revision has progress messages. */
  readonly hasMessages?: boolean
  /** A monotonic clock, ms. */
  readonly now?: () => number
}

export class Progress implements ProgressListener {
  readonly #sink: NotificationSink
  readonly #token: string | number
  readonly #now: () => number
  #last = Number.NEGATIVE_INFINITY
  #tokens = PROGRESS_BURST
  #checkedAtMs: number
  #held: string | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #hasMessages: boolean

  constructor(
    sink: NotificationSink,
    token: string | number,
    { hasMessages = true, now = () => performance.now() }: ProgressOptions = {},
  ) {
    this.#sink = sink
    this.#token = token
    this.#hasMessages = hasMessages
    this.#now = now
    this.#checkedAtMs = now()
  }

  report(progress: number, total?: number, message?: string): void {
    if (typeof progress !== 'number' || !Number.isFinite(progress) || progress <= this.#last) return
    this.#last = progress
    const text = this.#hasMessages ? toProgressMessage(message) : undefined
    const params = { progressToken: this.#token, progress, total: toFiniteNumber(total), message: text }
    const json = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })
    if (this.#tryTake()) this.#send(json)
    else this.#hold(json)
  }

  /** Sends the pending notification. Drops later ones, since the result follows. */
  close(): void {
    if (this.#held !== undefined) this.#send(this.#held)
    this.#last = Number.POSITIVE_INFINITY
    clearTimeout(this.#timer)
  }

  /**
   * Sends it later, so that a tool that first reports much and then works long still shows its
   * state.
   */
  #hold(json: string): void {
    this.#held = json
    this.#timer ??= setTimeout(() => this.#sendHeld(), 1000 / PROGRESS_PER_SECOND).unref()
  }

  #sendHeld(): void {
    this.#timer = undefined
    if (this.#held === undefined) return
    if (this.#tryTake()) this.#send(this.#held)
    else this.#hold(this.#held)
  }

  #send(json: string): void {
    this.#held = undefined
    if (!this.#sink.send(json)) this.#tokens = 0
  }

  #tryTake(): boolean {
    const nowMs = this.#now()
    this.#tokens = Math.min(PROGRESS_BURST, this.#tokens + ((nowMs - this.#checkedAtMs) * PROGRESS_PER_SECOND) / 1000)
    this.#checkedAtMs = nowMs
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }
}

// Leaves out invalid values: reporting progress must never fail the call.
const toFiniteNumber = (total: unknown) => (Number.isFinite(total) ? total : undefined)
const toProgressMessage = (text: unknown) =>
  typeof text === 'string' ? cleanText(cutText(text, MAX_MESSAGE)) : undefined
