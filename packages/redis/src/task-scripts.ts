// The Lua scripts of the task store; each runs atomically. They share four keys: the task, all
// tasks by expiry, the size and client of each task, and the usage per client and in total.
import { WHOLE_NUMBER } from './record.ts'

/** Maximum number of expired tasks that one command removes. */
export const SWEPT_AT_ONCE = 1000

// Usage is a running count, not summed up again for each task. A damaged count is treated as
// missing, and no count falls below 0.
const COMMON = `${WHOLE_NUMBER}
local task, ends, holds, usage = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
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
-- Whether so much more of a client's own fits into its share of the free room.
local function fits(held, growth, most, share)
  local free = tonumber(most) - used('size')
  return growth <= free and held + growth <= tonumber(share) * free
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

// Checks the room for a new task, as `assertTaskFits` does.
// ARGV: channel, id, client, size, the four bounds, maximum share of the free room.
// Returns 0 if there is room; 1 (number) or 3 (size): the client's bound; 2: the bound of all.
export const MAY_CREATE = `${COMMON}
local client, size, share = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[9])
local now = sweep(ARGV[1])
local tasks, held = used('tasks ' .. client), used('size ' .. client)
if tasks >= tonumber(ARGV[5]) then return 1 end
if held + size > tonumber(ARGV[6]) then return 3 end
local free = tonumber(ARGV[7]) - redis.call('ZCARD', ends)
if free < 1 then return 2 end
if tasks > 0 and tasks + 1 > share * free then return 1 end
if not fits(held, size, ARGV[8], share) then return tasks > 0 and 3 or 2 end
`

// Stores a new task. A fifth key: the ordered list of its owner's tasks.
// ARGV: as above, then version, JSON, TTL in ms, member of the owner's list or ''.
export const CREATE = `${MAY_CREATE}
local id, ttl = ARGV[2], tonumber(ARGV[12])
redis.call('HSET', task, 'version', ARGV[10], 'json', ARGV[11])
redis.call('PEXPIRE', task, ttl)
redis.call('ZADD', ends, now + ttl, id)
redis.call('HSET', holds, id, ARGV[4] .. ' ' .. client)
count(client, 1, size)
if ARGV[13] ~= '' then redis.call('ZADD', KEYS[5], 0, ARGV[13]) end
for at = 2, 5 do
  if redis.call('PTTL', KEYS[at]) < ttl then redis.call('PEXPIRE', KEYS[at], ttl) end
end
return 0
`

// Applies a step, unless the task has changed since it was read, or would hold too many bytes.
// ARGV: channel, id, client, size, version, JSON, version that was read, the two bounds of size,
// reduction of the TTL in ms, notification or '', maximum share of the free room, growth that is
// always allowed.
export const CHANGE = `${COMMON}
local id, client, size = ARGV[2], ARGV[3], tonumber(ARGV[4])
if redis.call('EXISTS', task) == 0 then return 'gone' end
if (redis.call('HGET', task, 'version') or '') ~= ARGV[7] then return 'conflict' end
local growth = size - held(id)
if growth > tonumber(ARGV[13]) then
  local holding = used('size ' .. client)
  if holding + growth > tonumber(ARGV[8]) or not fits(holding, growth, ARGV[9], ARGV[12]) then return 'too much' end
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

// Removes a task. A fifth key: the ordered list of its owner's tasks.
// ARGV: id, member of the owner's list, channel, notification.
export const REMOVE = `${COMMON}
if redis.call('DEL', task) == 0 then return end
forget(ARGV[1])
redis.call('ZREM', KEYS[5], ARGV[2])
redis.call('PUBLISH', ARGV[3], ARGV[4])
`

// Removes expired tasks and publishes their ids. ARGV: channel.
export const SWEEP = `${COMMON}
sweep(ARGV[1])
`
