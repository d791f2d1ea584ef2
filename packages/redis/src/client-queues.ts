// Decides whose task is next, for all replicas. Each client has its own queue, and only the first
// task of it is a job: clients take turns, and no subject exceeds its limit. Why not BullMQ's
// priorities: decision 42.
import type { Redis } from 'ioredis'
import { isObject } from 'toolrack/protocol'
import { type QueueEntry, toQueueKey } from 'toolrack/stores'
import type { RedisClient } from './client.ts'
import { hashIdentity } from './record.ts'

/** Jobs of one client that wait for a replica. A newcomer waits behind them. */
const MAX_WAITING_JOBS = 1
/** Client queues that are read together. */
const SCAN_COUNT = 100
/** TTL of a client queue that no replica reads, ms; replicas read them every few seconds. */
const QUEUE_TTL_MS = 60 * 60 * 1000

export interface ClientQueueEntry {
  /** Task id. */
  readonly id: string
  readonly jobId: string
  readonly queue: string
}

// Records an event of a queue entry, and returns which entries of its client become jobs. An entry
// is recorded before its job exists, and its end is recorded before its job is removed: if a
// process dies in between, the next `repair` finds it.
// KEYS: the client's entries in order, those that run, all client queues.
// ARGV: add, start, end, take or repair; entry; client queue; limit of running ones (0: none);
// key prefix of jobs.
// Returns 1, or 0 if the entry may not start; then the entries.
const RECORD_EVENT = `
local order, running, queues = KEYS[1], KEYS[2], KEYS[3]
local event, entry, max = ARGV[1], ARGV[2], tonumber(ARGV[4])
local may = 1
if event == 'repair' then
  for _, each in ipairs(redis.call('SMEMBERS', running)) do
    if redis.call('EXISTS', ARGV[5] .. each) == 0 then redis.call('SREM', running, each) end
  end
elseif event == 'end' or (event == 'take' and redis.call('SISMEMBER', running, entry) == 0) then
  redis.call('SREM', running, entry)
  redis.call('ZREM', order, entry)
elseif event ~= 'take' then
  if not redis.call('ZSCORE', order, entry) then
    local last = redis.call('ZRANGE', order, -1, -1, 'WITHSCORES')
    redis.call('ZADD', order, (last[2] or 0) + 1, entry)
    redis.call('SADD', queues, ARGV[3])
  end
  if event == 'start' then
    local isFull = max > 0 and redis.call('SCARD', running) >= max
    if isFull and redis.call('SISMEMBER', running, entry) == 0 then may = 0 else redis.call('SADD', running, entry) end
  end
end
local run = redis.call('SCARD', running)
local free = ${MAX_WAITING_JOBS}
if max > 0 then free = math.min(free, max - run) end
local answer = { may }
for _, each in ipairs(redis.call('ZRANGE', order, 0, run + ${MAX_WAITING_JOBS} - 1)) do
  if free <= 0 then break end
  if redis.call('SISMEMBER', running, each) == 0 then
    free = free - 1
    if redis.call('EXISTS', ARGV[5] .. each) == 0 then answer[#answer + 1] = each end
  end
end
if redis.call('ZCARD', order) == 0 then
  redis.call('DEL', running)
  redis.call('SREM', queues, ARGV[3])
end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ${QUEUE_TTL_MS}) end
return answer
`

type QueueEvent = 'add' | 'start' | 'end' | 'take' | 'repair'

export interface QueueUpdate {
  readonly mayStart: boolean
  /** Entries that are to become jobs; some of them may already be jobs. */
  readonly next: readonly ClientQueueEntry[]
}

export interface ClientQueueParts {
  readonly redis: RedisClient
  /** Waits for Redis without a timeout: an end has to be recorded before its job is removed. */
  readonly client: Redis
  readonly maxPerSubject: number
  /** Key prefix of jobs. */
  readonly jobs: string
}

export class ClientQueues {
  readonly #parts: ClientQueueParts
  readonly #allKey: string

  constructor(parts: ClientQueueParts) {
    this.#parts = parts
    this.#allKey = parts.redis.key('lanes')
    parts.client.defineCommand('toolrackQueueEvent', { numberOfKeys: 3, lua: RECORD_EVENT })
  }

  async record(event: QueueEvent, { jobId, queue }: Pick<ClientQueueEntry, 'jobId' | 'queue'>): Promise<QueueUpdate> {
    const { redis, client, maxPerSubject, jobs } = this.#parts
    const keys = [redis.key('lane', queue), redis.key('lane-running', queue), this.#allKey]
    const max = hasQuota(queue) ? maxPerSubject : 0
    const scripted = client as unknown as Scripted
    const [mayStart, ...jobIds] = await scripted.toolrackQueueEvent(...keys, event, jobId, queue, max, jobs)
    const next = jobIds.map(String).map(each => ({ id: parseTaskId(each), jobId: each, queue }))
    return { mayStart: mayStart === 1, next }
  }

  /** Checks all client queues for work that a dead replica left undone. @returns entries to enqueue */
  async repair(): Promise<ClientQueueEntry[]> {
    const next: ClientQueueEntry[] = []
    for await (const queues of this.#readQueueNames()) {
      const updates = await Promise.all(queues.map(queue => this.record('repair', { jobId: '', queue })))
      next.push(...updates.flatMap(update => update.next))
    }
    return next
  }

  async countEntries(): Promise<Record<'running' | 'waiting', number>> {
    const { redis, client } = this.#parts
    const [all, running] = [[0], [0]]
    for await (const queues of this.#readQueueNames()) {
      all.push(...(await Promise.all(queues.map(queue => client.zcard(redis.key('lane', queue))))))
      running.push(...(await Promise.all(queues.map(queue => client.scard(redis.key('lane-running', queue))))))
    }
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
    return { running: sum(running), waiting: sum(all) - sum(running) }
  }

  async *#readQueueNames(): AsyncGenerator<string[]> {
    let cursor = '0'
    do {
      const [after, queues] = await this.#parts.client.sscan(this.#allKey, cursor, 'COUNT', SCAN_COUNT)
      yield queues
      cursor = after
    } while (cursor !== '0')
  }
}

interface Scripted {
  toolrackQueueEvent(...args: (string | number)[]): Promise<(string | number)[]>
}

// A job is named by its queue key.
const parseTaskId = (jobId: string) => jobId.slice(0, jobId.lastIndexOf('.'))
export const parseRun = (jobId: string): number => Number(jobId.slice(jobId.lastIndexOf('.') + 1))

// The client is hashed, so that key names do not reveal it.
const toQueueName = ({ clientKey, hasQuota }: QueueEntry) => `${hasQuota ? 'share' : 'any'}-${hashIdentity(clientKey)}`
const hasQuota = (queue: string) => queue.startsWith('share-')

export const toClientQueueEntry = (entry: QueueEntry): ClientQueueEntry => ({
  id: entry.id,
  jobId: toQueueKey(entry),
  queue: toQueueName(entry),
})

/** Checks that the data of a job names a queue entry, since another program may have written it. */
export function isClientQueueEntry(data: unknown): data is ClientQueueEntry {
  if (!isObject(data)) return false
  const { id, jobId, queue } = data
  return (
    typeof id === 'string' &&
    typeof jobId === 'string' &&
    typeof queue === 'string' &&
    Number.isSafeInteger(parseRun(jobId))
  )
}
