// The task queue of one process. It bounds how many tasks run at once, in total and per subject.
// The client with the fewest running tasks is next.
import type { QueueEntry, RunTask, TaskQueue } from '../tasks.ts'

/** Tasks of one subject that may run at once. */
export const MAX_RUNNING_PER_SUBJECT = 32
/** Delay before a task is queued again because its tool is at its limit of concurrent calls, ms. */
export const REQUEUE_MS = 250

export interface QueueBounds {
  readonly max: number
  readonly maxPerSubject?: number
}

interface ClientQueue {
  readonly max: number
  readonly waiting: Map<string, QueueEntry>
  running: number
}

/** Identifies one run of a task. */
export const toQueueKey = ({ id, run }: QueueEntry) => `${id}.${run}`

export function createMemoryTaskQueue({
  max,
  maxPerSubject = MAX_RUNNING_PER_SUBJECT,
}: QueueBounds): TaskQueue & { stats(): Record<'running' | 'waiting', number> } {
  /** By client, the least recently served first; only clients with a task here have an entry. */
  const clientQueues = new Map<string, ClientQueue>()
  const running = new Set<string>()
  const requeued = new Map<string, NodeJS.Timeout>()
  let isClosed = false
  let run: RunTask = async () => true

  function start(turn: QueueEntry, lane: ClientQueue): void {
    const key = toQueueKey(turn)
    running.add(key)
    lane.running++
    void run(turn.id).then(isDone => {
      running.delete(key)
      lane.running--
      removeIfIdle(turn.clientKey, lane)
      if (!isDone) requeue(turn)
      startNext(lane)
    })
  }

  function requeue(turn: QueueEntry): void {
    if (isClosed) return
    const key = toQueueKey(turn)
    const again = () => {
      requeued.delete(key)
      add(turn)
    }
    requeued.set(key, setTimeout(again, REQUEUE_MS).unref())
  }

  /** @param last the client queue whose task has just ended */
  function startNext(last: ClientQueue): void {
    if (running.size >= max || isClosed) return
    const next = findNext(last)
    if (next === undefined) return
    const [clientKey, lane] = next
    const [key, turn] = lane.waiting.entries().next().value!
    lane.waiting.delete(key)
    // Moved to the end: among clients with as many running tasks, the others come first next time.
    clientQueues.delete(clientKey)
    clientQueues.set(clientKey, lane)
    start(turn, lane)
  }

  /**
   * Picks the client with the fewest running tasks. Among equals it avoids the last one, and picks
   * the least recently served.
   */
  function findNext(last: ClientQueue): [clientKey: string, ClientQueue] | undefined {
    let next: [string, ClientQueue] | undefined
    let least = Number.POSITIVE_INFINITY
    for (const entry of clientQueues) {
      const [, lane] = entry
      const rank = 2 * lane.running + Number(lane === last)
      if (lane.waiting.size === 0 || lane.running >= lane.max || rank >= least) continue
      least = rank
      next = entry
      if (rank === 0) break
    }
    return next
  }

  function removeIfIdle(clientKey: string, { waiting, running }: ClientQueue): void {
    if (waiting.size + running === 0) clientQueues.delete(clientKey)
  }

  function getOrCreateClientQueue({ clientKey, hasQuota }: QueueEntry): ClientQueue {
    const lane = clientQueues.get(clientKey) ?? { waiting: new Map(), max: hasQuota ? maxPerSubject : max, running: 0 }
    clientQueues.set(clientKey, lane)
    return lane
  }

  function add(turn: QueueEntry): void {
    const key = toQueueKey(turn)
    if (isClosed || running.has(key) || requeued.has(key)) return
    const lane = getOrCreateClientQueue(turn)
    if (running.size < max && lane.running < lane.max && lane.waiting.size === 0) start(turn, lane)
    else lane.waiting.set(key, turn)
  }

  return {
    outlivesProcess: false,
    stats() {
      const waiting = clientQueues.values().reduce((sum, lane) => sum + lane.waiting.size, requeued.size)
      return { running: running.size, waiting }
    },
    add,
    remove(turn) {
      const key = toQueueKey(turn)
      clearTimeout(requeued.get(key))
      requeued.delete(key)
      const lane = clientQueues.get(turn.clientKey)
      if (lane?.waiting.delete(key)) removeIfIdle(turn.clientKey, lane)
    },
    onTask(runner) {
      run = runner
    },
    pause() {
      isClosed = true
      for (const timer of requeued.values()) clearTimeout(timer)
      requeued.clear()
      for (const { waiting } of clientQueues.values()) waiting.clear()
    },
    close() {},
  }
}
