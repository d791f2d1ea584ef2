// The event store of all replicas, so that a client can resume a stream on any of them.
import type { RequestId } from 'toolrack'
import {
  type EventBounds,
  type EventStore,
  findUnanswered,
  MAX_EVENTS_PER_STREAM,
  MAX_EVENTS_SIZE,
  MAX_STREAM_SIZE,
  parseJson,
  type Replay,
  STREAM_TTL_MS,
  type StoredEvent,
  type StreamKey,
} from 'toolrack/stores'
import { toReason } from 'toolrack/text'
import type { RedisClient } from './client.ts'
import { ignoreWrongType, WHOLE_NUMBER } from './record.ts'

/** No stream gets this far. Above it, a damaged number would leave no number for the next event. */
const MAX_SEQ = 2 ** 48

/** Bytes of a stream without its events, and of an event without its text. */
const STREAM_BYTES = 700
const EVENT_BYTES = 100
/** Maximum number of streams that one command removes. */
const MAX_FORGOTTEN = 1000

// Redis expires streams by itself, so the size of each is kept in a separate hash; the field ''
// has the sum.
// KEYS: the events, the metadata of their stream, all streams by latest use, the size of each.
// ARGV: stream id, key prefix of events, key prefix of metadata, maximum size of all, session,
// isReply or ''.
const COMMON = `${WHOLE_NUMBER}
local events, about, uses, holds, id = KEYS[1], KEYS[2], KEYS[3], KEYS[4], ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local function add(field, growth)
  local size = math.max(0, (whole(redis.call('HGET', holds, field)) or 0) + growth)
  redis.call('HSET', holds, field, string.format('%.0f', size))
  return size
end
local function hold(growth)
  add(id, growth)
  return add('', growth)
end
local function forget(stream)
  local size = whole(redis.call('HGET', holds, stream)) or 0
  redis.call('HDEL', holds, stream)
  redis.call('ZREM', uses, stream)
  return add('', 0 - size)
end
local function drop(stream)
  redis.call('DEL', ARGV[2] .. stream, ARGV[3] .. stream)
  return forget(stream)
end
local function use()
  for _, old in ipairs(redis.call('ZRANGEBYSCORE', uses, '-inf', now - ${STREAM_TTL_MS}, 'LIMIT', 0, ${MAX_FORGOTTEN})) do
    drop(old)
  end
  if redis.call('EXISTS', about) == 0 then forget(id) end
  if redis.call('HEXISTS', holds, id) == 0 then hold(${STREAM_BYTES}) end
  redis.call('ZADD', uses, now, id)
  redis.call('HSET', about, 'session', ARGV[5])
  if ARGV[6] ~= '' then redis.call('HSET', about, 'isReply', ARGV[6]) end
end
local function expire()
  for at = 1, 4 do redis.call('PEXPIRE', KEYS[at], at < 3 and ${STREAM_TTL_MS} or ${2 * STREAM_TTL_MS}) end
  local total = whole(redis.call('HGET', holds, '')) or 0
  for _ = 1, ${MAX_FORGOTTEN} do
    local oldest = redis.call('ZRANGE', uses, 0, 0)[1]
    if total <= tonumber(ARGV[4]) or oldest == id then break end
    total = drop(oldest)
  end
end
`

// Stores metadata of a stream. ARGV from 7: names and values of further metadata.
const NOTE = `${COMMON}
use()
for at = 7, #ARGV, 2 do redis.call('HSET', about, ARGV[at], ARGV[at + 1]) end
expire()
`

// Appends an event and removes the oldest ones past the bounds. If the size in Redis is damaged, it
// is summed up again. ARGV[7]: the event.
const APPEND = `${COMMON}
use()
local before = redis.call('HGET', about, 'size')
if before and not whole(before) then
  local sum = 0
  for _, event in ipairs(redis.call('LRANGE', events, 0, -1)) do sum = sum + #event end
  redis.call('HSET', about, 'size', string.format('%.0f', sum))
end
redis.call('RPUSH', events, ARGV[7])
local size = redis.call('HINCRBY', about, 'size', #ARGV[7])
hold(#ARGV[7] + ${EVENT_BYTES})
local count = redis.call('LLEN', events)
while count > 1 and (count > ${MAX_EVENTS_PER_STREAM} or size > ${MAX_STREAM_SIZE}) do
  local length = #redis.call('LPOP', events)
  size = redis.call('HINCRBY', about, 'size', -length)
  hold(-length - ${EVENT_BYTES})
  count = count - 1
end
expire()
return count
`

export class RedisEvents implements EventStore {
  readonly backend: RedisClient
  readonly #maxSize: number

  constructor(redis: RedisClient, { maxSize = MAX_EVENTS_SIZE }: EventBounds = {}) {
    redis.define('toolrackNoteStream', 4, NOTE)
    redis.define('toolrackAppend', 4, APPEND)
    this.backend = redis
    this.#maxSize = maxSize
  }

  begin(key: StreamKey, requests: readonly RequestId[] = []): Promise<void> {
    return this.#write('NoteStream', key, ['replica', this.backend.replicaId, 'requests', JSON.stringify(requests)])
  }

  append(key: StreamKey, { seq, json }: StoredEvent): Promise<void> {
    return this.#write('Append', key, [JSON.stringify([seq, json])])
  }

  finish(key: StreamKey): Promise<void> {
    return this.#write('NoteStream', key, ['isFinished', '1'])
  }

  async read({ session, stream }: StreamKey, afterSeq: number): Promise<Replay | undefined> {
    const [kept, known] = (await ignoreWrongType(this.#readStream(stream))) ?? [[], {}]
    if (known['session'] !== session) return undefined
    const isFinished = known['isFinished'] === '1'
    const isReply = known['isReply'] === '1'
    const isLost = isReply && !isFinished && !(await this.backend.isReplicaAlive(known['replica'] ?? ''))
    const all = kept.map(readEvent).filter(event => event !== undefined)
    return {
      events: all.filter(({ seq }) => seq > afterSeq),
      lastSeq: all.at(-1)?.seq ?? 0,
      isFinished,
      isReply,
      ...(isLost && { lost: findUnanswered(known['requests'] ?? '[]', all) }),
    }
  }

  // One transaction, so that no event is missed between the two reads.
  #readStream(stream: string): Promise<[string[], Record<string, string>]> {
    const [events, about] = this.#getKeys(stream)
    return this.backend.run(async client => {
      const answers = await client.multi().lrange(events, 0, -1).hgetall(about).exec()
      return (answers ?? []).map(([error, answer]) => {
        if (error !== null) throw error
        return answer
      }) as [string[], Record<string, string>]
    })
  }

  // An event that cannot be kept is still sent: only a client that resumes misses it.
  async #write(script: string, { session, stream, isReply }: StreamKey, more: readonly string[]): Promise<void> {
    const { backend } = this
    const keys = [...this.#getKeys(stream), backend.key('streams'), backend.key('stream-holds')]
    const reply = isReply === undefined ? '' : Number(isReply)
    const args = [stream, ...this.#getKeys(''), this.#maxSize, session, reply, ...more]
    try {
      await backend.script(`toolrack${script}`, keys, args)
    } catch (error) {
      backend.log.warn({ reason: toReason(error) }, 'an event was not stored')
    }
  }

  #getKeys(stream: string): readonly [events: string, about: string] {
    return [this.backend.key('events', stream), this.backend.key('stream', stream)]
  }
}

function readEvent(text: string): StoredEvent | undefined {
  const event = parseJson(text)
  const [seq, json] = Array.isArray(event) ? event : []
  return Number.isSafeInteger(seq) && seq >= 0 && seq <= MAX_SEQ && typeof json === 'string' ? { seq, json } : undefined
}
