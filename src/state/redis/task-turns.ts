// Decides whose task is next, for all replicas. Each client has a queue of its own (`lane`), of
// which only the first task is a job at a time. So clients take turns, a subject never exceeds its
// limit on all replicas together, and the tasks of a client start in their order.
//
// BullMQ's own priorities would not do. With the number of the client's waiting tasks as priority,
// a client that always has two waiting let another start two of ten tasks, and none of the rest
// within 148 of its own; with a queue per client the tenth started behind ten. See
// docs/decisions/0042.
import type { Redis } from 'ioredis'
import { isObject } from '../../protocol/messages.ts'
import type { QueueEntry } from '../tasks.ts'
import type { RedisLink } from './client.ts'
import { hidden } from './record.ts'

/**
 * Jobs of one client that wait for a replica. A newcomer waits behind them, so the next entry
 * becomes a job only when this one has started.
 */
const MAX_WAITING = 1
/** Client queues that are read together. */
const LANES_AT_ONCE = 100
/** TTL of a client queue that no replica reads, ms; replicas read them every few seconds. */
const KEPT_MS = 60 * 60 * 1000

export interface LaneTurn {
  /** Task id. */
  readonly id: string
  /** Job id. */
  readonly key: string
  readonly lane: string
}

// Records an event of a queue entry, and returns which entries of its client become jobs. An entry
// is recorded before its job exists, and its end is recorded before its job is removed: if a
// process dies in between, the next `look` repairs it.
// KEYS: the client's entries in order, those that run, all client queues.
// ARGV: add, start, end, take or look; entry; client queue; limit of running ones (0: none);
// key prefix of jobs.
// Returns 1, or 0 if the entry may not start; then the entries.
const NOTE = `
local order, running, lanes = KEYS[1], KEYS[2], KEYS[3]
local word, turn, most = ARGV[1], ARGV[2], tonumber(ARGV[4])
local may = 1
if word == 'look' then
  for _, each in ipairs(redis.call('SMEMBERS', running)) do
    if redis.call('EXISTS', ARGV[5] .. each) == 0 then redis.call('SREM', running, each) end
  end
elseif word == 'end' or (word == 'take' and redis.call('SISMEMBER', running, turn) == 0) then
  redis.call('SREM', running, turn)
  redis.call('ZREM', order, turn)
elseif word ~= 'take' then
  if not redis.call('ZSCORE', order, turn) then
    local last = redis.call('ZRANGE', order, -1, -1, 'WITHSCORES')
    redis.call('ZADD', order, (last[2] or 0) + 1, turn)
    redis.call('SADD', lanes, ARGV[3])
  end
  if word == 'start' then
    local isFull = most > 0 and redis.call('SCARD', running) >= most
    if isFull and redis.call('SISMEMBER', running, turn) == 0 then may = 0 else redis.call('SADD', running, turn) end
  end
end
local run = redis.call('SCARD', running)
local free = ${MAX_WAITING}
if most > 0 then free = math.min(free, most - run) end
local answer = { may }
for _, each in ipairs(redis.call('ZRANGE', order, 0, run + ${MAX_WAITING} - 1)) do
  if free <= 0 then break end
  if redis.call('SISMEMBER', running, each) == 0 then
    free = free - 1
    if redis.call('EXISTS', ARGV[5] .. each) == 0 then answer[#answer + 1] = each end
  end
end
if redis.call('ZCARD', order) == 0 then
  redis.call('DEL', running)
  redis.call('SREM', lanes, ARGV[3])
end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ${KEPT_MS}) end
return answer
`

type Word = 'add' | 'start' | 'end' | 'take' | 'look'

export interface Noted {
  readonly mayStart: boolean
  /** Entries that are to become jobs; some of them may already be jobs. */
  readonly next: readonly LaneTurn[]
}

export interface TurnParts {
  readonly link: RedisLink
  /** Waits for Redis without a timeout: an end has to be recorded before its job is removed. */
  readonly client: Redis
  readonly maxPerSubject: number
  /** Key prefix of jobs. */
  readonly jobs: string
}

export class TaskTurns {
  readonly #parts: TurnParts
  readonly #allKey: string

  constructor(parts: TurnParts) {
    this.#parts = parts
    this.#allKey = parts.link.key('lanes')
    parts.client.defineCommand('toolrackTurn', { numberOfKeys: 3, lua: NOTE })
  }

  async note(word: Word, { key, lane }: Pick<LaneTurn, 'key' | 'lane'>): Promise<Noted> {
    const { link, client, maxPerSubject, jobs } = this.#parts
    const keys = [link.key('lane', lane), link.key('lane-running', lane), this.#allKey]
    const most = isOfSubject(lane) ? maxPerSubject : 0
    const [mayStart, ...next] = await (client as unknown as Scripted).toolrackTurn(...keys, word, key, lane, most, jobs)
    return { mayStart: mayStart === 1, next: next.map(each => ({ id: idOf(String(each)), key: String(each), lane })) }
  }

  /** Checks all client queues for what a dead replica left undone. @returns entries to enqueue */
  async look(): Promise<LaneTurn[]> {
    const next: LaneTurn[] = []
    for await (const lanes of this.#lanes()) {
      const noted = await Promise.all(lanes.map(lane => this.note('look', { key: '', lane })))
      next.push(...noted.flatMap(lane => lane.next))
    }
    return next
  }

  async census(): Promise<Record<'running' | 'waiting', number>> {
    const { link, client } = this.#parts
    const [all, running] = [[0], [0]]
    for await (const lanes of this.#lanes()) {
      all.push(...(await Promise.all(lanes.map(lane => client.zcard(link.key('lane', lane))))))
      running.push(...(await Promise.all(lanes.map(lane => client.scard(link.key('lane-running', lane))))))
    }
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
    return { running: sum(running), waiting: sum(all) - sum(running) }
  }

  async *#lanes(): AsyncGenerator<string[]> {
    let cursor = '0'
    do {
      const [after, lanes] = await this.#parts.client.sscan(this.#allKey, cursor, 'COUNT', LANES_AT_ONCE)
      yield lanes
      cursor = after
    } while (cursor !== '0')
  }
}

interface Scripted {
  toolrackTurn(...args: (string | number)[]): Promise<(string | number)[]>
}

/** Identifies one run of a task. */
const keyOf = ({ id, run }: QueueEntry) => `${id}.${run}`
const idOf = (key: string) => key.slice(0, key.lastIndexOf('.'))
export const runOf = (key: string): number => Number(key.slice(key.lastIndexOf('.') + 1))

// The client is hashed, so that key names do not reveal it.
const laneOf = ({ clientKey, hasQuota }: QueueEntry) => `${hasQuota ? 'share' : 'any'}-${hidden(clientKey)}`
const isOfSubject = (lane: string) => lane.startsWith('share-')

export const laneTurn = (turn: QueueEntry): LaneTurn => ({ id: turn.id, key: keyOf(turn), lane: laneOf(turn) })

/** Checks that the data of a job names a queue entry, since another program may have written it. */
export function isLaneTurn(data: unknown): data is LaneTurn {
  if (!isObject(data)) return false
  const { id, key, lane } = data
  return (
    typeof id === 'string' && typeof key === 'string' && typeof lane === 'string' && Number.isSafeInteger(runOf(key))
  )
}
