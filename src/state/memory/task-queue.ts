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
  /** By client, the least recently served first; only clients with a task here are here. */
  const clientQueues = new Map<string, ClientQueue>()
  const running = new Set<string>()
  const requeued = new Map<string, NodeJS.Timeout>()
  let isClosed = false
  let run: RunTask = async () => true

  function start(entry: QueueEntry, queue: ClientQueue): void {
    const key = toQueueKey(entry)
    running.add(key)
    queue.running++
    void run(entry.id).then(isDone => {
      running.delete(key)
      queue.running--
      removeIfIdle(entry.clientKey, queue)
      if (!isDone) requeue(entry)
      startNext(queue)
    })
  }

  function requeue(entry: QueueEntry): void {
    if (isClosed) return
    const key = toQueueKey(entry)
    const again = () => {
      requeued.delete(key)
      add(entry)
    }
    requeued.set(key, setTimeout(again, REQUEUE_MS).unref())
  }

  /** @param last the client queue whose task has just ended */
  function startNext(last: ClientQueue): void {
    if (running.size >= max || isClosed) return
    const next = findNext(last)
    if (next === undefined) return
    const [clientKey, queue] = next
    const [key, entry] = queue.waiting.entries().next().value!
    queue.waiting.delete(key)
    // Moved to the end: among clients with as many running tasks, the others come first next time.
    clientQueues.delete(clientKey)
    clientQueues.set(clientKey, queue)
    start(entry, queue)
  }

  /** The client with the fewest running tasks; of equals not the last, and the least recent. */
  function findNext(last: ClientQueue): [clientKey: string, ClientQueue] | undefined {
    let next: [string, ClientQueue] | undefined
    let least = Number.POSITIVE_INFINITY
    for (const each of clientQueues) {
      const [, queue] = each
      const rank = 2 * queue.running + Number(queue === last)
      if (queue.waiting.size === 0 || queue.running >= queue.max || rank >= least) continue
      least = rank
      next = each
      if (rank === 0) break
    }
    return next
  }

  function removeIfIdle(clientKey: string, { waiting, running }: ClientQueue): void {
    if (waiting.size + running === 0) clientQueues.delete(clientKey)
  }

  function getOrCreateClientQueue({ clientKey, hasQuota }: QueueEntry): ClientQueue {
    const queue = clientQueues.get(clientKey) ?? { waiting: new Map(), max: hasQuota ? maxPerSubject : max, running: 0 }
    clientQueues.set(clientKey, queue)
    return queue
  }

  function add(entry: QueueEntry): void {
    const key = toQueueKey(entry)
    if (isClosed || running.has(key) || requeued.has(key)) return
    const queue = getOrCreateClientQueue(entry)
    if (running.size < max && queue.running < queue.max && queue.waiting.size === 0) start(entry, queue)
    else queue.waiting.set(key, entry)
  }

  return {
    outlivesProcess: false,
    stats() {
      const waiting = clientQueues.values().reduce((sum, queue) => sum + queue.waiting.size, requeued.size)
      return { running: running.size, waiting }
    },
    add,
    remove(entry) {
      const key = toQueueKey(entry)
      clearTimeout(requeued.get(key))
      requeued.delete(key)
      const queue = clientQueues.get(entry.clientKey)
      if (queue?.waiting.delete(key)) removeIfIdle(entry.clientKey, queue)
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
