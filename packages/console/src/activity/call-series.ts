// Calls over the last 15 minutes in buckets of 5 s: how many, how many failed, and how long they took.
import { isNoError, type RequestOutcome } from 'toolrack/protocol'
import { LatencyBins } from './latency-bins.ts'

export const BUCKET_MS = 5_000
export const BUCKETS = 180

/** The number of a bucket, counted from 1970. */
export const findBucket = (atMs: number): number => Math.floor(atMs / BUCKET_MS)

export interface Figures {
  readonly calls: number
  readonly errors: number
  /** null if no call has ended. */
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

/** The oldest bucket first. */
export interface CallColumns {
  readonly calls: readonly number[]
  readonly errors: readonly number[]
  readonly p50Ms: readonly (number | null)[]
  readonly p95Ms: readonly (number | null)[]
}

/** A call that its user or client has ended is not an error of the server. */
export const isFailure = (outcome: RequestOutcome): boolean =>
  !isNoError(outcome) && outcome !== 'cancelled' && outcome !== 'unconfirmed'

/** Whether its time is that of a whole call. Others continue, or have another request later. */
export const isTimed = (outcome: RequestOutcome): boolean =>
  outcome !== 'task' && outcome !== 'input_required' && outcome !== 'streaming'

/** A ring: the bucket of 15 minutes later replaces a bucket. */
export class CallSeries {
  readonly #buckets = new Float64Array(BUCKETS)
  readonly #calls = new Uint32Array(BUCKETS)
  readonly #errors = new Uint32Array(BUCKETS)
  readonly #latency: (LatencyBins | undefined)[] = new Array(BUCKETS)
  /** The newest bucket with a call. */
  last = 0

  add(bucket: number, outcome: RequestOutcome, durationMs: number): void {
    const slot = bucket % BUCKETS
    if (this.#buckets[slot] !== bucket) this.#begin(slot, bucket)
    this.last = bucket
    this.#calls[slot]!++
    if (isFailure(outcome)) this.#errors[slot]!++
    if (!isTimed(outcome)) return
    this.#latency[slot] ??= new LatencyBins()
    this.#latency[slot].add(durationMs)
  }

  /** @param now the number of the newest bucket */
  read(now: number, buckets: number): CallColumns {
    const slots = this.#findSlots(now, buckets)
    const read = (values: Uint32Array) => slots.map(slot => (slot === undefined ? 0 : values[slot]!))
    const percentiles = (share: number) =>
      slots.map(slot => (slot === undefined ? null : (this.#latency[slot]?.percentile(share) ?? null)))
    return {
      calls: read(this.#calls),
      errors: read(this.#errors),
      p50Ms: percentiles(0.5),
      p95Ms: percentiles(0.95),
    }
  }

  /** The sum of all buckets. */
  sum(now: number, buckets: number): Figures {
    const latency = new LatencyBins()
    let [calls, errors] = [0, 0]
    for (const slot of this.#findSlots(now, buckets)) {
      if (slot === undefined) continue
      calls += this.#calls[slot]!
      errors += this.#errors[slot]!
      const bins = this.#latency[slot]
      if (bins !== undefined) latency.merge(bins)
    }
    return { calls, errors, p50Ms: latency.percentile(0.5), p95Ms: latency.percentile(0.95) }
  }

  /** The slot of each bucket; undefined for a bucket without calls. */
  #findSlots(now: number, buckets: number): readonly (number | undefined)[] {
    return Array.from({ length: buckets }, (_, index) => {
      const bucket = now - buckets + 1 + index
      const slot = ((bucket % BUCKETS) + BUCKETS) % BUCKETS
      return this.#buckets[slot] === bucket ? slot : undefined
    })
  }

  #begin(slot: number, bucket: number): void {
    this.#buckets[slot] = bucket
    this.#calls[slot] = 0
    this.#errors[slot] = 0
    this.#latency[slot]?.clear()
  }
}
