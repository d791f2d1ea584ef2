// The steps of a call as spans of their own, where they take long enough to be worth one.
import type { Context, Tracer } from '@opentelemetry/api'
import type { Exchange } from '../exchange.ts'

const WORTH_MS = 1

export class StepTimer {
  readonly #tracer: Tracer
  readonly #parent: Context
  /** Unix time at the zero of a clock that does not step back; of each request anew, since the two drift apart. */
  readonly #originMs = Date.now() - performance.now()

  constructor(tracer: Tracer, parent: Context) {
    this.#tracer = tracer
    this.#parent = parent
  }

  readonly time: NonNullable<Exchange['timed']> = (step, work) => {
    const startMs = performance.now()
    try {
      const made = work()
      if (made instanceof Promise) return made.finally(() => this.#note(step, startMs)) as typeof made
      this.#note(step, startMs)
      return made
    } catch (error) {
      this.#note(step, startMs)
      throw error
    }
  }

  #note(step: string, startMs: number): void {
    const endMs = performance.now()
    if (endMs - startMs < WORTH_MS) return
    const startTime = this.#originMs + startMs
    this.#tracer.startSpan(step, { startTime }, this.#parent).end(this.#originMs + endMs)
  }
}
