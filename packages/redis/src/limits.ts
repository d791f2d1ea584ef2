// The rate limiter of all replicas: a sliding window in slices as in memory, in one round trip.
// While Redis does not answer, each replica counts for itself, so that no client is unlimited.
import { type LimitDecision, type LimitRule, type Limits, MemoryLimits } from 'toolrack/stores'
import type { RedisClient } from './client.ts'
import { type Granted, LimitBatch, type Wanted } from './limit-batch.ts'
import { hashIdentity } from './record.ts'

const SLICES = 10

// Uses the clock of Redis, since the clocks of replicas differ. A hash holds, for each slice, the
// number of uses (field: the slice's number) and the time of the latest use (field: `t` and the
// number): a slice expires one window after its latest use. Expired and damaged fields are removed;
// a count is a whole number that a double can hold. A time in the future counts as now, because
// the clock was set back.
// ARGV: for each key its limit, its window, and the number of uses wanted.
// Returns for each key how many uses pass, and the milliseconds until one more may (0: now).
const COUNT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local byte, sub = string.byte, string.sub
local function count(key, max, window, uses)
  local slice = math.floor(now * ${SLICES} / window)
  local counts, latest, times, sum, isMoved = {}, {}, 0, 0, false
  local kept = redis.call('HGETALL', key)
  for at = 1, #kept, 2 do
    local field, number = kept[at], tonumber(kept[at + 1])
    local isTime = byte(field) == ${'t'.charCodeAt(0)}
    local of = tonumber(isTime and sub(field, 2) or field)
    local into = isTime and latest or counts
    local isWhole = of and number and of % 1 == 0 and number % 1 == 0 and number > 0
    if isWhole and number <= ${Number.MAX_SAFE_INTEGER} and math.abs(of - slice) <= ${SLICES} + 1 and not into[of] then
      into[of] = number
      if isTime then times = times + 1 end
    else
      redis.call('HDEL', key, field)
    end
  end
  for of, number in pairs(counts) do
    local at = latest[of]
    if at then times = times - 1 else at = math.ceil((of + 1) * window / ${SLICES}) end
    if at + window <= now or at > now + window then
      redis.call('HDEL', key, of, 't' .. of)
      counts[of] = nil
    else
      sum = sum + number
      if of > slice or at > now then isMoved = true end
      latest[of] = at
    end
  end
  if times > 0 then
    for of in pairs(latest) do if not counts[of] then redis.call('HDEL', key, 't' .. of) end end
  end
  if isMoved then
    local moved = 0
    for of, number in pairs(counts) do
      if of >= slice or latest[of] > now then
        moved = moved + number
        redis.call('HDEL', key, of, 't' .. of)
        counts[of] = nil
      end
    end
    counts[slice], latest[slice] = moved, now
  end
  local passing = math.max(0, math.min(uses, max - sum))
  if passing > 0 then
    counts[slice], latest[slice] = (counts[slice] or 0) + passing, now
    sum = sum + passing
  end
  if passing > 0 or isMoved then
    redis.call('HSET', key, slice, string.format('%.0f', counts[slice]), 't' .. slice, now)
    redis.call('PEXPIRE', key, math.ceil(window * 1.2))
  end
  if passing < uses or (uses == 0 and sum >= max) then
    local out, last = slice - ${SLICES} - 1, now
    while sum >= max and out <= slice do
      if counts[out] then
        sum = sum - counts[out]
        last = latest[out]
      end
      out = out + 1
    end
    return passing, math.max(1, math.min(window, math.ceil(last + window - now)))
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

export class RedisLimits implements Limits {
  readonly backend: RedisClient
  readonly #name: string
  readonly #local = new MemoryLimits()
  readonly #batch: LimitBatch

  /** @param name distinguishes limiters that share a Redis */
  constructor(redis: RedisClient, name: string) {
    redis.define('toolrackLimit', 'any', COUNT)
    this.backend = redis
    this.#name = name
    this.#batch = new LimitBatch({ count: wanted => this.#count(wanted), isUp: () => redis.isUp, local: this.#local })
  }

  take(key: string, rule: LimitRule): LimitDecision | Promise<LimitDecision> {
    return this.backend.isUp ? this.#batch.check(key, rule, true) : this.#local.take(key, rule)
  }

  peek(key: string, rule: LimitRule): LimitDecision | Promise<LimitDecision> {
    return this.backend.isUp ? this.#batch.check(key, rule, false) : this.#local.peek(key, rule)
  }

  async #count(wanted: readonly Wanted[]): Promise<Granted[]> {
    const args = wanted.flatMap(({ rule, uses }) => [rule.max, rule.windowMs, uses])
    const keys = wanted.map(each => this.#getKey(each))
    const answer = (await this.backend.script('toolrackLimit', keys, args)) as number[]
    return wanted.map((_, index) => [answer[index * 2]!, answer[index * 2 + 1]!])
  }

  // The key is hashed, so that key names do not reveal the client.
  #getKey({ key, rule }: Wanted): string {
    return this.backend.key('limit', this.#name, String(rule.windowMs), hashIdentity(key))
  }
}
