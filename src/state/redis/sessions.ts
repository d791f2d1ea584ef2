// Sessions for all replicas: one key each, whose life begins anew with each use.
import { randomBytes } from 'node:crypto'
import { isObject, type JsonObject } from '../../protocol/messages.ts'
import { revisionOf } from '../../protocol/revisions/index.ts'
import type { Session } from '../../session.ts'
import { readListVersions } from '../list-versions.ts'
import type { Sessions } from '../sessions.ts'
import { readable, unwrap, wrap } from './envelope.ts'
import type { RedisLink } from './link.ts'

const ID_BYTES = 24
/** What an id looks like; nothing else is looked up. */
const ID = /^[\w-]{32}$/

/** Of all replicas; past it the one unused for longest goes, as far as is known. */
export const MAX_SHARED_SESSIONS = 500_000

/** Those looked at for the one that has to go. */
const MAX_LOOKED_AT = 16
/** The list of them outlives one that is found again and again while no other is opened, ms. */
const LIST_KEPT_MS = 24 * 60 * 60 * 1000

// Opens a session, where there is no room in the place of another. The list says when each will end, as it was known when
// it was last looked at; a use is not noted there, so that it costs nothing.
// KEYS: the session, the list. ARGV: id, record, idle life in ms, most sessions, how keys of sessions begin.
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

export interface SharedSessionBounds {
  /** Idle life, ms. */
  readonly ttlMs: number
  readonly maxSessions?: number
}

export function redisSessions(
  link: RedisLink,
  { ttlMs, maxSessions = MAX_SHARED_SESSIONS }: SharedSessionBounds,
): Sessions {
  link.define('toolrackOpenSession', 2, OPEN)
  const keyOf = (id: string) => link.key('session', id)
  const listKey = link.key('sessions')

  return {
    async open({ id = randomBytes(ID_BYTES).toString('base64url'), ...opening }) {
      const session: Session = { id, ...opening, logLevel: undefined, subscriptions: undefined }
      const args = [id, wrap(recordOf(session)), ttlMs, maxSessions, keyOf('')]
      await link.script('toolrackOpenSession', [keyOf(id), listKey], args)
      return session
    },
    async find(id) {
      if (!ID.test(id)) return undefined
      return sessionOf(id, unwrap(await readable(link.run(client => client.getex(keyOf(id), 'PX', ttlMs)))))
    },
    async peek(id) {
      return sessionOf(id, unwrap(await readable(link.run(client => client.get(keyOf(id))))))
    },
    async has(id) {
      return (await link.run(client => client.exists(keyOf(id)))) === 1
    },
    // Only where it still is: one that was ended meanwhile stays ended.
    async save(session) {
      await link.run(client => client.set(keyOf(session.id), wrap(recordOf(session)), 'PX', ttlMs, 'XX'))
    },
    async end(id) {
      await link.run(client => Promise.all([client.del(keyOf(id)), client.zrem(listKey, id)]))
    },
    // Redis lets them expire by itself; who has one at work looks from time to time.
    onExpired() {},
    spare() {},
    close() {},
  }
}

const recordOf = ({ revision, owner, capabilities, logLevel, subscriptions, seen }: Session): JsonObject => ({
  version: revision.version,
  owner,
  capabilities,
  logLevel,
  subscriptions: subscriptions && [...subscriptions.keys()],
  seen,
})

function sessionOf(id: string, record: JsonObject | undefined): Session | undefined {
  const revision = revisionOf(String(record?.['version']))
  if (record === undefined || revision === undefined) return undefined
  const { owner, capabilities, logLevel, subscriptions, seen } = record
  if (!isText(owner) || !isText(logLevel) || !isObject(capabilities) || !isObject(seen)) return undefined
  if (subscriptions !== undefined && !Array.isArray(subscriptions)) return undefined
  return {
    id,
    revision,
    owner,
    capabilities: capabilities as Session['capabilities'],
    logLevel: logLevel as Session['logLevel'],
    subscriptions: subscriptions && new Map(subscriptions.map(uri => [String(uri), false])),
    seen: readListVersions(seen),
  }
}

const isText = (value: unknown): value is string | undefined => value === undefined || typeof value === 'string'
