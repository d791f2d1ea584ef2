// Runs that were given up and go on regardless. Too many close their tool: what they hold is of no use to anybody.
import type { Tool } from '../registry/tool.ts'

/** Where a tool sets no concurrency, this many runs that ignore their abort close it until some end. */
const MAX_STRAYS = 16

export class Strays {
  /** By tool, of each client. */
  readonly #counts = new Map<string, Map<string, number>>()

  /** In all. */
  get size(): number {
    return this.#counts.values().reduce((total, clients) => total + sum(clients), 0)
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0
  }

  /** Counts a run that was given up, or that has ended after all. */
  count({ name }: Tool, clientKey: string, change: 1 | -1): void {
    const clients = this.#counts.get(name) ?? new Map<string, number>()
    const count = (clients.get(clientKey) ?? 0) + change
    if (count > 0) clients.set(clientKey, count)
    else clients.delete(clientKey)
    if (clients.size > 0) this.#counts.set(name, clients)
    else this.#counts.delete(name)
  }

  /**
   * How many runs close the tool to this client; 0 where it is open. Those of one client alone close it to that client;
   * to all others they count for half of the bound at most.
   */
  closing({ name, concurrency: max = MAX_STRAYS }: Tool, clientKey: string): number {
    const clients = this.#counts.get(name)
    if (clients === undefined) return 0
    const own = clients.get(clientKey) ?? 0
    if (own >= max) return own
    const half = Math.ceil(max / 2)
    const counted = clients.values().reduce((total, count) => total + Math.min(count, half), 0)
    return counted >= max ? sum(clients) : 0
  }
}

const sum = (counts: ReadonlyMap<string, number>) => counts.values().reduce((total, count) => total + count, 0)
