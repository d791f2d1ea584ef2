// The task queue of all replicas, on BullMQ. One replica at a time leases a job; if that replica
// dies, the job goes to another.
import { DelayedError, type Job, Queue, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import {
  MAX_RUNNING_PER_SUBJECT,
  type QueueBounds,
  type QueueEntry,
  REQUEUE_MS,
  type RunTask,
  type StoreContext,
  type TaskQueue,
} from 'toolrack/stores'
import { toReason } from 'toolrack/text'
import { Connections, Leases } from './bullmq.ts'
import { type RedisClient, unavailable, withTimeout } from './client.ts'
import {
  type ClientQueueEntry,
  ClientQueues,
  isClientQueueEntry,
  parseRun,
  toClientQueueEntry,
} from './client-queues.ts'

const NAME = 'tasks'
/** Time without a renewal after which another replica may take a job, ms. */
const LEASE_MS = 8000
/** Life of a lease, as counted by the replica that holds it, ms. */
const HELD_MS = LEASE_MS - 1000
const STALLED_CHECK_MS = 1500
/** Delay before a retry after Redis did not answer, ms. */
const RETRY_MS = 500
/** Time without a reply to a command after which the client reconnects, ms. */
const SILENCE_MS = 1000
/** How long a worker blocks for a job before it asks again, s. */
const WAIT_S = 2
/** Retries of a job. If BullMQ gave up a job, its task would never end. The runner gives up instead. */
const ALWAYS_AGAIN = 1_000_000
/** Interval at which all client queues are checked for work that a dead replica left undone, ms. */
const REPAIR_MS = 5000
/** Timeout of a count, ms. A long queue takes time, and a scrape of the metrics has a deadline. */
const COUNT_TIMEOUT_MS = 2000
/** Length of BullMQ's event stream, which nobody reads here. */
const MAX_EVENTS = 100

export class RedisTaskQueue implements TaskQueue {
  readonly backend: RedisClient
  readonly #bounds: QueueBounds
  readonly #prefix: string
  readonly #connections: Connections
  readonly #leases = new Leases(HELD_MS)
  // Set by the start; nothing uses the queue before.
  #max!: number
  #queue!: Queue<ClientQueueEntry>
  #clientQueues!: ClientQueues
  #worker: Worker<ClientQueueEntry> | undefined
  #repairing: NodeJS.Timeout | undefined
  #isPaused = false

  constructor(redis: RedisClient, bounds: QueueBounds = {}) {
    this.backend = redis
    this.#bounds = bounds
    this.#prefix = redis.key('queue')
    this.#connections = new Connections(redis)
    redis.onStart(context => this.#open(context))
    redis.onClose(() => this.#close())
  }

  async count(): Promise<Record<'running' | 'waiting', number>> {
    // The connection of the queue waits for Redis without a timeout.
    if (!this.backend.isUp) throw unavailable()
    return withTimeout(this.#clientQueues.countEntries(), COUNT_TIMEOUT_MS)
  }

  async add(entry: QueueEntry): Promise<void> {
    await this.backend.run(async () =>
      this.#addJobs((await this.#clientQueues.record('add', toClientQueueEntry(entry))).next),
    )
  }

  async remove(entry: QueueEntry): Promise<void> {
    const removed = toClientQueueEntry(entry)
    await this.backend.run(async () => {
      await this.#queue.remove(removed.jobId)
      await this.#addJobs((await this.#clientQueues.record('take', removed)).next)
    })
  }

  onTask(run: RunTask): void {
    const worker = new Worker<ClientQueueEntry>(NAME, (job, token) => this.#work(run, job, token), {
      connection: this.#connect(WAIT_S * 1000 + SILENCE_MS),
      prefix: this.#prefix,
      concurrency: this.#max,
      lockDuration: LEASE_MS,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: ALWAYS_AGAIN,
      runRetryDelay: RETRY_MS,
      drainDelay: WAIT_S,
    })
    worker.on('error', error => this.backend.log.debug({ reason: toReason(error) }, 'task queue error'))
    worker.on('locksRenewed', ({ jobIds }) => this.#leases.renew(jobIds))
    worker.on('lockRenewalFailed', jobIds => this.#leases.lose(jobIds))
    worker.on('failed', job => void (isClientQueueEntry(job?.data) && this.#leave(job.data).catch(() => {})))
    this.#worker = worker
    this.#repairing = setInterval(() => void this.#repair(), REPAIR_MS).unref()
  }

  async pause(): Promise<void> {
    this.#isPaused = true
    clearInterval(this.#repairing)
    await this.#worker?.pause(true)
  }

  #open({ maxConcurrentCalls }: StoreContext): void {
    const { max = maxConcurrentCalls, maxPerSubject = MAX_RUNNING_PER_SUBJECT } = this.#bounds
    this.#max = max
    const client = this.#connect(SILENCE_MS)
    this.#queue = new Queue<ClientQueueEntry>(NAME, {
      connection: client,
      prefix: this.#prefix,
      streams: { events: { maxLen: MAX_EVENTS } },
    })
    this.#queue.on('error', () => {})
    const jobs = `${this.#prefix}:${NAME}:`
    this.#clientQueues = new ClientQueues({ redis: this.backend, client, maxPerSubject, jobs })
  }

  async #close(): Promise<void> {
    clearInterval(this.#repairing)
    await this.#worker?.close(true).catch(() => {})
    await this.#queue?.close().catch(() => {})
    this.#connections.close()
  }

  #connect(socketTimeout: number): Redis {
    return this.#connections.open({
      maxRetriesPerRequest: null,
      enableOfflineQueue: true,
      // Otherwise a command whose connection is lost would never settle, and the worker would hang.
      autoResendUnfulfilledCommands: true,
      socketTimeout,
    })
  }

  async #work(run: RunTask, job: Job<ClientQueueEntry>, token: string | undefined): Promise<void> {
    // The worker may have been asking for a job when it was paused.
    if (this.#isPaused) return this.#delay(job, token)
    // Damaged data do not name a task, so the job counts as done.
    if (!isClientQueueEntry(job.data)) return
    const { id, jobId } = job.data
    const lost = this.#leases.take(jobId)
    try {
      const { mayStart, next } = await this.#clientQueues.record('start', job.data)
      await this.#addJobs(next)
      const isDone = mayStart && (await run(id, { run: parseRun(jobId), lost }))
      // If the lease is lost, the replica that has the job now records its end.
      if (mayStart && !lost.aborted) await this.#leave(job.data)
      // Also if the lease is lost: if no replica has the job yet, it must not count as done.
      if (!isDone) await this.#delay(job, token)
    } finally {
      this.#leases.leave(jobId)
    }
  }

  async #delay(job: Job<ClientQueueEntry>, token: string | undefined): Promise<never> {
    // If this fails, the lease expires and the job is handed out again.
    await job.moveToDelayed(Date.now() + REQUEUE_MS, token).catch(() => {})
    throw new DelayedError()
  }

  /** Records the end of a run, which makes room for the client's next task. */
  async #leave(entry: ClientQueueEntry): Promise<void> {
    await this.#addJobs((await this.#clientQueues.record('end', entry)).next)
  }

  async #repair(): Promise<void> {
    try {
      if (this.backend.isUp) await this.#addJobs(await this.#clientQueues.repair())
    } catch (error) {
      this.backend.log.debug({ reason: toReason(error) }, 'task queue error')
    }
  }

  async #addJobs(next: readonly ClientQueueEntry[]): Promise<void> {
    if (next.length > 0) await this.#queue.addBulk(next.map(toJob))
  }
}

const toJob = (data: ClientQueueEntry) => ({
  name: 'run',
  data,
  opts: {
    jobId: data.jobId,
    removeOnComplete: true,
    removeOnFail: true,
    attempts: ALWAYS_AGAIN,
    backoff: REQUEUE_MS,
  },
})
