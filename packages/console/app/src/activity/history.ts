// The recent calls in the page. It keeps no more than the server does, so a page can stay open for
// days.
import type { Activity, ActivityCall } from '../../../src/activity/activity.ts'
import type { ActivityQuery } from './activity-query.ts'

/** The latest answer, with the calls from before. */
export interface History extends Activity {
  /** Number of calls since the page was opened, or the server restarted. */
  readonly heard: number
}

export const MAX_CALLS = 1_000

export const lastSeq = (history: History | undefined): number => history?.calls.at(-1)?.seq ?? 0

/** Adds new calls. After a restart, the server has none of the old calls, so they are dropped. */
export function addActivity(history: History | undefined, activity: Activity): History {
  const before = history !== undefined && activity.stats.uptimeS < history.stats.uptimeS ? undefined : history
  const seq = lastSeq(before)
  const fresh = activity.calls.filter(call => call.seq > seq)
  const calls = [...(before?.calls ?? []), ...fresh].slice(-MAX_CALLS)
  return { ...activity, calls, heard: (before?.heard ?? 0) + fresh.length }
}

const NO_ERRORS: ReadonlySet<string> = new Set([
  'ok',
  'input_required',
  'task',
  'streaming',
  // The user, or the client, wanted it.
  'cancelled',
  'unconfirmed',
])

export const isError = ({ outcome }: Pick<ActivityCall, 'outcome'>): boolean => !NO_ERRORS.has(outcome)

export type OutcomeFilter = 'all' | 'errors' | 'answered'

export interface CallFilter extends Pick<ActivityQuery, 'isToolsOnly' | 'tool'> {
  /** Searched in the method, target, caller, issuer, tenant or outcome. */
  readonly text: string
  readonly outcome: OutcomeFilter
  /** ms */
  readonly sinceMs: number
}

export function filterCalls(calls: readonly ActivityCall[], filter: CallFilter): readonly ActivityCall[] {
  const { isToolsOnly, tool, outcome, sinceMs } = filter
  const wanted = filter.text.trim().toLowerCase()
  const contains = (call: ActivityCall) =>
    [call.method, call.target, call.caller, call.issuer, call.tenant, call.outcome.replaceAll('_', ' ')].some(each =>
      each?.toLowerCase().includes(wanted),
    )
  return calls
    .filter(({ method }) => (!isToolsOnly && tool === undefined) || method === 'tools/call')
    .filter(({ target }) => tool === undefined || target === tool)
    .filter(call => outcome === 'all' || isError(call) === (outcome === 'errors'))
    .filter(({ at }) => Date.parse(at) >= sinceMs)
    .filter(call => wanted === '' || contains(call))
}
