// The interface of kept results: each belongs to one idempotency key of one caller, and is what the
// first call with that key returned.
import type { MaybePromise } from '../request/maybe-promise.ts'
import type { Store } from './store.ts'

/** How long a result is kept from the end of its call, ms. */
export const KEPT_MS = 24 * 60 * 60 * 1000
/** A run whose process does not renew its claim for so long is lost, ms. */
export const CLAIM_MS = 15_000

/**
 * How much is kept of results; for each caller and in all.
 * Results and claims, and bytes of results. Past a bound the oldest results go; claims that run stay.
 */
export const KEPT_BOUNDS = {
  maxCount: 100_000,
  maxCountOfClient: 1000,
  maxBytes: 64 * 1024 * 1024,
  maxBytesOfClient: 16 * 1024 * 1024,
}

/** Which call is to be run, and for whom. */
export interface ClaimRequest {
  readonly clientKey: string
  /** Of the tool's arguments: a key stands for one call. */
  readonly fingerprint: string
  /** A lost run does no harm, so that its claim may be given to another run. */
  readonly isRepeatable: boolean
  /** The task that makes the call. If it claims again, its own earlier run is lost. */
  readonly taskId?: string | undefined
}

/** Whether a run of a task takes over the claim of an earlier one. */
export const mayTakeOver = (claim: ClaimRequest, { taskId, fingerprint, isRepeatable }: ClaimRequest): boolean =>
  isRepeatable && taskId !== undefined && claim.taskId === taskId && claim.fingerprint === fingerprint

/** The right to keep the outcome of one run. */
export interface ClaimedRun {
  readonly id: string
  /** Tells this run from others with the same id. */
  readonly token: string
}

/** What became of a claim to run a call. */
export type Claim =
  /** The caller of `claim` runs the call. */
  | { readonly status: 'claimed'; readonly run: ClaimedRun }
  /** `lost`: the process that ran it is gone, or could not keep its outcome. */
  | { readonly status: 'running' | 'lost'; readonly fingerprint: string }
  | { readonly status: 'ended'; readonly fingerprint: string; readonly outcome: string }
  /** There are as many claims as may be, and all of them run. */
  | { readonly status: 'full' }

/**
 * Keeps the results of calls with an idempotency key.
 * A run that has lost its claim to another changes nothing.
 */
export interface KeptResults extends Store {
  /** Claims an id for one run, or tells what became of the first. */
  claim(id: string, request: ClaimRequest): MaybePromise<Claim>
  /** Says that a run goes on. */
  renew(run: ClaimedRun): MaybePromise<void>
  /** @param outcome JSON, at most `maxBytesOfClient` */
  keep(run: ClaimedRun, outcome: string): MaybePromise<void>
  /** Gives a claim up, so that the next call claims anew. */
  release(run: ClaimedRun): MaybePromise<void>
}
