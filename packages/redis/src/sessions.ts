// The session store of all replicas: one key per session, whose TTL each use renews.
import {
  createSessionId,
  type NewSession,
  parseSessionRecord,
  type Session,
  type SessionBounds,
  type SessionStore,
  toSessionRecord,
} from 'toolrack/stores'
import type { RedisClient } from './client.ts'
import { ignoreWrongType, parseRecord, toRecord } from './record.ts'

/** The form of an id, also of an HTTP+SSE client; any other string is not looked up. */
const ID = /^[\w-]{32,36}$/

/** Largest number of sessions of all replicas; past it, one that was used long ago is evicted. */
export const MAX_SHARED_SESSIONS = 500_000

/** Number of sessions that an eviction compares. */
const MAX_LOOKED_AT = 16
/** TTL of the list, ms. It must outlive a session that is used while no other is opened. */
const LIST_KEPT_MS = 24 * 60 * 60 * 1000

// Opens a session; if there is no room, it replaces another. The list has the end of each session
// as it was last seen. A use does not update the list, so a use costs nothing.
// KEYS: the session, the list. ARGV: id, record, TTL in ms, maximum number, key prefix of sessions.
const OPEN = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function lookAt(id)
  local left = redis.call('PTTL', ARGV[5] .. id)
  if left > 0 then redis.call('ZADD', KEYS[2], now + left, id) else redis.call('ZREM', KEYS[2], id) end
  return left
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 100)) do lookAt(id) end
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[4]) then
  local oldest, least = nil, math.huge
  for _, id in ipairs(redis.call('ZRANGE', KEYS[2], 0, ${MAX_LOOKED_AT - 1})) do
    local left = lookAt(id)
    if left < least then oldest, least = id, left end
  end
  redis.call('DEL', ARGV[5] .. oldest)
  redis.call('ZREM', KEYS[2], oldest)
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
redis.call('ZADD', KEYS[2], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[2], math.max(${LIST_KEPT_MS}, ARGV[3]))
`

export class RedisSessions implements SessionStore {
  readonly backend: RedisClient
  readonly maxSessions: number
  readonly #listKey: string
  #ttlMs: number

  constructor(redis: RedisClient, { ttlMs, maxSessions = MAX_SHARED_SESSIONS }: SessionBounds = {}) {
    redis.define('toolrackOpenSession', 2, OPEN)
    this.backend = redis
    this.maxSessions = maxSessions
    this.#listKey = redis.key('sessions')
    this.#ttlMs = ttlMs ?? 0
    redis.onStart(({ sessionTtlMs }) => void (this.#ttlMs = ttlMs ?? sessionTtlMs))
  }

  async open({ id = createSessionId(), ...opening }: NewSession): Promise<Session> {
    const session: Session = { id, ...opening, logLevel: undefined, subscriptions: undefined }
    const args = [id, toRecord(toSessionRecord(session)), this.#ttlMs, this.maxSessions, this.#getKey('')]
    await this.backend.script('toolrackOpenSession', [this.#getKey(id), this.#listKey], args)
    return session
  }

  async find(id: string): Promise<Session | undefined> {
    if (!ID.test(id)) return undefined
    const reading = this.backend.run(client => client.getex(this.#getKey(id), 'PX', this.#ttlMs))
    return parseSessionRecord(id, parseRecord(await ignoreWrongType(reading)))
  }

  async peek(id: string): Promise<Session | undefined> {
    const reading = this.backend.run(client => client.get(this.#getKey(id)))
    return parseSessionRecord(id, parseRecord(await ignoreWrongType(reading)))
  }

  async has(id: string): Promise<boolean> {
    return (await this.backend.run(client => client.exists(this.#getKey(id)))) === 1
  }

  // XX: a session that was ended meanwhile stays ended.
  async save(session: Session): Promise<void> {
    const record = toRecord(toSessionRecord(session))
    await this.backend.run(client => client.set(this.#getKey(session.id), record, 'PX', this.#ttlMs, 'XX'))
  }

  async end(id: string): Promise<void> {
    await this.backend.run(client => Promise.all([client.del(this.#getKey(id)), client.zrem(this.#listKey, id)]))
  }

  count(): Promise<number> {
    return this.backend.run(client => client.zcard(this.#listKey))
  }

  // Without `onExpired`: Redis expires sessions by itself, and a replica with work for one checks it.

  #getKey(id: string): string {
    return this.backend.key('session', id)
  }
}
