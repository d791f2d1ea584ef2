// List versions shared by replicas: counters that only grow. A change is published on one channel,
// and each replica compares the counters every 2 s.
import { randomUUID } from 'node:crypto'
import {
  type ListName,
  MAX_VERSION,
  parseListVersions,
  type RemoteChange,
  type SharedVersions,
} from '../list-versions.ts'
import type { ListVersions } from '../sessions.ts'
import type { RedisClient } from './client.ts'
import type { RedisPubSub } from './pubsub.ts'
import { WHOLE_NUMBER } from './record.ts'

/** Interval at which the counters are compared, for a replica that missed a message, ms. */
const COMPARE_MS = 2000
const TOPIC = 'changes'
const LISTS = ['tools', 'prompts', 'resources'] as const satisfies readonly ListName[]

// Raises the counters to what this replica knows, since Redis may have lost them. A damaged counter
// counts as 0: not a whole number, above the maximum, or in a key that is no hash. Then adds the
// changes of this replica.
// ARGV: what the replica knows of each list, and what it adds to each.
const COUNT = `${WHOLE_NUMBER}
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then redis.call('DEL', KEYS[1]) end
local lists = { 'tools', 'prompts', 'resources' }
local counters = {}
for at, list in ipairs(lists) do
  local before = whole(redis.call('HGET', KEYS[1], list))
  if before and before > ${MAX_VERSION} then before = nil end
  local now = math.max(before or 0, tonumber(ARGV[at])) + tonumber(ARGV[at + 3])
  if now ~= before then redis.call('HSET', KEYS[1], list, string.format('%.0f', now)) end
  counters[at] = now
end
return counters
`

export function createRedisVersions(redis: RedisClient, pubsub: RedisPubSub): SharedVersions {
  redis.define('toolrackCount', 1, COUNT)
  const key = redis.key('versions')
  const me = randomUUID()
  const untold = { tools: 0, prompts: 0, resources: 0 }
  let comparing: NodeJS.Timeout | undefined
  let known = (): ListVersions => ({ tools: 0, prompts: 0, resources: 0 })
  let listen: (change: RemoteChange) => void = () => {}

  async function compare(): Promise<void> {
    const added = { ...untold }
    // The known versions include the own additions, which the counters in Redis do not have yet.
    const before = LISTS.map(list => known()[list] - added[list])
    for (const list of LISTS) untold[list] = 0
    try {
      const counters = await redis.script('toolrackCount', [key], [...before, ...LISTS.map(list => added[list])])
      if (LISTS.some(list => added[list] > 0)) pubsub.publish(TOPIC, {})
      listen({ kind: 'versions', versions: readVersions(counters) })
    } catch {
      // Added when Redis answers again.
      for (const list of LISTS) untold[list] += added[list]
    }
  }

  redis.onClose(() => clearInterval(comparing))
  return {
    backend: redis,
    publishListChange(list) {
      untold[list]++
      void compare()
    },
    publishResourceUpdate: uri => pubsub.publish(TOPIC, { from: me, uri }),
    subscribe(versions, listener) {
      known = versions
      listen = listener
      pubsub.subscribe(TOPIC, message => {
        const { from, uri } = (message ?? {}) as { from?: unknown; uri?: unknown }
        if (typeof uri !== 'string') return void compare()
        // This replica has already notified its own clients.
        if (from !== me) listener({ kind: 'updated', uri })
      })
      pubsub.onResubscribed(() => void compare())
      redis.onRecovered(() => void compare())
      comparing = setInterval(() => void compare(), COMPARE_MS).unref()
      void compare()
    },
  }
}

function readVersions(counters: unknown): ListVersions {
  const [tools, prompts, resources] = counters as unknown[]
  return parseListVersions({ tools, prompts, resources })
}
