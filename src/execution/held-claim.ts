// The claim of one run. It is renewed until the store knows the end of the run.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../request/exchange.ts'
import type { Inflight } from '../request/inflight.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import { CLAIM_MS, type ClaimedRun, type KeptResults } from '../state/kept-results.ts'

export interface ClaimParts {
  readonly kept: KeptResults
  readonly inflight: Pick<Inflight, 'begin' | 'end' | 'isDraining'>
  readonly log: Log
}

/** How long this tries to tell a failing store the end of a run, ms. */
const MAX_RETRY_MS = 60 * 60 * 1000
const MAX_PAUSE_MS = 2000
/** Attempts while the server shuts down. */
const MAX_SHUTDOWN_TRIES = 5

export class HeldClaim {
  readonly #parts: ClaimParts
  readonly #run: ClaimedRun
  readonly #renewal: NodeJS.Timeout
  readonly #over = Promise.withResolvers<void>()

  constructor(run: ClaimedRun, parts: ClaimParts) {
    this.#run = run
    this.#parts = parts
    this.#renewal = setInterval(() => void this.#renew(), CLAIM_MS / 3).unref()
  }

  /** Resolves once the store knows the end of the run, or once nobody tells it any more. */
  get over(): Promise<void> {
    return this.#over.promise
  }

  /** If the store fails, retries in the background, so that the caller need not wait. */
  keep(outcome: string): Promise<void> {
    return this.#end(() => this.#parts.kept.keep(this.#run, outcome))
  }

  /** The same, for a run that did nothing. */
  release(): Promise<void> {
    return this.#end(() => this.#parts.kept.release(this.#run))
  }

  async #end(tell: () => MaybePromise<void>): Promise<void> {
    try {
      await tell()
      this.#stop()
    } catch (error) {
      this.#parts.log.warn(
        { reason: (error as Error).message },
        'could not store the result of an idempotent call yet; retrying',
      )
      void this.#retry(tell)
    }
  }

  /** A drain waits for it. */
  async #retry(tell: () => MaybePromise<void>): Promise<void> {
    const { inflight, log } = this.#parts
    const untilMs = performance.now() + MAX_RETRY_MS
    inflight.begin()
    for (let tries = 1; ; tries++) {
      await sleep(Math.min(MAX_PAUSE_MS, 50 * 2 ** tries))
      try {
        await tell()
        break
      } catch (error) {
        if (performance.now() < untilMs && !(inflight.isDraining && tries >= MAX_SHUTDOWN_TRIES)) continue
        log.warn(
          { reason: (error as Error).message },
          'could not store the result of an idempotent call; its key cannot be used again',
        )
        break
      }
    }
    this.#stop()
    inflight.end()
  }

  #stop(): void {
    clearInterval(this.#renewal)
    this.#over.resolve()
  }

  async #renew(): Promise<void> {
    try {
      await this.#parts.kept.renew(this.#run)
    } catch (error) {
      this.#parts.log.debug(
        { reason: (error as Error).message },
        'the claim of an idempotent call could not be renewed',
      )
    }
  }
}
