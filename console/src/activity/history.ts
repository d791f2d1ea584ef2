// The server's recent activity as the page keeps it. It keeps no more than the charts and the table
// show, so a page can stay open for days.

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

/** Whose calls the reader sees. */
export type CallScope = 'all' | 'tenant' | 'own'

/** `GET api/activity?after=SEQ` */
export interface Activity {
  readonly calls: readonly ActivityCall[]
  readonly scope: CallScope
  readonly stats: ActivityStats
}

export interface History {
  /** The oldest first. */
  readonly calls: readonly ActivityCall[]
  readonly stats: readonly ActivityStats[]
  readonly scope: CallScope
}

export const MAX_CALLS = 1_000
/** Five minutes, as the charts show, at one sample in two seconds. */
export const MAX_STATS = 150

export const NO_HISTORY: History = { calls: [], stats: [], scope: 'all' }

export const lastSeq = ({ calls }: History): number => calls.at(-1)?.seq ?? 0

/** Adds what has come since. A server that restarted has none of the old calls, so they go. */
export function addActivity(history: History, { calls, stats, scope }: Activity): History {
  const before = hasRestarted(history, stats) ? NO_HISTORY : history
  const seq = lastSeq(before)
  const fresh = calls.filter(call => call.seq > seq)
  return {
    calls: fresh.length === 0 ? before.calls : [...before.calls, ...fresh].slice(-MAX_CALLS),
    stats: [...before.stats, stats].slice(-MAX_STATS),
    scope,
  }
}

function hasRestarted({ stats }: History, now: ActivityStats): boolean {
  const before = stats.at(-1)
  return before !== undefined && now.uptimeS < before.uptimeS
}

const NO_ERRORS: ReadonlySet<string> = new Set(['ok', 'input_required', 'task', 'streaming'])

export const isError = ({ outcome }: Pick<ActivityCall, 'outcome'>): boolean => !NO_ERRORS.has(outcome)

export type OutcomeFilter = 'all' | 'errors' | 'ok'

/** Calls whose method, target, caller, issuer, tenant or outcome contains the text; the newest first. */
export function filterCalls(calls: readonly ActivityCall[], text: string, outcome: OutcomeFilter): ActivityCall[] {
  const wanted = text.trim().toLowerCase()
  const matches = (call: ActivityCall) =>
    [call.method, call.target, call.caller, call.issuer, call.tenant, call.outcome].some(each =>
      each?.toLowerCase().includes(wanted),
    )
  return calls
    .filter(call => outcome === 'all' || isError(call) === (outcome === 'errors'))
    .filter(call => wanted === '' || matches(call))
    .reverse()
}
