// The queue of all replicas, on BullMQ: a job is leased by one of them at a time, and given to another where it dies.
import { DelayedError, type Job, Queue, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Log } from '../../exchange.ts'
import { COME_AGAIN_MS, MAX_RUNNING_OF_SUBJECT, type QueueBounds } from '../memory/task-queue.ts'
import type { RunTask, TaskQueue, Turn } from '../tasks.ts'
import { Connections } from './connections.ts'
import { Leases } from './leases.ts'
import type { RedisLink } from './link.ts'
import { isLaneTurn, type LaneTurn, laneTurn, runOf, TaskTurns } from './task-turns.ts'

const NAME = 'tasks'
/** How long a replica may be silent before its jobs are given to others, ms. */
const LEASE_MS = 8000
/** How long it may count on that itself, ms. */
const HELD_MS = LEASE_MS - 1000
const LOOK_FOR_SILENT_MS = 1500
/** When it is tried again after Redis did not answer, ms. */
const RETRY_MS = 500
/** Silence in answer to a command after which a connection is made anew, ms. */
const SILENCE_MS = 1000
/** How long a worker waits for a job before it asks again. */
const WAIT_S = 2
/** A job that the queue gave up would leave a task without an end: who runs it gives it up, and says so. */
const ALWAYS_AGAIN = 1_000_000
/** How often the lanes are looked at, for what a replica has left undone that died, ms. */
const LOOK_AT_LANES_MS = 5000
/** What the library notes of its jobs, which nobody reads here. */
const MAX_EVENTS = 100

export class RedisTaskQueue implements TaskQueue {
  readonly outlivesProcess = true
  readonly #link: RedisLink
  readonly #log: Log
  readonly #max: number
  readonly #prefix: string
  readonly #connections: Connections
  readonly #queue: Queue<LaneTurn>
  readonly #turns: TaskTurns
  readonly #leases = new Leases(HELD_MS)
  #worker: Worker<LaneTurn> | undefined
  #looking: NodeJS.Timeout | undefined
  #isPaused = false

  constructor(link: RedisLink, { max, maxOfSubject = MAX_RUNNING_OF_SUBJECT }: QueueBounds, log: Log) {
    this.#link = link
    this.#log = log
    this.#max = max
    this.#prefix = link.key('queue')
    this.#connections = new Connections(link)
    const client = this.#connect(SILENCE_MS)
    this.#queue = new Queue<LaneTurn>(NAME, {
      connection: client,
      prefix: this.#prefix,
      streams: { events: { maxLen: MAX_EVENTS } },
    })
    this.#queue.on('error', () => {})
    this.#turns = new TaskTurns({ link, client, maxOfSubject, jobs: `${this.#prefix}:${NAME}:` })
  }

  census(): Promise<Record<'running' | 'waiting', number>> {
    return this.#turns.census()
  }

  async add(turn: Turn): Promise<void> {
    await this.#link.run(async () => this.#addJobs((await this.#turns.note('add', laneTurn(turn))).next))
  }

  async remove(turn: Turn): Promise<void> {
    const { key, lane } = laneTurn(turn)
    await this.#link.run(async () => {
      await this.#queue.remove(key)
      await this.#addJobs((await this.#turns.note('take', { key, lane })).next)
    })
  }

  onTask(run: RunTask): void {
    const worker = new Worker<LaneTurn>(NAME, (job, token) => this.#work(run, job, token), {
      connection: this.#connect(WAIT_S * 1000 + SILENCE_MS),
      prefix: this.#prefix,
      concurrency: this.#max,
      lockDuration: LEASE_MS,
      stalledInterval: LOOK_FOR_SILENT_MS,
      maxStalledCount: ALWAYS_AGAIN,
      runRetryDelay: RETRY_MS,
      drainDelay: WAIT_S,
    })
    worker.on('error', error => this.#log.debug({ reason: error.message }, 'task queue'))
    worker.on('locksRenewed', ({ jobIds }) => this.#leases.renew(jobIds))
    worker.on('lockRenewalFailed', jobIds => this.#leases.lose(jobIds))
    worker.on('failed', job => void (isLaneTurn(job?.data) && this.#leave(job.data).catch(() => {})))
    this.#worker = worker
    this.#looking = setInterval(() => void this.#look(), LOOK_AT_LANES_MS).unref()
  }

  async pause(): Promise<void> {
    this.#isPaused = true
    clearInterval(this.#looking)
    await this.#worker?.pause(true)
  }

  async close(): Promise<void> {
    clearInterval(this.#looking)
    await this.#worker?.close(true).catch(() => {})
    await this.#queue.close().catch(() => {})
    this.#connections.close()
  }

  #connect(socketTimeout: number): Redis {
    return this.#connections.open({
      maxRetriesPerRequest: null,
      enableOfflineQueue: true,
      // Or a command whose connection is lost would have no end, and the worker wait for it for ever.
      autoResendUnfulfilledCommands: true,
      socketTimeout,
    })
  }

  async #work(run: RunTask, job: Job<LaneTurn>, token: string | undefined): Promise<void> {
    // The worker may have been asking for one when it was paused.
    if (this.#isPaused) return this.#comeAgain(job, token)
    // Nothing is known of whose turn it was, so that it is done.
    if (!isLaneTurn(job.data)) return
    const { id, key } = job.data
    const lost = this.#leases.take(key)
    try {
      const { mayStart, next } = await this.#turns.note('start', job.data)
      await this.#addJobs(next)
      const isDone = mayStart && (await run(id, { run: runOf(key), lost }))
      // Who has it now notes its end.
      if (mayStart && !lost.aborted) await this.#leave(job.data)
      // Also where it is lost: if nobody has it yet, it must not be taken for done.
      if (!isDone) await this.#comeAgain(job, token)
    } finally {
      this.#leases.leave(key)
    }
  }

  async #comeAgain(job: Job<LaneTurn>, token: string | undefined): Promise<never> {
    // Where that fails its lease ends, and it is given out again.
    await job.moveToDelayed(Date.now() + COME_AGAIN_MS, token).catch(() => {})
    throw new DelayedError()
  }

  /** Makes room for the others of its lane. */
  async #leave(turn: LaneTurn): Promise<void> {
    await this.#addJobs((await this.#turns.note('end', turn)).next)
  }

  async #look(): Promise<void> {
    try {
      if (this.#link.isUp) await this.#addJobs(await this.#turns.look())
    } catch (error) {
      this.#log.debug({ reason: (error as Error).message }, 'task queue')
    }
  }

  async #addJobs(next: readonly LaneTurn[]): Promise<void> {
    if (next.length > 0) await this.#queue.addBulk(next.map(jobOf))
  }
}

const jobOf = (data: LaneTurn) => ({
  name: 'run',
  data,
  opts: {
    jobId: data.key,
    removeOnComplete: true,
    removeOnFail: true,
    attempts: ALWAYS_AGAIN,
    backoff: COME_AGAIN_MS,
  },
})
