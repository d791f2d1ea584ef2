// The interface of kept results. Each belongs to one idempotency key of one caller, and is the
// result of the first call with that key.
import type { MaybePromise } from '../request/maybe-promise.ts'
import type { Store } from './store.ts'

/** How long a result is kept from the end of its call, ms. */
export const KEPT_MS = 24 * 60 * 60 * 1000
/** A run whose process does not renew its claim for so long is lost, ms. */
export const CLAIM_MS = 15_000

/**
 * How much is kept of results, per caller and in total.
 * Counts results and claims, and bytes of results. Past a bound, the oldest results go; running
 * claims stay.
 */
export const KEPT_BOUNDS = {
  maxCount: 100_000,
  maxCountOfClient: 1000,
  maxBytes: 64 * 1024 * 1024,
  maxBytesOfClient: 16 * 1024 * 1024,
}

/** The call that is to run, and its caller. */
export interface ClaimRequest {
  readonly clientKey: string
  /** Of the tool's arguments: a key is valid for one call only. */
  readonly fingerprint: string
  /** A second run does no harm, so the claim of a lost run may be given to another run. */
  readonly isRepeatable: boolean
  /** The task that makes the call. If it claims again, its own earlier run is lost. */
  readonly taskId?: string | undefined
}

/** Whether a task that has lost its earlier run takes over the claim of that run. */
export const mayTakeOver = (claim: ClaimRequest, { taskId, fingerprint, isRepeatable }: ClaimRequest): boolean =>
  isRepeatable && taskId !== undefined && claim.taskId === taskId && claim.fingerprint === fingerprint

/** The right to keep the outcome of one run. */
export interface ClaimedRun {
  readonly id: string
  /** Tells this run from others with the same id. */
  readonly token: string
}

/** The answer to a claim. */
export type Claim =
  /** The caller of `claim` runs the call. */
  | { readonly status: 'claimed'; readonly run: ClaimedRun }
  /** `lost`: the process that ran it is gone, or could not keep its outcome. */
  | { readonly status: 'running' | 'lost'; readonly fingerprint: string }
  | { readonly status: 'ended'; readonly fingerprint: string; readonly outcome: string }
  /** All claims run, and there is no room for another. */
  | { readonly status: 'full' }

/**
 * Keeps the results of calls with an idempotency key.
 * A run that has lost its claim to another changes nothing.
 */
export interface KeptResults extends Store {
  /** Claims an id for one run, or returns the state of the first run. */
  claim(id: string, request: ClaimRequest): MaybePromise<Claim>
  /** Renews the claim: the run continues. */
  renew(run: ClaimedRun): MaybePromise<void>
  /** @param outcome JSON, at most `maxBytesOfClient` */
  keep(run: ClaimedRun, outcome: string): MaybePromise<void>
  /** Gives a claim up, so that the next call claims anew. */
  release(run: ClaimedRun): MaybePromise<void>
}
