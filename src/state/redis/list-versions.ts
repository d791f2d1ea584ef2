// How often each list has changed on any replica: counters that only grow, told over one channel and compared now and then.
import { randomUUID } from 'node:crypto'
import type { ListVersions } from '../../session.ts'
import {
  type ListName,
  MAX_VERSION,
  type RemoteChange,
  readListVersions,
  type SharedVersions,
} from '../list-versions.ts'
import type { RedisBus } from './bus.ts'
import type { RedisLink } from './link.ts'
import { WHOLE_NUMBER } from './whole-number.ts'

/** How often they are compared, for who missed what was said. */
const COMPARE_MS = 2000
const TOPIC = 'changes'
const LISTS = ['tools', 'prompts', 'resources'] as const satisfies readonly ListName[]

// Raises the counters to what a replica knows, since Redis may have lost its own, or they may be damaged: no whole numbers,
// larger than any is, or something else than a hash. Then adds what has changed there.
// ARGV: what it knows of each list, and what it adds to each.
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

export function redisVersions(link: RedisLink, bus: RedisBus): SharedVersions & { close(): void } {
  link.define('toolrackCount', 1, COUNT)
  const key = link.key('versions')
  const me = randomUUID()
  const untold = { tools: 0, prompts: 0, resources: 0 }
  let comparing: NodeJS.Timeout | undefined
  let known = (): ListVersions => ({ tools: 0, prompts: 0, resources: 0 })
  let listen: (change: RemoteChange) => void = () => {}

  async function compare(): Promise<void> {
    const added = { ...untold }
    // What is known here counts what was added, which the others have not seen.
    const before = LISTS.map(list => known()[list] - added[list])
    for (const list of LISTS) untold[list] = 0
    try {
      const counters = await link.script('toolrackCount', [key], [...before, ...LISTS.map(list => added[list])])
      if (LISTS.some(list => added[list] > 0)) bus.say(TOPIC, {})
      listen({ kind: 'versions', versions: readVersions(counters) })
    } catch {
      // It is told when Redis answers again.
      for (const list of LISTS) untold[list] += added[list]
    }
  }

  return {
    changed(list) {
      untold[list]++
      void compare()
    },
    updated: uri => bus.say(TOPIC, { from: me, uri }),
    follow(versions, listener) {
      known = versions
      listen = listener
      bus.on(TOPIC, message => {
        const { from, uri } = (message ?? {}) as { from?: unknown; uri?: unknown }
        if (typeof uri !== 'string') return void compare()
        // Here it was told when it was said.
        if (from !== me) listener({ kind: 'updated', uri })
      })
      bus.onMissed(() => void compare())
      link.onReturn(() => void compare())
      comparing = setInterval(() => void compare(), COMPARE_MS).unref()
      void compare()
    },
    close: () => clearInterval(comparing),
  }
}

function readVersions(counters: unknown): ListVersions {
  const [tools, prompts, resources] = counters as unknown[]
  return readListVersions({ tools, prompts, resources })
}
