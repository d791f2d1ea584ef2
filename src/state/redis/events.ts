// The last events of streams, for clients that come back by way of any replica.
import type { Log } from '../../exchange.ts'
import { isObject, type RequestId } from '../../protocol/messages.ts'
import type { Events, StoredEvent, StreamKey } from '../events.ts'
import { KEPT_MS, MAX_EVENTS, MAX_STREAM_SIZE } from '../memory/events.ts'
import { readable } from './envelope.ts'
import type { RedisLink } from './link.ts'
import { WHOLE_NUMBER } from './whole-number.ts'

/** No stream has so many; one that is damaged would leave no number for the next. */
const MAX_SEQ = 2 ** 48

/** Of all streams, in bytes of Redis. Past it the stream unused for longest goes. */
export const MAX_SHARED_SIZE = 64 * 1024 * 1024

/** What a stream takes without its events, and an event without its text, bytes. */
const STREAM_BYTES = 700
const EVENT_BYTES = 100
/** Streams that are forgotten at once. */
const MAX_FORGOTTEN = 1000

// Redis lets streams expire by itself, so what each of them holds is noted apart; '' is all of them.
// KEYS: the events, what is known of their stream, all streams by their latest use, what each of them holds.
// ARGV: id of the stream, how keys of events begin, and those of streams, most bytes of all, session, isReply or ''.
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
  for _, old in ipairs(redis.call('ZRANGEBYSCORE', uses, '-inf', now - ${KEPT_MS}, 'LIMIT', 0, ${MAX_FORGOTTEN})) do
    drop(old)
  end
  if redis.call('EXISTS', about) == 0 then forget(id) end
  if redis.call('HEXISTS', holds, id) == 0 then hold(${STREAM_BYTES}) end
  redis.call('ZADD', uses, now, id)
  redis.call('HSET', about, 'session', ARGV[5])
  if ARGV[6] ~= '' then redis.call('HSET', about, 'isReply', ARGV[6]) end
end
local function expire()
  for at = 1, 4 do redis.call('PEXPIRE', KEYS[at], at < 3 and ${KEPT_MS} or ${2 * KEPT_MS}) end
  local total = whole(redis.call('HGET', holds, '')) or 0
  for _ = 1, ${MAX_FORGOTTEN} do
    local oldest = redis.call('ZRANGE', uses, 0, 0)[1]
    if total <= tonumber(ARGV[4]) or oldest == id then break end
    total = drop(oldest)
  end
end
`

// Notes what is known of a stream. ARGV: name and value of what else is known of it.
const NOTE = `${COMMON}
use()
for at = 7, #ARGV, 2 do redis.call('HSET', about, ARGV[at], ARGV[at + 1]) end
expire()
`

// Keeps an event and lets the oldest go past the bounds. A size that is damaged is summed up again. ARGV: the event.
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
while count > 1 and (count > ${MAX_EVENTS} or size > ${MAX_STREAM_SIZE}) do
  local length = #redis.call('LPOP', events)
  size = redis.call('HINCRBY', about, 'size', -length)
  hold(-length - ${EVENT_BYTES})
  count = count - 1
end
expire()
return count
`

export function redisEvents(link: RedisLink, log: Log, { maxSize = MAX_SHARED_SIZE } = {}): Events {
  link.define('toolrackNoteStream', 4, NOTE)
  link.define('toolrackAppend', 4, APPEND)
  const keysOf = (stream: string) => [link.key('events', stream), link.key('stream', stream)] as const
  const script = (name: string, { session, stream, isReply }: StreamKey, more: readonly string[]) => {
    const keys = [...keysOf(stream), link.key('streams'), link.key('stream-holds')]
    const reply = isReply === undefined ? '' : Number(isReply)
    const args = [stream, ...keysOf(''), maxSize, session, reply, ...more]
    return link.script(name, keys, args)
  }

  // What cannot be kept is still sent: only a client that comes back misses it.
  const note = (error: unknown) => log.warn({ reason: (error as Error).message }, 'an event was not kept')

  return {
    async begin(key, requests = []) {
      const known = ['replica', link.name, 'requests', JSON.stringify(requests)]
      await script('toolrackNoteStream', key, known).catch(note)
    },
    async append(key, { seq, json }) {
      await script('toolrackAppend', key, [JSON.stringify([seq, json])]).catch(note)
    },
    async finish(key) {
      await script('toolrackNoteStream', key, ['isFinished', '1']).catch(note)
    },
    async read({ session, stream }, afterSeq) {
      const [events, about] = keysOf(stream)
      const reading = link.run(async client => {
        // Of one moment, so that nothing is missed between the two.
        const answers = await client.multi().lrange(events, 0, -1).hgetall(about).exec()
        return (answers ?? []).map(([error, answer]) => {
          if (error !== null) throw error
          return answer
        }) as [string[], Record<string, string>]
      })
      const [kept, known] = (await readable(reading)) ?? [[], {}]
      if (known['session'] !== session) return undefined
      const isFinished = known['isFinished'] === '1'
      const isReply = known['isReply'] === '1'
      const isLost = isReply && !isFinished && !(await link.isThere(known['replica'] ?? ''))
      const all = kept.map(readEvent).filter(event => event !== undefined)
      return {
        events: all.filter(({ seq }) => seq > afterSeq),
        lastSeq: all.at(-1)?.seq ?? 0,
        isFinished,
        isReply,
        ...(isLost && { lost: requestsIn(known['requests']).filter(id => !all.some(event => answers(event, id))) }),
      }
    },
    close() {},
  }
}

function requestsIn(text = ''): RequestId[] {
  const ids = parsed(text)
  return Array.isArray(ids) ? ids.filter(id => typeof id === 'string' || Number.isSafeInteger(id)) : []
}

function answers({ json }: StoredEvent, id: RequestId): boolean {
  const message = parsed(json)
  return isObject(message) && message['id'] === id && message['method'] === undefined
}

function readEvent(text: string): StoredEvent | undefined {
  const event = parsed(text)
  const [seq, json] = Array.isArray(event) ? event : []
  return Number.isSafeInteger(seq) && seq >= 0 && seq <= MAX_SEQ && typeof json === 'string' ? { seq, json } : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
