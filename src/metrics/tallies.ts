// What was served, counted by how; told to the counters of prom-client when somebody looks, since that costs more.
import type { Duration } from './durations.ts'

/** How a request was served. Every value is one of few. */
export interface Served {
  readonly method: string
  readonly revision: string
  /** Undefined where it was none of a tool. */
  readonly tool: string | undefined
  /** In the words of the audit. */
  readonly outcome: string
  readonly durationMs: number
}

export interface Counted {
  inc(value?: number): void
}

export interface TallyParts {
  readonly duration: Duration
  readonly counters: readonly Counted[]
}

interface Tally extends TallyParts {
  readonly like: Served
  count: number
}

/** @param make asked once for each way of being served: they are few */
export function tallies(make: (served: Served) => TallyParts) {
  // By what differs most. Of a tool or a method few are served unlike, so that to look at each is faster than to make a key.
  const all = new Map<string, Tally[]>()

  function find(served: Served): Tally {
    const key = served.tool ?? served.method
    let some = all.get(key)
    if (some === undefined) all.set(key, (some = []))
    for (const tally of some) if (isLike(tally.like, served)) return tally
    const made = { ...make(served), like: served, count: 0 }
    some.push(made)
    return made
  }

  return {
    count(served: Served): void {
      const tally = find(served)
      tally.count++
      tally.duration.observe(served.durationMs / 1000)
    },
    settle(): void {
      for (const tally of [...all.values()].flat()) {
        for (const counter of tally.counters) counter.inc(tally.count)
        tally.count = 0
      }
    },
  }
}

const isLike = (a: Served, b: Served): boolean =>
  a.outcome === b.outcome && a.tool === b.tool && a.revision === b.revision && a.method === b.method
