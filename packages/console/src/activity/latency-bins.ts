// A histogram of durations in 96 bins, each a fourth root of two wide. So a percentile is off by 9%
// at most.

/** The first bin ends here, ms; the last one has all above 14 minutes. */
const FIRST_MS = 0.05
const BINS_PER_DOUBLING = 4
const BINS = 96

export class LatencyBins {
  readonly #counts = new Uint32Array(BINS)

  add(ms: number): void {
    const bin = Math.ceil(Math.log2(ms / FIRST_MS) * BINS_PER_DOUBLING)
    this.#counts[bin > 0 ? Math.min(bin, BINS - 1) : 0]!++
  }

  /** Adds the counts of the other one. */
  merge(other: LatencyBins): void {
    for (let bin = 0; bin < BINS; bin++) this.#counts[bin]! += other.#counts[bin]!
  }

  clear(): void {
    this.#counts.fill(0)
  }

  /** The middle of the bin of the nearest rank, ms; null without durations. */
  percentile(share: number): number | null {
    const total = this.#counts.reduce((sum, count) => sum + count, 0)
    if (total === 0) return null
    let left = Math.max(1, Math.ceil(total * share))
    const bin = this.#counts.findIndex(count => (left -= count) <= 0)
    return roundMs(FIRST_MS * 2 ** ((bin - 0.5) / BINS_PER_DOUBLING))
  }
}

/** Three digits, since more are not known. */
export const roundMs = (ms: number): number => Number(ms.toPrecision(3))
