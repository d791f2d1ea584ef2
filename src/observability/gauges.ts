// Gauges that are read when Prometheus scrapes the server.
import type { Settings } from '../config/settings.ts'
import type { Admission } from '../execution/admission.ts'
import type { ChangeEmitter } from '../registry/changes.ts'
import type { Inflight } from '../request/inflight.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import type { UnsentBytes } from '../request/unsent-bytes.ts'
import { findStateProblems, type State } from '../state/state.ts'
import type { BodyBytes } from '../transport/body-bytes.ts'
import type { StreamRegistry } from '../transport/sse.ts'
import type { Metrics, Reading } from './metrics.ts'

interface GaugeSources {
  readonly settings: Settings
  readonly state: State
  readonly metrics: Metrics
  readonly changes: ChangeEmitter
  readonly executor: { readonly admission: Admission }
  readonly unsent: UnsentBytes
  readonly maxStreams: number
  readonly sessions: { readonly size: number }
  readonly inflight: Inflight
  readonly streams: StreamRegistry
  readonly bodies: BodyBytes
}

export function addGauges(measured: GaugeSources): void {
  const { metrics, changes, sessions, inflight, streams, bodies, unsent, state } = measured
  const { admission } = measured.executor
  const counts = {
    sessions: shareConcurrent(() => state.sessions.count?.()),
    tasks: shareConcurrent(() => state.tasks.count?.()),
    queue: shareConcurrent(() => state.taskQueue.count?.()),
  }
  metrics.gauge('toolrack_requests_in_flight', 'Requests and tasks under way.', () => inflight.size)
  metrics.gauge('toolrack_calls', 'Calls that run, and that wait for a slot.', () => admission.load)
  metrics.gauge('toolrack_stray_runs', 'Runs that ignore their abort.', () => admission.abandonedRuns)
  metrics.gauge('toolrack_sessions', 'Sessions: all that are kept, and those at work here.', async () => {
    const kept = await counts.sessions()
    return { at_work: sessions.size, ...(kept !== undefined && { kept }) }
  })
  metrics.gauge('toolrack_listeners', 'Listeners of subscriptions/listen.', () => changes.listenerCount)
  metrics.gauge('toolrack_streams', 'Event streams that are open.', () => streams.size)
  metrics.gauge('toolrack_unsent_bytes', 'Bytes that were answered and not read.', () => unsent.bytes)
  metrics.gauge('toolrack_body_bytes', 'Bytes of bodies that are not complete.', () => bodies.bytes)
  metrics.gauge('toolrack_tasks', 'Tasks that are kept, by status.', async () => (await counts.tasks()) ?? {})
  metrics.gauge('toolrack_task_queue', 'Tasks that run, and that wait for a slot.', async () => {
    return (await counts.queue()) ?? {}
  })
  metrics.gauge('toolrack_degraded', '1 where shared state cannot be reached.', () =>
    Number(findStateProblems(state).length > 0),
  )
  addBoundGauges(measured)
}

// Each bound has the labels of the gauge that it limits, so that usage is one division.
function addBoundGauges({ settings, metrics, maxStreams, unsent, bodies, state }: GaugeSources): void {
  const bounds: Record<string, Reading> = {
    calls: { running: settings.maxConcurrentCalls, queued: settings.maxQueuedCalls },
    ...(state.sessions.maxSessions !== undefined && { sessions: { kept: state.sessions.maxSessions } }),
    ...(state.tasks.maxTasks !== undefined && { tasks: state.tasks.maxTasks }),
    listeners: maxStreams,
    streams: maxStreams,
    body_bytes: bodies.bounds.process,
    unsent_bytes: unsent.bounds.process,
  }
  for (const [name, max] of Object.entries(bounds))
    metrics.gauge(`toolrack_${name}_max`, `How many toolrack_${name} there may be.`, () => max)
}

/** Callers that come while a count is pending share its result; one that fails now is left out. */
function shareConcurrent<T>(count: () => MaybePromise<T>): () => Promise<T | undefined> {
  let counting: Promise<T | undefined> | undefined
  const start = async () => count()
  return () => {
    counting ??= start()
      .catch(() => undefined)
      .finally(() => (counting = undefined))
    return counting
  }
}
