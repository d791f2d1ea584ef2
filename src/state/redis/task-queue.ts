// The queue of all replicas, on BullMQ: a job is leased by one of them at a time, and given to another where it dies.
import { DelayedError, type Job, Queue, Worker } from 'bullmq'
import type { Log } from '../../exchange.ts'
import { COME_AGAIN_MS, MAX_RUNNING_OF_SUBJECT, type QueueBounds } from '../memory/task-queue.ts'
import type { RunTask, TaskQueue } from '../tasks.ts'
import { Connections } from './connections.ts'
import { Leases } from './leases.ts'
import type { RedisLink } from './link.ts'
import { type LaneTurn, laneTurn, runOf, TaskTurns } from './task-turns.ts'

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

export interface RedisTaskQueue extends TaskQueue {
  census(): Promise<Record<'running' | 'waiting', number>>
}

export function redisTaskQueue(link: RedisLink, bounds: QueueBounds, log: Log): RedisTaskQueue {
  const { max, maxOfSubject = MAX_RUNNING_OF_SUBJECT } = bounds
  const prefix = link.key('queue')
  const connections = new Connections(link)
  const connect = (socketTimeout: number) =>
    connections.open({
      maxRetriesPerRequest: null,
      enableOfflineQueue: true,
      // Or a command whose connection is lost would have no end, and the worker wait for it for ever.
      autoResendUnfulfilledCommands: true,
      socketTimeout,
    })
  const client = connect(SILENCE_MS)
  const queue = new Queue<LaneTurn>(NAME, {
    connection: client,
    prefix,
    streams: { events: { maxLen: MAX_EVENTS } },
  })
  queue.on('error', () => {})
  const turns = new TaskTurns({ link, client, maxOfSubject, jobs: `${prefix}:${NAME}:` })
  const leases = new Leases(HELD_MS)
  let worker: Worker<LaneTurn> | undefined
  let looking: NodeJS.Timeout | undefined
  let isPaused = false

  async function addJobs(next: readonly LaneTurn[]): Promise<void> {
    const jobs = next.map(data => ({
      name: 'run',
      data,
      opts: {
        jobId: data.key,
        removeOnComplete: true,
        removeOnFail: true,
        attempts: ALWAYS_AGAIN,
        backoff: COME_AGAIN_MS,
      },
    }))
    if (jobs.length > 0) await queue.addBulk(jobs)
  }

  async function work(run: RunTask, job: Job<LaneTurn>, token: string | undefined): Promise<void> {
    // The worker may have been asking for one when it was paused.
    if (isPaused) return comeAgain(job, token)
    const { id, key } = job.data
    const lost = leases.take(key)
    try {
      const { mayStart, next } = await turns.note('start', job.data)
      await addJobs(next)
      const isDone = mayStart && (await run(id, { run: runOf(key), lost }))
      // Who has it now notes its end.
      if (mayStart && !lost.aborted) await leave(job.data)
      // Also where it is lost: if nobody has it yet, it must not be taken for done.
      if (!isDone) await comeAgain(job, token)
    } finally {
      leases.leave(key)
    }
  }

  async function comeAgain(job: Job<LaneTurn>, token: string | undefined): Promise<never> {
    // Where that fails its lease ends, and it is given out again.
    await job.moveToDelayed(Date.now() + COME_AGAIN_MS, token).catch(() => {})
    throw new DelayedError()
  }

  /** Makes room for the others of its lane. */
  async function leave(turn: LaneTurn): Promise<void> {
    await addJobs((await turns.note('end', turn)).next)
  }

  async function look(): Promise<void> {
    try {
      if (link.isUp) await addJobs(await turns.look())
    } catch (error) {
      log.debug({ reason: (error as Error).message }, 'task queue')
    }
  }

  return {
    outlivesProcess: true,
    census: () => turns.census(),
    async add(turn) {
      await link.run(async () => addJobs((await turns.note('add', laneTurn(turn))).next))
    },
    async remove(turn) {
      const { key, lane } = laneTurn(turn)
      await link.run(async () => {
        await queue.remove(key)
        await addJobs((await turns.note('take', { key, lane })).next)
      })
    },
    onTask(run) {
      worker = new Worker<LaneTurn>(NAME, (job, token) => work(run, job, token), {
        connection: connect(WAIT_S * 1000 + SILENCE_MS),
        prefix,
        concurrency: max,
        lockDuration: LEASE_MS,
        stalledInterval: LOOK_FOR_SILENT_MS,
        maxStalledCount: ALWAYS_AGAIN,
        runRetryDelay: RETRY_MS,
        drainDelay: WAIT_S,
      })
      worker.on('error', error => log.debug({ reason: error.message }, 'task queue'))
      worker.on('locksRenewed', ({ jobIds }) => leases.renew(jobIds))
      worker.on('lockRenewalFailed', jobIds => leases.lose(jobIds))
      worker.on('failed', job => void (job && leave(job.data).catch(() => {})))
      looking = setInterval(() => void look(), LOOK_AT_LANES_MS).unref()
    },
    async pause() {
      isPaused = true
      clearInterval(looking)
      await worker?.pause(true)
    },
    async close() {
      clearInterval(looking)
      await worker?.close(true).catch(() => {})
      await queue.close().catch(() => {})
      connections.close()
    },
  }
}
