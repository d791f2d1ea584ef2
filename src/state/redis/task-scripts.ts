// Steps of the store of tasks that are taken as a whole, or not at all. All of them know the same four keys:
// the task, all tasks by their end, what each of them holds and for whom, and what is held by each client and by all.
import { ALWAYS_ADDED } from '../memory/tasks.ts'

/** Tasks whose time has passed that are forgotten at once. */
export const SWEPT_AT_ONCE = 1000

// What a client holds is counted, and not summed up again with each task. A count that is damaged is as if it were not
// there, and none falls below nothing.
const COMMON = `
local task, ends, holds, usage = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local function whole(text)
  local number = tonumber(text)
  if number and number >= 0 and number <= ${Number.MAX_SAFE_INTEGER} and number % 1 == 0 then return number end
end
local function used(field)
  return whole(redis.call('HGET', usage, field)) or 0
end
local function add(field, change)
  local sum = math.max(0, used(field) + change)
  redis.call('HSET', usage, field, string.format('%.0f', sum))
  return sum
end
local function count(client, tasks, size)
  add('size', size)
  add('size ' .. client, size)
  if add('tasks ' .. client, tasks) <= 0 then redis.call('HDEL', usage, 'tasks ' .. client, 'size ' .. client) end
end
local function held(id)
  local size, client = string.match(redis.call('HGET', holds, id) or '', '^(%d+) (.+)$')
  return whole(size) or 0, client
end
local function forget(id)
  redis.call('ZREM', ends, id)
  local size, client = held(id)
  if redis.call('HDEL', holds, id) == 1 and client then count(client, -1, -size) end
end
local function sweep(channel)
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  for _, gone in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', now, 'LIMIT', 0, ${SWEPT_AT_ONCE})) do
    forget(gone)
    redis.call('PUBLISH', channel, cjson.encode({ gone, cjson.null }))
  end
  return now
end
`

// Keeps a new task. One key more: its owner's tasks in order.
// ARGV: channel, id, client, size, version, JSON, ms to live, the four bounds, place in the owner's list or ''.
// Answers 0, or why not.
export const CREATE = `${COMMON}
local id, client, size, ttl = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[7])
local now = sweep(ARGV[1])
if used('tasks ' .. client) >= tonumber(ARGV[8]) or used('size ' .. client) >= tonumber(ARGV[9]) then return 1 end
if redis.call('ZCARD', ends) >= tonumber(ARGV[10]) or used('size') >= tonumber(ARGV[11]) then return 2 end
redis.call('HSET', task, 'version', ARGV[5], 'json', ARGV[6])
redis.call('PEXPIRE', task, ttl)
redis.call('ZADD', ends, now + ttl, id)
redis.call('HSET', holds, id, size .. ' ' .. client)
count(client, 1, size)
if ARGV[12] ~= '' then redis.call('ZADD', KEYS[5], 0, ARGV[12]) end
for at = 2, 5 do
  if redis.call('PTTL', KEYS[at]) < ttl then redis.call('PEXPIRE', KEYS[at], ttl) end
end
return 0
`

// Takes a step, unless another was taken since the task was read, or too much would be held then.
// ARGV: channel, id, client, size, version, JSON, version as it was read, bounds of the sizes, ms less to live, news or ''.
export const CHANGE = `${COMMON}
local id, client, size = ARGV[2], ARGV[3], tonumber(ARGV[4])
if redis.call('EXISTS', task) == 0 then return 'gone' end
if (redis.call('HGET', task, 'version') or '') ~= ARGV[7] then return 'conflict' end
local growth = size - held(id)
if growth > ${ALWAYS_ADDED} then
  local isTooMuch = used('size ' .. client) + growth > tonumber(ARGV[8]) or used('size') + growth > tonumber(ARGV[9])
  if isTooMuch then return 'too much' end
end
redis.call('HSET', task, 'version', ARGV[5], 'json', ARGV[6])
redis.call('HSET', holds, id, ARGV[4] .. ' ' .. client)
count(client, 0, growth)
local less = tonumber(ARGV[10])
if less > 0 then
  redis.call('PEXPIRE', task, math.max(1, redis.call('PTTL', task) - less))
  redis.call('ZINCRBY', ends, -less, id)
end
if ARGV[11] ~= '' then redis.call('PUBLISH', ARGV[1], ARGV[11]) end
return 'done'
`

// One key more: its owner's tasks in order. ARGV: id, place in the owner's list, channel, news.
export const REMOVE = `${COMMON}
if redis.call('DEL', task) == 0 then return end
forget(ARGV[1])
redis.call('ZREM', KEYS[5], ARGV[2])
redis.call('PUBLISH', ARGV[3], ARGV[4])
`

// Tells of those whose time has passed. ARGV: channel.
export const SWEEP = `${COMMON}
sweep(ARGV[1])
`
