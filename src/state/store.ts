// What every store may have beside its own methods: a start, an end, and what stands behind it.
import type { Log } from '../request/exchange.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'

/** What a server tells its stores when it starts. */
export interface StoreContext {
  readonly log: Log
  /** How long a session is kept that nobody uses, ms. */
  readonly sessionTtlMs: number
  /** How many tasks may run at once in this process. */
  readonly maxConcurrentCalls: number
  /** True if the operator has set STATE_SECRET, so that no store has to keep a secret. */
  readonly hasStateSecret: boolean
}

/** A start failed for a reason that the operator can mend. The message says how. */
export class StartError extends Error {
  override name = 'StartError'
}

/** A database, a connection, or a store that stands alone. The server starts only if it does. */
export interface Backend {
  /** For the start-up report, such as `Redis`. */
  readonly name?: string
  /** True if a later process, or another one, finds what this one has kept. Default: false. */
  readonly outlivesProcess?: boolean
  /** Called once, before any other method; `close` is not, if it throws. @throws StartError for what the operator can mend */
  start?(context: StoreContext): MaybePromise<void>
  /** What does not work now, for `GET /ready`; empty if everything works. */
  problems?(): readonly string[]
  /** Uses the user and password of this URL from now on. @throws Error if it names another one */
  setCredentials?(url: string): void
  /** Called once, after the last use. */
  close?(): MaybePromise<void>
}

/** The error of a state that is given to a second server. */
export const alreadyStarted = (): Error => new Error('this state belongs to a server already: make one for each')

/**
 * A part of a state.
 * A store is its own backend, unless it names the one that it shares with other stores.
 */
export interface Store extends Backend {
  /** Is started and closed once for all its stores, in the place of the store itself. */
  readonly backend?: Backend
}

export const getBackend = (store: Store): Backend => store.backend ?? store
