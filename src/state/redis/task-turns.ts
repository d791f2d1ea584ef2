// Whose task is next, for all replicas: each client has a lane, of which only the first is a job at a time. So nobody
// waits behind all of another's, a subject runs no more than its share anywhere, and a lane keeps its order.
import type { Redis } from 'ioredis'
import { isObject } from '../../protocol/messages.ts'
import type { Turn } from '../tasks.ts'
import { hidden } from './hidden.ts'
import type { RedisLink } from './link.ts'

/** Jobs of one lane that wait for a replica: behind them a newcomer waits, so the next is one when this one has begun. */
const MAX_WAITING = 1
/** Lanes that are looked at together. */
const LANES_AT_ONCE = 100
/** A lane that no replica has looked at for so long is forgotten, ms; they look every few seconds. */
const KEPT_MS = 60 * 60 * 1000

export interface LaneTurn {
  /** Of the task. */
  readonly id: string
  /** Of the job. */
  readonly key: string
  readonly lane: string
}

// Notes what happens to a turn, then says which of its lane are to become jobs. A turn is noted before there is a job, and
// noted to have ended before its job is gone: whatever dies in between, the next look makes it good.
// KEYS: turns of the lane in order, those of them that run, all lanes.
// ARGV: add, start, end, take or look; turn; lane; most that run at once, 0: any; how job keys begin.
// Answers 1, or 0 where it may not start; and the turns.
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
  /** Those that are to become jobs; some of them may be by now. */
  readonly next: readonly LaneTurn[]
}

export interface TurnParts {
  readonly link: RedisLink
  /** Waits for Redis, however long that takes: what has ended is noted before its job is gone. */
  readonly client: Redis
  readonly maxOfSubject: number
  /** How the keys of jobs begin. */
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
    const { link, client, maxOfSubject, jobs } = this.#parts
    const keys = [link.key('lane', lane), link.key('lane-running', lane), this.#allKey]
    const most = isOfSubject(lane) ? maxOfSubject : 0
    const [mayStart, ...next] = await (client as unknown as Scripted).toolrackTurn(...keys, word, key, lane, most, jobs)
    return { mayStart: mayStart === 1, next: next.map(each => ({ id: idOf(String(each)), key: String(each), lane })) }
  }

  /** Looks at all lanes, for what a replica has left undone that died. @returns what is to become jobs */
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

/** Once for each time that a task is to run. */
const keyOf = ({ id, run }: Turn) => `${id}.${run}`
const idOf = (key: string) => key.slice(0, key.lastIndexOf('.'))
export const runOf = (key: string): number => Number(key.slice(key.lastIndexOf('.') + 1))

// Who it is, is nobody's business there.
const laneOf = ({ clientKey, hasShare }: Turn) => `${hasShare ? 'share' : 'any'}-${hidden(clientKey)}`
const isOfSubject = (lane: string) => lane.startsWith('share-')

export const laneTurn = (turn: Turn): LaneTurn => ({ id: turn.id, key: keyOf(turn), lane: laneOf(turn) })

/** Whether a job says whose turn it is: somebody else may have written it. */
export function isLaneTurn(data: unknown): data is LaneTurn {
  if (!isObject(data)) return false
  const { id, key, lane } = data
  return (
    typeof id === 'string' && typeof key === 'string' && typeof lane === 'string' && Number.isSafeInteger(runOf(key))
  )
}
