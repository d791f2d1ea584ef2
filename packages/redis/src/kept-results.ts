// Kept results of all replicas: a record for each id, and lists of all ids and of each client's ids.
import { randomUUID } from 'node:crypto'
import {
  CLAIM_MS,
  type Claim,
  type ClaimedRun,
  type ClaimRequest,
  KEPT_BOUNDS,
  KEPT_MS,
  type KeptResults,
} from 'toolrack/stores'
import type { RedisClient } from './client.ts'

// KEYS: ids by the time of their end; shares; ids that run, by the end of their claim; the prefixes
// of records and of a client's ids by the time of their end, which is infinite while they run. The
// hash of shares has `bytes:client` of each id, the bytes of each client, and under '#' those of all.
// ARGV: id, token.
const COMMON = `
local ids, shares, running, records, clients = unpack(KEYS)
local id, token = ARGV[1], ARGV[2]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function recordOf(id) return records .. ':' .. id end
local function idsOf(client) return clients .. ':' .. client end
local function isMine() return redis.call('HGET', recordOf(id), 'token') == token end
local function oldest(ended) return redis.call('ZRANGE', ended, '-inf', '(+inf', 'BYSCORE', 'LIMIT', 0, 1)[1] end

local function shareOf(id)
  local bytes, client = string.match(redis.call('HGET', shares, id) or '', '^(%d+):(.*)$')
  return client, bytes
end

local function count(name, bytes)
  if redis.call('HINCRBY', shares, name, bytes) == 0 then redis.call('HDEL', shares, name) end
end

local function setShare(id, client, bytes)
  redis.call('HSET', shares, id, bytes .. ':' .. client)
  count(client, bytes)
  count('#', bytes)
end

-- A list lives longer than what it lists.
local function setEnd(id, client, endMs)
  for _, list in ipairs({ ids, idsOf(client) }) do redis.call('ZADD', list, endMs, id) end
  for _, list in ipairs({ ids, idsOf(client), shares, running }) do redis.call('PEXPIRE', list, ${2 * KEPT_MS}) end
  redis.call('PEXPIRE', recordOf(id), ${KEPT_MS})
end

local function setRunning(id, client)
  redis.call('ZADD', running, now + ${CLAIM_MS}, id)
  setEnd(id, client, '+inf')
end

local function setOver(id, client)
  redis.call('ZREM', running, id)
  setEnd(id, client, now)
end

local function forget(id)
  local client, bytes = shareOf(id)
  if client then
    redis.call('HDEL', shares, id)
    count(client, 0 - bytes) -- not -bytes, since Redis refuses -0
    count('#', 0 - bytes)
    redis.call('ZREM', idsOf(client), id)
  end
  redis.call('ZREM', ids, id)
  redis.call('ZREM', running, id)
  redis.call('DEL', recordOf(id))
end
`

// ARGV: id, token, fingerprint, client, '1' if a lost run does no harm, the task that claims or ''.
const CLAIM = `${COMMON}
local fingerprint, client, isRepeatable, task = ARGV[3], ARGV[4], ARGV[5] == '1', ARGV[6]

for _, lost in ipairs(redis.call('ZRANGE', running, '-inf', now, 'BYSCORE', 'LIMIT', 0, 100)) do
  local client = shareOf(lost)
  if client then setOver(lost, client) else forget(lost) end
end
for _, old in ipairs(redis.call('ZRANGE', ids, '-inf', now - ${KEPT_MS}, 'BYSCORE', 'LIMIT', 0, 100)) do forget(old) end

local first, outcome, holder = unpack(redis.call('HMGET', recordOf(id), 'fingerprint', 'outcome', 'task'))
if outcome then return { 'ended', first, outcome } end
local mayTakeOver = isRepeatable and task ~= '' and holder == task and first == fingerprint
if first and not mayTakeOver then
  if tonumber(redis.call('ZSCORE', running, id) or '0') > now then return { 'running', first } end
  if not isRepeatable or first ~= fingerprint then return { 'lost', first } end
end
forget(id)

local function makeRoom(ended, max)
  if redis.call('ZCARD', ended) < max then return true end
  local id = oldest(ended)
  if id then forget(id) end
  return id
end
if not makeRoom(idsOf(client), ${KEPT_BOUNDS.maxCountOfClient}) then return { 'full' } end
if not makeRoom(ids, ${KEPT_BOUNDS.maxCount}) then return { 'full' } end
redis.call('HSET', recordOf(id), 'fingerprint', fingerprint, 'token', token, 'task', task)
setShare(id, client, 0)
setRunning(id, client)
return { 'claimed' }
`

const RENEW = `${COMMON}
if isMine() then setRunning(id, shareOf(id)) end
`

// ARGV: id, token, outcome.
const KEEP = `${COMMON}
if not isMine() then return end
local client, outcome = shareOf(id), ARGV[3]
redis.call('HSET', recordOf(id), 'outcome', outcome)
redis.call('HDEL', recordOf(id), 'token')
setShare(id, client, #outcome)
setOver(id, client)

local function trim(ended, name, max)
  local id = oldest(ended)
  while id and tonumber(redis.call('HGET', shares, name) or '0') > max do
    forget(id)
    id = oldest(ended)
  end
end
trim(idsOf(client), client, ${KEPT_BOUNDS.maxBytesOfClient})
trim(ids, '#', ${KEPT_BOUNDS.maxBytes})
`

const RELEASE = `${COMMON}
if isMine() then forget(id) end
`

const SCRIPTS = { Claim: CLAIM, Renew: RENEW, Keep: KEEP, Release: RELEASE }

export class RedisKeptResults implements KeptResults {
  readonly backend: RedisClient
  readonly #keys: readonly string[]

  constructor(redis: RedisClient) {
    for (const [name, lua] of Object.entries(SCRIPTS)) redis.define(`toolrackKept${name}`, 5, lua)
    this.backend = redis
    const names = ['kept', 'kept-shares', 'kept-running', 'kept-result', 'kept-of']
    this.#keys = names.map(name => redis.key(name))
  }

  async claim(id: string, { clientKey, fingerprint, isRepeatable, taskId = '' }: ClaimRequest): Promise<Claim> {
    const run = { id, token: randomUUID() }
    const reply = await this.#script('Claim', run, [fingerprint, clientKey, isRepeatable ? '1' : '', taskId])
    const [status, first = '', outcome = ''] = reply as [Claim['status'], string?, string?]
    if (status === 'claimed') return { status, run }
    if (status === 'full') return { status }
    return status === 'ended' ? { status, fingerprint: first, outcome } : { status, fingerprint: first }
  }

  async renew(run: ClaimedRun): Promise<void> {
    await this.#script('Renew', run)
  }

  async keep(run: ClaimedRun, outcome: string): Promise<void> {
    await this.#script('Keep', run, [outcome])
  }

  async release(run: ClaimedRun): Promise<void> {
    await this.#script('Release', run)
  }

  #script(name: string, { id, token }: ClaimedRun, args: readonly string[] = []): Promise<unknown> {
    return this.backend.script(`toolrackKept${name}`, this.#keys, [id, token, ...args])
  }
}
