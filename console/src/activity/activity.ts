// What the server says of its work. docs/console.md has the same.

export interface ActivityCall {
  readonly seq: number
  /** When it ended, ISO 8601. */
  readonly at: string
  readonly method: string
  readonly target?: string | undefined
  readonly caller?: string | undefined
  /** Of the caller: two issuers may have equal subjects. */
  readonly issuer?: string | undefined
  /** Of the caller: a subject of two tenants is two callers. */
  readonly tenant?: string | undefined
  readonly outcome: string
  readonly durationMs: number
  readonly bytes?: number | undefined
}

export interface ActivityStats {
  readonly now: string
  readonly uptimeS: number
  /** The load of the process; missing for a reader who may not see that of other tenants. */
  readonly underWay?: number
  readonly queued?: number
  readonly memoryBytes?: number
}

export interface Sum {
  readonly calls: number
  readonly errors: number
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

export interface ToolSum extends Sum {
  readonly name: string
}

type Column = readonly (number | null)[]

/** Each column has a value for each bucket, the oldest first. */
export interface Figures {
  /** The start of the first bucket, ISO 8601. */
  readonly from: string
  readonly stepS: number
  readonly calls: readonly number[]
  readonly errors: readonly number[]
  readonly p50Ms: Column
  readonly p95Ms: Column
  readonly running?: Column
  readonly waiting?: Column
  readonly memoryBytes?: Column
  readonly sum: Sum
  readonly tools: readonly ToolSum[]
}

/** Whose calls the reader sees. */
export type CallScope = 'all' | 'tenant' | 'own'

export interface Activity {
  readonly calls: readonly ActivityCall[]
  readonly scope: CallScope
  readonly figures: Figures
  readonly stats: ActivityStats
}

/** What the figures are of. */
export interface ActivityQuery {
  readonly minutes: 5 | 15
  readonly isToolsOnly: boolean
  readonly tool: string | undefined
}

/** @param after the last call that is known */
export function toSearch({ minutes, isToolsOnly, tool }: ActivityQuery, after: number): string {
  const search = new URLSearchParams({ after: String(after), minutes: String(minutes) })
  if (!isToolsOnly) search.set('methods', 'all')
  if (tool !== undefined) search.set('tool', tool)
  return `${search}`
}
