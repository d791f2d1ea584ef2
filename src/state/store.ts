// Members that every store may have beside its own methods: a start, an end, and its backend.
import type { Log } from '../request/exchange.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'

/** The facts on a server that its stores get at the start. */
export interface StoreContext {
  readonly log: Log
  /** How long an unused session is kept, ms. */
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
  /** True if another process, or a later one, finds the data of this process. Default: false. */
  readonly outlivesProcess?: boolean
  /**
   * Called once, before any other method. If it throws, `close` is not called.
   *
   * @throws StartError for a problem that the operator can fix
   */
  start?(context: StoreContext): MaybePromise<void>
  /** Current problems, for `GET /ready`; empty if everything works. */
  problems?(): readonly string[]
  /** Uses the user and password of this URL from now on. @throws Error if it names another one */
  setCredentials?(url: string): void
  /** Called once, after the last use. */
  close?(): MaybePromise<void>
}

/** The error for a state that is given to a second server. */
export const alreadyStarted = (): Error => new Error('this state belongs to a server already: make one for each')

/**
 * A part of a state.
 * A store is its own backend, unless it names the one that it shares with other stores.
 */
export interface Store extends Backend {
  /** Started and closed once for all its stores, instead of the store itself. */
  readonly backend?: Backend
}

export const getBackend = (store: Store): Backend => store.backend ?? store
