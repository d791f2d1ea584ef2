// List versions shared by replicas: counters that only grow. A change is published on one channel,
// and each replica compares the counters every 2 s.
import { randomUUID } from 'node:crypto'
import {
  type ListName,
  type ListVersions,
  MAX_VERSION,
  parseListVersions,
  type RemoteChange,
  type SharedVersions,
} from 'toolrack/stores'
import type { RedisClient } from './client.ts'
import type { RedisPubSub } from './pubsub.ts'
import { WHOLE_NUMBER } from './record.ts'

/** Interval at which the counters are compared, for a replica that missed a message, ms. */
const COMPARE_MS = 2000
const TOPIC = 'changes'
const LISTS = ['tools', 'prompts', 'resources'] as const satisfies readonly ListName[]

// Raises the counters to what this replica knows, since Redis may have lost them. A damaged counter
// counts as 0: not a whole number, above the maximum, or in a key of another type. Then adds the
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

const NONE: ListVersions = Object.freeze({ tools: 0, prompts: 0, resources: 0 })

export class RedisVersions implements SharedVersions {
  readonly backend: RedisClient
  readonly #pubsub: RedisPubSub
  readonly #me = randomUUID()
  /** Own changes that Redis has not counted yet. */
  #untold: Record<ListName, number> = { ...NONE }
  #comparing: NodeJS.Timeout | undefined
  #getKnown = (): ListVersions => NONE
  #listen: (change: RemoteChange) => void = () => {}

  constructor(redis: RedisClient, pubsub: RedisPubSub) {
    redis.define('toolrackCount', 1, COUNT)
    redis.onClose(() => clearInterval(this.#comparing))
    this.backend = redis
    this.#pubsub = pubsub
  }

  publishListChange(list: ListName): void {
    this.#untold[list]++
    void this.#compare()
  }

  publishResourceUpdate(uri: string): void {
    this.#pubsub.publish(TOPIC, { from: this.#me, uri })
  }

  subscribe(getKnown: () => ListVersions, listener: (change: RemoteChange) => void): void {
    this.#getKnown = getKnown
    this.#listen = listener
    const compare = () => void this.#compare()
    this.#pubsub.subscribe(TOPIC, message => this.#receive(message))
    this.#pubsub.onResubscribed(compare)
    this.backend.onRecovered(compare)
    this.#comparing = setInterval(compare, COMPARE_MS).unref()
    compare()
  }

  #receive(message: unknown): void {
    const { from, uri } = (message ?? {}) as { from?: unknown; uri?: unknown }
    if (typeof uri !== 'string') void this.#compare()
    // This replica has already notified its own clients.
    else if (from !== this.#me) this.#listen({ kind: 'updated', uri })
  }

  async #compare(): Promise<void> {
    const added = this.#untold
    const known = this.#getKnown()
    this.#untold = { ...NONE }
    try {
      // The known versions include own changes, which the counters in Redis do not have yet.
      const args = [...LISTS.map(list => known[list] - added[list]), ...LISTS.map(list => added[list])]
      const counters = await this.backend.script('toolrackCount', [this.backend.key('versions')], args)
      if (LISTS.some(list => added[list] > 0)) this.#pubsub.publish(TOPIC, {})
      this.#listen({ kind: 'versions', versions: readVersions(counters) })
    } catch {
      // Counted when Redis answers again.
      for (const list of LISTS) this.#untold[list] += added[list]
    }
  }
}

function readVersions(counters: unknown): ListVersions {
  const [tools, prompts, resources] = counters as unknown[]
  return parseListVersions({ tools, prompts, resources })
}
