// The answer of `GET /console/api/activity`, for the server and the page.

/** One call as a reader sees it. */
export interface ActivityCall {
  /** Grows with each call. It is a time in µs, since a count would show how much others call. */
  readonly seq: number
  /** When it ended, ISO 8601. */
  readonly at: string
  readonly method: string
  /** The name of the tool or prompt, the URI, or the start of the task's id. */
  readonly target?: string | undefined
  /** The subject of its token. */
  readonly caller?: string | undefined
  /** The issuer of the token: equal subjects of two issuers are two callers. */
  readonly issuer?: string | undefined
  /** The claim TENANT_CLAIM: a subject in two tenants is two callers. */
  readonly tenant?: string | undefined
  readonly outcome: string
  readonly durationMs: number
  /** Size of the response; missing if a stream continues. */
  readonly bytes?: number | undefined
}

export interface ActivityStats {
  readonly now: string
  readonly uptimeS: number
  /** The load of the process; missing for a reader who may not see the load of other tenants. */
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

/**
 * Each column has a value per bucket, the oldest first. A reader who may not see the load has no
 * columns of it.
 */
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

/** The callers whose calls the reader sees. */
export type CallScope = 'all' | 'tenant' | 'own'

export interface Activity {
  readonly calls: readonly ActivityCall[]
  readonly scope: CallScope
  readonly figures: Figures
  readonly stats: ActivityStats
}
