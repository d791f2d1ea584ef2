// The reason and the deadline of one exchange. Creates an AbortSignal only on first use.
import { LATE_TIMERS, type Timer, type Timers } from './timers.ts'

export type CancelReason = 'client-left' | 'cancelled' | 'deadline' | 'shutdown' | 'key-ended'

const TEXTS: Record<CancelReason, string> = {
  'client-left': 'The client left',
  cancelled: 'The client cancelled the request',
  deadline: 'The deadline passed',
  shutdown: 'The server is shutting down',
  'key-ended': 'The API key of the caller has ended',
}

/** A timer that can pause. */
class Deadline {
  readonly #onPassed: () => void
  readonly #timers: Timers
  #leftMs: number
  #sinceMs = 0
  #timer: Timer | undefined
  #release: (() => void) | undefined

  constructor(ms: number, timers: Timers, onPassed: () => void) {
    this.#timers = timers
    this.#leftMs = ms
    this.#onPassed = onPassed
    this.resume()
  }

  resume(): void {
    if (this.#timer !== undefined) return
    this.#release?.()
    this.#release = undefined
    this.#sinceMs = this.#timers.now()
    this.#timer = this.#timers.setTimeout(this.#onPassed, this.#leftMs)
  }

  pause(): void {
    if (this.#timer === undefined) return
    this.#timers.clearTimeout(this.#timer)
    this.#timer = undefined
    this.#leftMs = Math.max(0, this.#leftMs - (this.#timers.now() - this.#sinceMs))
    this.#release = this.#timers.hold?.()
  }

  end(): void {
    this.#timers.clearTimeout(this.#timer)
    this.#release?.()
  }
}

export type CancelListener = (reason: CancelReason) => void

export class Cancellation {
  /** The caller of the request, whose API key ends it, too. */
  readonly caller: object | undefined
  #reason: CancelReason | undefined
  #controller: AbortController | undefined
  /** Few requests have more than one listener at a time. */
  #listener: CancelListener | undefined
  #others: Set<CancelListener> | undefined
  #deadline: Deadline | undefined
  readonly #waiting: Set<Cancellation> | undefined
  readonly #timers: Timers

  /** @param waiting contains this object while a step waits, so that a shutdown can cancel it */
  constructor(waiting?: Set<Cancellation>, timers: Timers = LATE_TIMERS, caller?: object) {
    this.caller = caller
    this.#waiting = waiting
    this.#timers = timers
  }

  get reason(): CancelReason | undefined {
    return this.#reason
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#reason !== undefined) this.#controller.abort(abortError(this.#reason))
    }
    return this.#controller.signal
  }

  /** Only the first call has an effect. */
  cancel(reason: CancelReason): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.clearDeadline()
    this.#waiting?.delete(this)
    this.#controller?.abort(abortError(reason))
    const [first, others] = [this.#listener, this.#others]
    this.#listener = this.#others = undefined
    first?.(reason)
    for (const listener of others ?? []) listener(reason)
  }

  setDeadline(ms: number): void {
    this.#deadline = new Deadline(ms, this.#timers, () => this.cancel('deadline'))
  }

  /** Paused time does not count. Does nothing without a deadline. */
  pauseDeadline(): void {
    this.#deadline?.pause()
  }

  resumeDeadline(): void {
    this.#deadline?.resume()
  }

  clearDeadline(): void {
    this.#deadline?.end()
    this.#deadline = undefined
  }

  /** Calls `listener` once, now or later. */
  onCancel(listener: CancelListener): void {
    if (this.#reason !== undefined) {
      listener(this.#reason)
      return
    }
    if (this.#listener === undefined) this.#listener = listener
    else (this.#others ??= new Set()).add(listener)
    this.#waiting?.add(this)
  }

  offCancel(listener: CancelListener): void {
    if (this.#listener === listener) this.#listener = undefined
    else this.#others?.delete(listener)
    const hasListeners = this.#listener !== undefined || (this.#others?.size ?? 0) > 0
    if (!hasListeners) this.#waiting?.delete(this)
  }
}

function abortError(reason: CancelReason): DOMException {
  return new DOMException(TEXTS[reason], reason === 'deadline' ? 'TimeoutError' : 'AbortError')
}
