// The last events of streams, for clients that come back by way of any replica.
import type { Log } from '../../exchange.ts'
import { isObject, type RequestId } from '../../protocol/messages.ts'
import type { Events, StoredEvent } from '../events.ts'
import { KEPT_MS, MAX_EVENTS, MAX_STREAM_SIZE } from '../memory/events.ts'
import { readable } from './envelope.ts'
import type { RedisLink } from './link.ts'

/** No stream has so many; one that is damaged would leave no number for the next. */
const MAX_SEQ = 2 ** 48

// Keeps an event and lets the oldest go past the bounds. KEYS: the events, what is known of their stream. A size that is
// damaged is summed up again.
const APPEND = `
redis.call('HSET', KEYS[2], 'session', ARGV[1], 'isReply', ARGV[2])
local before = redis.call('HGET', KEYS[2], 'size')
local size = tonumber(before)
if before and not (size and size >= 0 and size <= ${Number.MAX_SAFE_INTEGER} and size % 1 == 0) then
  size = 0
  for _, event in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do size = size + #event end
  redis.call('HSET', KEYS[2], 'size', string.format('%.0f', size))
end
redis.call('RPUSH', KEYS[1], ARGV[3])
size = redis.call('HINCRBY', KEYS[2], 'size', #ARGV[3])
local count = redis.call('LLEN', KEYS[1])
while count > 1 and (count > ${MAX_EVENTS} or size > ${MAX_STREAM_SIZE}) do
  size = redis.call('HINCRBY', KEYS[2], 'size', -#redis.call('LPOP', KEYS[1]))
  count = count - 1
end
redis.call('PEXPIRE', KEYS[1], ${KEPT_MS})
redis.call('PEXPIRE', KEYS[2], ${KEPT_MS})
return count
`

export function redisEvents(link: RedisLink, log: Log): Events {
  link.define('toolrackAppend', 2, APPEND)
  const keysOf = (stream: string) => [link.key('events', stream), link.key('stream', stream)] as const

  // What cannot be kept is still sent: only a client that comes back misses it.
  const note = (error: unknown) => log.warn({ reason: (error as Error).message }, 'an event was not kept')

  return {
    async begin({ session, stream, isReply = false }, requests = []) {
      const [, about] = keysOf(stream)
      const begun = link.run(client =>
        Promise.all([
          client.hset(about, {
            session,
            isReply: isReply ? '1' : '0',
            replica: link.name,
            requests: JSON.stringify(requests),
          }),
          client.pexpire(about, KEPT_MS),
        ]),
      )
      await begun.catch(note)
    },
    async append({ session, stream, isReply = false }, { seq, json }) {
      await link
        .script('toolrackAppend', keysOf(stream), [session, isReply ? 1 : 0, JSON.stringify([seq, json])])
        .catch(note)
    },
    async finish({ session, stream }) {
      const [, about] = keysOf(stream)
      const finished = link.run(async client => {
        await Promise.all([client.hset(about, 'session', session, 'isFinished', '1'), client.pexpire(about, KEPT_MS)])
      })
      await finished.catch(note)
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
