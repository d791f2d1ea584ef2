// The server's work for the console: the recent calls and the figures of 15 minutes, as far as the
// caller may see them.
import type { FastifyRequest } from 'fastify'
import type { Caller } from 'toolrack'
import { McpError, type RequestFacts } from 'toolrack/door'
import type { ServerWork } from 'toolrack/http'
import { LogThrottle } from 'toolrack/protocol'
import type { Activity, CallScope, Figures } from '../activity/activity.ts'
import { CallFigures, type FigureQuery } from '../activity/call-figures.ts'
import { BUCKET_MS, BUCKETS } from '../activity/call-series.ts'
import { skipConsole } from '../activity/console-calls.ts'
import { RecentCalls } from '../activity/recent-calls.ts'

/** Lets a caller see the recent calls of all callers; with TENANT_CLAIM, of its tenant. */
const OBSERVE_SCOPE = 'toolrack:observe'
const OBSERVE_ALL_SCOPE = 'toolrack:observe:all'

/** The page asks every two seconds. */
const READER_RECORD_MS = 600_000

/** Audits who reads the calls of others: each reader once per interval. */
export function createReaderRecord({ audit }: ServerWork) {
  const throttle = new LogThrottle({ intervalMs: READER_RECORD_MS })
  return ({ requestId, caller, clientKey }: RequestFacts, scope: CallScope): void => {
    if (throttle.pass(clientKey) === undefined) return
    const address = caller === undefined ? clientKey.replace('address ', '') : undefined
    audit.record({ event: 'calls-read', requestId, caller, address, door: 'console', scope })
  }
}

/** The records of requests that the console keeps. */
export interface Kept {
  readonly calls: RecentCalls
  readonly figures: CallFigures
}

export function keepCalls({ events, secretMask, owners }: ServerWork): Kept {
  const kept = { calls: new RecentCalls(secretMask, owners), figures: new CallFigures() }
  events.on(
    skipConsole(ended => {
      const nowMs = Date.now()
      kept.calls.add(ended, nowMs)
      kept.figures.add(ended, nowMs)
    }),
  )
  return kept
}

/** Measures the load once per bucket. @returns ends it */
export function sampleLoad(work: ServerWork, { figures }: Kept): () => void {
  const timer = setInterval(() => {
    const { underWay: running, queued: waiting, memoryBytes } = describeLoad(work)
    figures.sample(Date.now(), { running, waiting, memoryBytes })
  }, BUCKET_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** @throws McpError INVALID_REQUEST (400) */
export function describeActivity({ caller, query }: FastifyRequest, work: ServerWork, kept: Kept): Activity {
  const { after, tool, methods, minutes } = query as Readonly<Record<string, unknown>>
  const seq = readSeq(after)
  const scope = findCallScope(caller, work)
  const seesLoad = scope === 'all' || !work.owners.hasTenants
  const now = Date.now()
  const asked: FigureQuery = {
    now,
    buckets: readMinutes(minutes) * BUCKETS_PER_MINUTE,
    tool: readTool(tool),
    hasAllMethods: methods === 'all',
  }
  const stats = { now: new Date(now).toISOString(), uptimeS: Math.round(process.uptime()) }
  return {
    calls: kept.calls.after(seq, scope, caller),
    scope,
    figures: describeFigures(asked, { scope, seesLoad, caller, kept }),
    // The load is that of all tenants together.
    stats: seesLoad ? { ...stats, ...describeLoad(work) } : stats,
  }
}

interface Reader {
  readonly scope: CallScope
  readonly seesLoad: boolean
  readonly caller: Caller | undefined
  readonly kept: Kept
}

function describeFigures(query: FigureQuery, { scope, seesLoad, caller, kept: { calls, figures } }: Reader): Figures {
  const { columns, sum, tools } = scope === 'all' ? figures.read(query) : calls.summarize(query, scope, caller)
  const last = Math.floor(query.now / BUCKET_MS) * BUCKET_MS
  return {
    from: new Date(last - (query.buckets - 1) * BUCKET_MS).toISOString(),
    stepS: BUCKET_MS / 1000,
    ...columns,
    ...(seesLoad && figures.readLoad(query)),
    sum,
    tools,
  }
}

function findCallScope(caller: Caller | undefined, { access, owners }: ServerWork): CallScope {
  if (caller === undefined || access.may(caller, [OBSERVE_ALL_SCOPE])) return 'all'
  if (!access.may(caller, [OBSERVE_SCOPE])) return 'own'
  if (!owners.hasTenants) return 'all'
  return owners.findTenant(caller) === undefined ? 'own' : 'tenant'
}

function describeLoad({ admission }: ServerWork) {
  const { running, queued } = admission.load
  return { underWay: running, queued, memoryBytes: process.memoryUsage.rss() }
}

/** @throws McpError INVALID_REQUEST (400) */
function readSeq(after: unknown): number {
  if (after === undefined) return 0
  const seq = typeof after === 'string' && /^\d{1,16}$/.test(after) ? Number(after) : Number.NaN
  if (!Number.isSafeInteger(seq)) throw new McpError('INVALID_REQUEST', 'after: expected the seq of a call')
  return seq
}

const BUCKETS_PER_MINUTE = 60_000 / BUCKET_MS
const MAX_MINUTES = BUCKETS / BUCKETS_PER_MINUTE

function readMinutes(minutes: unknown): number {
  if (minutes === undefined) return MAX_MINUTES
  const count = typeof minutes === 'string' && /^\d{1,2}$/.test(minutes) ? Number(minutes) : 0
  if (count >= 1 && count <= MAX_MINUTES) return count
  throw new McpError('INVALID_REQUEST', `minutes: expected a number from 1 to ${MAX_MINUTES}`)
}

function readTool(tool: unknown): string | undefined {
  if (tool === undefined || typeof tool === 'string') return tool
  throw new McpError('INVALID_REQUEST', 'tool: expected one name')
}
