// How often something may happen, counted for all replicas: a sliding window in slices, as in memory, in one round trip.
// While Redis does not answer each replica counts for itself, so that nobody is unlimited.
import type { LimitRule, Limits } from '../limits.ts'
import { memoryLimits } from '../memory/limits.ts'
import { hidden } from './hidden.ts'
import { type Granted, LimitBatch, type Wanted } from './limit-batch.ts'
import type { RedisLink } from './link.ts'

const SLICES = 10

// By the clock of Redis, since those of replicas differ. Uses are counted by slice; what has slid out, or is none, is removed.
// ARGV: of each key the most, the window, and the uses that are wanted. Answers of each key how many of them pass, and 0
// or the milliseconds until one more may.
const COUNT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function count(key, max, window, uses)
  local slice = math.floor(now * ${SLICES} / window)
  local counts, sum = {}, 0
  local kept = redis.call('HGETALL', key)
  for at = 1, #kept, 2 do
    local of, count = tonumber(kept[at]), tonumber(kept[at + 1])
    if of and count and count > 0 and math.abs(of - slice) <= ${SLICES} then
      counts[of] = count
      sum = sum + count
    else
      redis.call('HDEL', key, kept[at])
    end
  end
  local passing = math.max(0, math.min(uses, max - sum))
  if passing > 0 then
    redis.call('HINCRBY', key, string.format('%.0f', slice), passing)
    redis.call('PEXPIRE', key, math.ceil(window * 1.2))
    counts[slice] = (counts[slice] or 0) + passing
    sum = sum + passing
  end
  if passing < uses or (uses == 0 and sum >= max) then
    local out = slice - ${SLICES}
    while sum >= max and out <= slice + ${SLICES} do
      sum = sum - (counts[out] or 0)
      out = out + 1
    end
    return passing, math.max(1, math.ceil((out + ${SLICES}) * window / ${SLICES} - now))
  end
  return passing, 0
end
local answer = {}
for at, key in ipairs(KEYS) do
  local passing, wait = count(key, tonumber(ARGV[at * 3 - 2]), tonumber(ARGV[at * 3 - 1]), tonumber(ARGV[at * 3]))
  answer[at * 2 - 1] = passing
  answer[at * 2] = wait
end
return answer
`

/** @param name tells the limiters apart that share a Redis */
export function redisLimits(link: RedisLink, name: string): Limits {
  const local = memoryLimits()
  link.define('toolrackLimit', 'any', COUNT)

  // Who it is, is nobody's business there.
  const keyOf = ({ key, rule }: Wanted) => link.key('limit', name, String(rule.windowMs), hidden(key))

  async function count(wanted: readonly Wanted[]): Promise<Granted[]> {
    const args = wanted.flatMap(({ rule, uses }) => [rule.max, rule.windowMs, uses])
    const answer = (await link.script('toolrackLimit', wanted.map(keyOf), args)) as number[]
    return wanted.map((_, index) => [answer[index * 2]!, answer[index * 2 + 1]!])
  }

  const batch = new LimitBatch({ count, isUp: () => link.isUp, local })
  const ask = (isUse: boolean) => (key: string, rule: LimitRule) => {
    if (link.isUp) return batch.ask(key, rule, isUse)
    return isUse ? local.take(key, rule) : local.peek(key, rule)
  }
  return { take: ask(true), peek: ask(false) }
}
