// Figures of the last 15 minutes of this process, for the console: calls, errors and latency of all
// callers, also by tool, and the load. Bounded, whatever is called.
import type { RequestEnded } from 'toolrack/records'
import { BUCKETS, type CallColumns, CallSeries, type Figures, findBucket } from './call-series.ts'

/**
 * Maximum number of tools with their own figures; the one that was called least recently is dropped.
 */
export const MAX_TOOLS = 50

export interface ToolFigures extends Figures {
  readonly name: string
}

export interface Load {
  readonly running: number
  readonly waiting: number
  readonly memoryBytes: number
}

/** The load at the end of each bucket; null if it was not measured. */
export type LoadColumns = { readonly [K in keyof Load]: readonly (number | null)[] }

export interface FigureQuery {
  /** ms */
  readonly now: number
  readonly buckets: number
  /** Only this tool. */
  readonly tool?: string | undefined
  /** If false, only calls of tools. */
  readonly hasAllMethods?: boolean
}

export interface FigureAnswer {
  readonly columns: CallColumns
  readonly sum: Figures
  /** The busiest first. */
  readonly tools: readonly ToolFigures[]
}

export class CallFigures {
  readonly #ofTools = new CallSeries()
  readonly #ofOthers = new CallSeries()
  readonly #byTool = new Map<string, CallSeries>()
  readonly #loads: { bucket: number; load: Load }[] = []

  add({ method, labels, ending: { outcome }, durationMs = 0 }: RequestEnded, endedAtMs: number): void {
    if (method === undefined) return
    const bucket = findBucket(endedAtMs)
    if (method !== 'tools/call') {
      this.#ofOthers.add(bucket, outcome, durationMs)
      return
    }
    this.#ofTools.add(bucket, outcome, durationMs)
    // Undefined for a name that is not served, so that calls of such names add no series.
    if (labels?.tool !== undefined) this.#find(labels.tool).add(bucket, outcome, durationMs)
  }

  sample(nowMs: number, load: Load): void {
    const bucket = findBucket(nowMs)
    this.#loads[bucket % BUCKETS] = { bucket, load }
  }

  read({ now: nowMs, buckets, tool, hasAllMethods = false }: FigureQuery): FigureAnswer {
    const now = findBucket(nowMs)
    const series = tool === undefined ? this.#ofTools : (this.#byTool.get(tool) ?? new CallSeries())
    const others = tool === undefined && hasAllMethods ? this.#ofOthers : new CallSeries()
    return {
      columns: addColumns(series.read(now, buckets), others.read(now, buckets)),
      sum: addFigures(series.sum(now, buckets), others.sum(now, buckets)),
      tools: this.#readTools(now, buckets),
    }
  }

  readLoad({ now: nowMs, buckets }: FigureQuery): LoadColumns {
    const now = findBucket(nowMs)
    const loads = Array.from({ length: buckets }, (_, index) => {
      const bucket = now - buckets + 1 + index
      const kept = this.#loads[bucket % BUCKETS]
      return kept?.bucket === bucket ? kept.load : undefined
    })
    return {
      running: loads.map(load => load?.running ?? null),
      waiting: loads.map(load => load?.waiting ?? null),
      memoryBytes: loads.map(load => load?.memoryBytes ?? null),
    }
  }

  #find(tool: string): CallSeries {
    const known = this.#byTool.get(tool)
    if (known !== undefined) return known
    if (this.#byTool.size >= MAX_TOOLS) {
      const [[oldest]] = [...this.#byTool].sort(([, a], [, b]) => a.last - b.last) as [[string, CallSeries]]
      this.#byTool.delete(oldest)
    }
    const made = new CallSeries()
    this.#byTool.set(tool, made)
    return made
  }

  #readTools(now: number, buckets: number): readonly ToolFigures[] {
    return [...this.#byTool]
      .filter(([, { last }]) => last > now - buckets)
      .map(([name, series]) => ({ name, ...series.sum(now, buckets) }))
      .sort((a, b) => b.calls - a.calls)
  }
}

/** The latency of tools only, whatever else is counted. */
const addColumns = (tools: CallColumns, others: CallColumns): CallColumns => ({
  ...tools,
  calls: tools.calls.map((count, index) => count + others.calls[index]!),
  errors: tools.errors.map((count, index) => count + others.errors[index]!),
})

const addFigures = (tools: Figures, others: Figures): Figures => ({
  ...tools,
  calls: tools.calls + others.calls,
  errors: tools.errors + others.errors,
})
