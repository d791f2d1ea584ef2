// Runs that were cancelled but have not ended. Too many block their tool.
import type { Tool } from '../registry/tool.ts'

/** Bound for a tool without a concurrency: this many runs that ignore their abort block the tool. */
const MAX_ABANDONED_RUNS = 16

export class AbandonedRuns {
  /** By tool name and client. */
  readonly #counts = new Map<string, Map<string, number>>()

  get size(): number {
    return this.#counts.values().reduce((total, clients) => total + sumCounts(clients), 0)
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0
  }

  /** @param change 1 when a run is abandoned, -1 when it ends after all */
  count({ name }: Tool, clientKey: string, change: 1 | -1): void {
    const clients = this.#counts.get(name) ?? new Map<string, number>()
    const count = (clients.get(clientKey) ?? 0) + change
    if (count > 0) clients.set(clientKey, count)
    else clients.delete(clientKey)
    if (clients.size > 0) this.#counts.set(name, clients)
    else this.#counts.delete(name)
  }

  /**
   * Returns how many runs block the tool for this client; 0 if it is not blocked. The runs of one
   * client can block that client alone; for all others they count for at most half of the bound.
   */
  countBlocking({ name, concurrency: max = MAX_ABANDONED_RUNS }: Tool, clientKey: string): number {
    const clients = this.#counts.get(name)
    if (clients === undefined) return 0
    const own = clients.get(clientKey) ?? 0
    if (own >= max) return own
    const half = Math.ceil(max / 2)
    const counted = clients.values().reduce((total, count) => total + Math.min(count, half), 0)
    return counted >= max ? sumCounts(clients) : 0
  }
}

const sumCounts = (counts: ReadonlyMap<string, number>) => counts.values().reduce((total, count) => total + count, 0)
