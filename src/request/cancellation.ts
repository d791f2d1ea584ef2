// Why and when a request should stop: one per exchange. An AbortSignal is made only when somebody asks for it.

export type CancelReason = 'client-left' | 'cancelled' | 'deadline' | 'shutdown'

const TEXTS: Record<CancelReason, string> = {
  'client-left': 'The client left',
  cancelled: 'The client cancelled the request',
  deadline: 'The deadline passed',
  shutdown: 'The server is shutting down',
}

/** So much time, of which what passes while it is paused does not count. */
class Deadline {
  readonly #onPassed: () => void
  #leftMs: number
  #sinceMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(ms: number, onPassed: () => void) {
    this.#leftMs = ms
    this.#onPassed = onPassed
    this.resume()
  }

  resume(): void {
    if (this.#timer !== undefined) return
    this.#sinceMs = performance.now()
    this.#timer = setTimeout(this.#onPassed, this.#leftMs)
  }

  pause(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#sinceMs))
  }
}

export class Cancellation {
  #reason: CancelReason | undefined
  #controller: AbortController | undefined
  #listener: ((reason: CancelReason) => void) | undefined
  #deadline: Deadline | undefined
  readonly #waiting: Set<Cancellation> | undefined

  /** @param waiting where it is kept for as long as a step waits, so that a shutdown finds it */
  constructor(waiting?: Set<Cancellation>) {
    this.#waiting = waiting
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

  /** The first reason counts; later ones change nothing. */
  cancel(reason: CancelReason): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.clearDeadline()
    this.#waiting?.delete(this)
    this.#controller?.abort(abortError(reason))
    this.#listener?.(reason)
  }

  /** Cancels with `deadline` in so many ms. */
  setDeadline(ms: number): void {
    this.#deadline = new Deadline(ms, () => this.cancel('deadline'))
  }

  /** The time until `resumeDeadline` does not count; without a deadline neither does anything. */
  pauseDeadline(): void {
    this.#deadline?.pause()
  }

  resumeDeadline(): void {
    this.#deadline?.resume()
  }

  clearDeadline(): void {
    this.#deadline?.pause()
    this.#deadline = undefined
  }

  /** Calls `listener` once, now or later; there is one at a time, the step that waits. */
  onCancel(listener: ((reason: CancelReason) => void) | undefined): void {
    this.#listener = listener
    if (listener === undefined) this.#waiting?.delete(this)
    else if (this.#reason === undefined) this.#waiting?.add(this)
    else listener(this.#reason)
  }
}

function abortError(reason: CancelReason): DOMException {
  return new DOMException(TEXTS[reason], reason === 'deadline' ? 'TimeoutError' : 'AbortError')
}
