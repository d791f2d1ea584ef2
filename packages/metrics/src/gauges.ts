// Gauges that are read when Prometheus scrapes the server.
import { Gauge, type Registry } from '@prometheus-io/client'
import type { MaybePromise } from 'toolrack/protocol'
import { findStateProblems, type WatchedServer } from 'toolrack/records'

/** A number, or one for each status label. */
type Reading = number | Readonly<Record<string, number>>

export function addGauges(registry: Registry, server: WatchedServer): void {
  const { changes, sessions, inflight, streams, bodies, unsent, state } = server
  const { admission } = server.executor
  const gauge = (name: string, help: string, read: () => Reading | Promise<Reading>) =>
    addGauge(registry, { name, help, read })
  const counts = {
    sessions: shareConcurrent(() => state.sessions.count?.()),
    tasks: shareConcurrent(() => state.tasks.count?.()),
    queue: shareConcurrent(() => state.taskQueue.count?.()),
  }
  gauge('toolrack_requests_in_flight', 'Requests and tasks under way.', () => inflight.size)
  gauge('toolrack_calls', 'Calls that run, and that wait for a slot.', () => admission.load)
  gauge('toolrack_stray_runs', 'Runs that ignore their abort.', () => admission.abandonedRuns)
  gauge('toolrack_sessions', 'Sessions: all that are kept, and those at work here.', async () => {
    const kept = await counts.sessions()
    return { at_work: sessions.size, ...(kept !== undefined && { kept }) }
  })
  gauge('toolrack_listeners', 'Listeners of subscriptions/listen.', () => changes.listenerCount)
  gauge('toolrack_streams', 'Event streams that are open.', () => streams.size)
  gauge('toolrack_unsent_bytes', 'Bytes that were answered and not read.', () => unsent.bytes)
  gauge('toolrack_body_bytes', 'Bytes of bodies that are not complete.', () => bodies.bytes)
  gauge('toolrack_tasks', 'Tasks that are kept, by status.', async () => (await counts.tasks()) ?? {})
  gauge('toolrack_task_queue', 'Tasks that run, and that wait for a slot.', async () => {
    return (await counts.queue()) ?? {}
  })
  gauge('toolrack_degraded', '1 where shared state cannot be reached.', () =>
    Number(findStateProblems(state).length > 0),
  )
  for (const [name, max] of Object.entries(listBounds(server)))
    gauge(`toolrack_${name}_max`, `How many toolrack_${name} there may be.`, () => max)
}

// Each bound has the labels of the gauge that it limits, so that usage is one division.
function listBounds({ settings, maxStreams, unsent, bodies, state }: WatchedServer): Record<string, Reading> {
  return {
    calls: { running: settings.maxConcurrentCalls, queued: settings.maxQueuedCalls },
    ...(state.sessions.maxSessions !== undefined && { sessions: { kept: state.sessions.maxSessions } }),
    ...(state.tasks.maxTasks !== undefined && { tasks: state.tasks.maxTasks }),
    listeners: maxStreams,
    streams: maxStreams,
    body_bytes: bodies.bounds.process,
    unsent_bytes: unsent.bounds.process,
  }
}

interface GaugeParts {
  readonly name: string
  readonly help: string
  read(): Reading | Promise<Reading>
}

function addGauge(registry: Registry, { name, help, read }: GaugeParts): void {
  new Gauge({
    name,
    help,
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      const reading = await read()
      this.reset()
      if (typeof reading === 'number') this.set(reading)
      else for (const [status, value] of Object.entries(reading)) this.set({ status }, value)
    },
  })
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
