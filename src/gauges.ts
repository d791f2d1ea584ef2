// What is read of a server when somebody looks at its metrics.
import type { Parts } from './assemble.ts'
import type { Reading } from './metrics/metrics.ts'

type Measured = Omit<Parts, 'runTasks'>

export function addGauges(parts: Measured): void {
  const { services, sessions, inflight, streams, bodies, state } = parts
  const { metrics, changes, executor } = services
  const { admission } = executor
  const census = oneAtATime(() => state.census())
  metrics.gauge('toolrack_requests_in_flight', 'Requests and tasks under way.', () => inflight.size)
  metrics.gauge('toolrack_calls', 'Calls that run, and that wait for a slot.', () => admission.load)
  metrics.gauge('toolrack_stray_runs', 'Runs that ignore their abort.', () => admission.strays)
  metrics.gauge('toolrack_sessions', 'Sessions: all that are kept, and those at work here.', async () => {
    const { sessions: kept } = await census()
    return { at_work: sessions.size, ...(kept !== undefined && { kept }) }
  })
  metrics.gauge('toolrack_listeners', 'Listeners of subscriptions/listen.', () => changes.listeners)
  metrics.gauge('toolrack_streams', 'Event streams that are open.', () => streams.size)
  metrics.gauge('toolrack_unsent_bytes', 'Bytes that were answered and not read.', () => services.unsent.bytes)
  metrics.gauge('toolrack_body_bytes', 'Bytes of bodies that are not complete.', () => bodies.bytes)
  metrics.gauge('toolrack_tasks', 'Tasks that are kept, by status.', async () => (await census()).tasks)
  metrics.gauge('toolrack_task_queue', 'Tasks that run, and that wait for a slot.', async () => (await census()).queue)
  metrics.gauge('toolrack_degraded', '1 where shared state cannot be reached.', () =>
    Number(state.degraded().length > 0),
  )
  addBounds(parts)
}

// Beside what they bound and labelled alike, so that a share is one division, whatever the settings.
function addBounds({ settings, services, bodies, state }: Measured): void {
  const { metrics, rules, unsent } = services
  const bounds: Record<string, Reading> = {
    calls: { running: settings.maxConcurrentCalls, queued: settings.maxQueuedCalls },
    sessions: { kept: state.bounds.sessions },
    tasks: state.bounds.tasks,
    listeners: rules.maxStreams,
    streams: rules.maxStreams,
    body_bytes: bodies.bounds.process,
    unsent_bytes: unsent.bounds.process,
  }
  for (const [name, max] of Object.entries(bounds))
    metrics.gauge(`toolrack_${name}_max`, `How many toolrack_${name} there may be.`, () => max)
}

/** Who asks while an answer is on its way is given that answer. */
function oneAtATime<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined
  return () => (asked ??= ask().finally(() => (asked = undefined)))
}
