// The task queue of one process. It bounds how many tasks run at once, in total and per subject.
// The client with the fewest running tasks is next.
import {
  MAX_RUNNING_PER_SUBJECT,
  type QueueBounds,
  type QueueEntry,
  REQUEUE_MS,
  type RunTask,
  type StoreContext,
  type TaskQueue,
  toQueueKey,
} from 'toolrack/stores'

interface ClientQueue {
  readonly max: number
  readonly waiting: Map<string, QueueEntry>
  running: number
}

/** A queue of tasks in memory. */
export class MemoryTaskQueue implements TaskQueue {
  readonly #maxPerSubject: number
  readonly #hasOwnMax: boolean
  #max: number
  /** Clients with a task here, the least recently served first. */
  readonly #clients = new Map<string, ClientQueue>()
  readonly #running = new Set<string>()
  readonly #requeued = new Map<string, NodeJS.Timeout>()
  #isPaused = false
  #run: (entry: QueueEntry) => Promise<boolean> = async () => true

  constructor({ max, maxPerSubject = MAX_RUNNING_PER_SUBJECT }: QueueBounds = {}) {
    this.#hasOwnMax = max !== undefined
    this.#max = max ?? Number.POSITIVE_INFINITY
    this.#maxPerSubject = maxPerSubject
  }

  start({ maxConcurrentCalls }: Pick<StoreContext, 'maxConcurrentCalls'>): void {
    if (!this.#hasOwnMax) this.#max = maxConcurrentCalls
  }

  add(entry: QueueEntry): void {
    const key = toQueueKey(entry)
    if (this.#isPaused || this.#running.has(key) || this.#requeued.has(key)) return
    const queue = this.#getOrCreateClient(entry)
    const isFree = this.#running.size < this.#max && queue.running < queue.max && queue.waiting.size === 0
    if (isFree) this.#startRun(entry, queue)
    else queue.waiting.set(key, entry)
  }

  remove(entry: QueueEntry): void {
    const key = toQueueKey(entry)
    clearTimeout(this.#requeued.get(key))
    this.#requeued.delete(key)
    const queue = this.#clients.get(entry.clientKey)
    if (queue?.waiting.delete(key)) this.#removeIfIdle(entry.clientKey, queue)
  }

  onTask(run: RunTask): void {
    this.onEntry(({ id }) => run(id))
  }

  /** Like `onTask`, for a queue that keeps its entries elsewhere and takes turns from this one. */
  onEntry(run: (entry: QueueEntry) => Promise<boolean>): void {
    this.#run = run
  }

  isRunning(entry: QueueEntry): boolean {
    return this.#running.has(toQueueKey(entry))
  }

  pause(): void {
    this.#isPaused = true
    for (const timer of this.#requeued.values()) clearTimeout(timer)
    this.#requeued.clear()
    for (const { waiting } of this.#clients.values()) waiting.clear()
  }

  count(): Record<'running' | 'waiting', number> {
    const waiting = this.#clients.values().reduce((sum, queue) => sum + queue.waiting.size, this.#requeued.size)
    return { running: this.#running.size, waiting }
  }

  #startRun(entry: QueueEntry, queue: ClientQueue): void {
    const key = toQueueKey(entry)
    this.#running.add(key)
    queue.running++
    void this.#run(entry).then(isDone => {
      this.#running.delete(key)
      queue.running--
      this.#removeIfIdle(entry.clientKey, queue)
      if (!isDone) this.#requeue(entry)
      this.#startNext(queue)
    })
  }

  #requeue(entry: QueueEntry): void {
    if (this.#isPaused) return
    const key = toQueueKey(entry)
    const again = () => {
      this.#requeued.delete(key)
      this.add(entry)
    }
    this.#requeued.set(key, setTimeout(again, REQUEUE_MS).unref())
  }

  /** @param last the client queue whose task has just ended */
  #startNext(last: ClientQueue): void {
    if (this.#running.size >= this.#max || this.#isPaused) return
    const next = this.#findNext(last)
    if (next === undefined) return
    const [clientKey, queue] = next
    const [key, entry] = queue.waiting.entries().next().value!
    queue.waiting.delete(key)
    // Moved to the end: among clients with as many running tasks, the others come first next time.
    this.#clients.delete(clientKey)
    this.#clients.set(clientKey, queue)
    this.#startRun(entry, queue)
  }

  /** The client with the fewest running tasks; of equals not the last, and the least recent. */
  #findNext(last: ClientQueue): [clientKey: string, ClientQueue] | undefined {
    let next: [string, ClientQueue] | undefined
    let least = Number.POSITIVE_INFINITY
    for (const each of this.#clients) {
      const [, queue] = each
      const rank = 2 * queue.running + Number(queue === last)
      if (queue.waiting.size === 0 || queue.running >= queue.max || rank >= least) continue
      least = rank
      next = each
      if (rank === 0) break
    }
    return next
  }

  #removeIfIdle(clientKey: string, { waiting, running }: ClientQueue): void {
    if (waiting.size + running === 0) this.#clients.delete(clientKey)
  }

  #getOrCreateClient({ clientKey, hasQuota }: QueueEntry): ClientQueue {
    const max = hasQuota ? this.#maxPerSubject : this.#max
    const queue = this.#clients.get(clientKey) ?? { waiting: new Map(), max, running: 0 }
    this.#clients.set(clientKey, queue)
    return queue
  }
}
