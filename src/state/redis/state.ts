// The state that replicas share: all Redis stores on one connection, the used tokens and the shared
// secret. Loaded only if REDIS_URL is set.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_FORMER_SECRETS } from '../../auth/seal.ts'
import type { Log } from '../../request/exchange.ts'
import type { State, StateBounds, StateStats, UsedTokens } from '../state.ts'
import { USAGE_BOUNDS } from '../tasks.ts'
import { RedisClient } from './client.ts'
import { createRedisEvents } from './events.ts'
import { createRedisFiles } from './files.ts'
import { createRedisKeptResults } from './kept-results.ts'
import { createRedisLimits } from './limits.ts'
import { createRedisVersions } from './list-versions.ts'
import { RedisPubSub } from './pubsub.ts'
import { createReplicaChannel } from './replicas.ts'
import { createRedisSessions, MAX_SHARED_SESSIONS } from './sessions.ts'
import { RedisTaskQueue } from './task-queue.ts'
import { RedisTasks } from './tasks.ts'

const BYTES = 32
const MIN_LENGTH = 32
const MAX_LENGTH = 1024
/** Interval at which each replica reads the secret, to see if Redis lost or replaced it, ms. */
const AGREE_MS = 2000
/** How long former secrets are kept for replicas that start, ms: longer than any `requestState`. */
const FORMER_KEPT_MS = 60 * 60 * 1000
const TOPIC = 'secret'

// Reads the secret. If there is none, or it is damaged, stores the secret of this replica. Adds a
// replaced secret to the former ones. KEYS: the secret, the former ones.
// ARGV: the secret of this replica, whether it has sealed anything with it, former ones it knows.
// Returns whether the other replicas need to be notified, the secret, and the former ones, latest
// first.
const AGREE = `
local secret, changed = redis.pcall('GET', KEYS[1]), 0
if type(secret) ~= 'string' or #secret < ${MIN_LENGTH} or #secret > ${MAX_LENGTH} then
  redis.call('SET', KEYS[1], ARGV[1])
  secret, changed = ARGV[1], 1
end
local former = redis.pcall('LRANGE', KEYS[2], 0, -1)
if former.err then
  redis.call('DEL', KEYS[2])
  former = {}
end
local known = { [secret] = true }
for _, each in ipairs(former) do known[each] = true end
if changed == 1 or secret ~= ARGV[1] and ARGV[2] == '1' and not known[ARGV[1]] then
  for at = #ARGV, 1, -1 do
    if at ~= 2 and not known[ARGV[at]] then
      redis.call('LPUSH', KEYS[2], ARGV[at])
      known[ARGV[at]] = true
      changed = 1
    end
  end
  redis.call('LTRIM', KEYS[2], 0, ${MAX_FORMER_SECRETS - 1})
  redis.call('PEXPIRE', KEYS[2], ${FORMER_KEPT_MS})
end
return { changed, secret, unpack(redis.call('LRANGE', KEYS[2], 0, ${MAX_FORMER_SECRETS - 1})) }
`

export type SecretListener = (secret: string, former: readonly string[]) => void

/**
 * The secret that seals `requestState` if the operator sets none. The first replica makes it. Redis
 * may lose it, or a replica that starts then may store another: all replicas adopt the one in Redis
 * and share the former ones, so that what was sealed before still opens everywhere.
 */
export class SharedSecret {
  readonly #redis: RedisClient
  readonly #pubsub: RedisPubSub
  /** The secret that this replica proposes if Redis has none. */
  #secret = randomBytes(BYTES).toString('base64url')
  #former: readonly string[] = []
  #isKnown = false
  #listener: SecretListener = () => {}
  #agreeing: NodeJS.Timeout | undefined

  constructor(redis: RedisClient, pubsub: RedisPubSub) {
    this.#redis = redis
    this.#pubsub = pubsub
    redis.define('toolrackAgree', 2, AGREE)
  }

  /** Reads the secret. Resolves also if Redis does not answer. */
  async agree(): Promise<void> {
    const keys = [this.#redis.key('state-secret'), this.#redis.key('state-secrets-former')]
    try {
      const args = [this.#secret, this.#isKnown ? 1 : 0, ...this.#former]
      const [changed, secret, ...former] = (await this.#redis.script('toolrackAgree', keys, args)) as [
        number,
        ...string[],
      ]
      if (changed === 1) this.#pubsub.publish(TOPIC, {})
      this.#adopt(secret!, former.filter(isSecret))
    } catch {
      // Read again when Redis answers.
    }
  }

  /** Calls `listener` once the secret is known, and again when it or the former ones change. */
  follow(listener: SecretListener): void {
    this.#listener = listener
    this.#pubsub.subscribe(TOPIC, () => void this.agree())
    this.#redis.onRecovered(() => void this.agree())
    this.#agreeing = setInterval(() => void this.agree(), AGREE_MS).unref()
    if (this.#isKnown) listener(this.#secret, this.#former)
    else if (this.#redis.isUp) void this.agree()
  }

  close(): void {
    clearInterval(this.#agreeing)
  }

  #adopt(secret: string, received: readonly string[]): void {
    const own = this.#isKnown ? [this.#secret, ...this.#former] : []
    const former = [...new Set([...received, ...own])].filter(each => each !== secret).slice(0, MAX_FORMER_SECRETS)
    const isChanged = !this.#isKnown || secret !== this.#secret || former.some(each => !this.#former.includes(each))
    this.#secret = secret
    this.#former = former
    this.#isKnown = true
    if (isChanged) this.#listener(secret, former)
  }
}

const isSecret = (text: string) => text.length >= MIN_LENGTH && text.length <= MAX_LENGTH

/** Remembers used tokens for all replicas. */
export function createRedisUsedTokens(redis: RedisClient): UsedTokens {
  return {
    async consumeOnce(id, expiresAtMs) {
      const ttlMs = Math.max(1, Math.ceil(expiresAtMs - Date.now()))
      return (await redis.run(client => client.set(redis.key('spent', id), '1', 'PX', ttlMs, 'NX'))) === 'OK'
    },
    async release(id) {
      await redis.run(client => client.del(redis.key('spent', id)))
    },
  }
}

/** How long a start waits for Redis before it continues without, ms; Redis may answer later. */
const START_MS = 2000
/** Timeout of the queue's count, ms: a long queue takes time, and the caller has a deadline. */
const STATS_TIMEOUT_MS = 2000

export interface RedisStateOptions extends StateBounds {
  readonly url: string
  readonly prefix: string
  readonly log: Log
  /** True if the operator sets no secret, and replicas use the one in Redis. */
  readonly sharesSecret?: boolean
  /** Timeout of one command, ms. */
  readonly answerMs?: number
}

export async function createRedisState({
  url,
  prefix,
  log,
  sharesSecret = false,
  sessionTtlMs,
  maxConcurrentCalls,
  answerMs,
}: RedisStateOptions): Promise<State> {
  const redis = new RedisClient({ url, prefix, log, answerMs })
  const pubsub = new RedisPubSub(redis, log)
  const taskQueue = new RedisTaskQueue(redis, { max: maxConcurrentCalls }, log)
  const tasks = new RedisTasks(redis, pubsub)
  const versions = createRedisVersions(redis, pubsub)
  const secret = new SharedSecret(redis, pubsub)
  // All scripts are defined before the first command waits: ioredis does not send a script with
  // commands that were waiting before it was defined.
  const stores = {
    sessions: createRedisSessions(redis, { ttlMs: sessionTtlMs }),
    events: createRedisEvents(redis, log),
    requestLimits: createRedisLimits(redis, 'requests'),
    toolLimits: createRedisLimits(redis, 'tools'),
    usedTokens: createRedisUsedTokens(redis),
    files: createRedisFiles(redis),
    keptResults: createRedisKeptResults(redis),
    replicas: createReplicaChannel(redis, pubsub),
  }
  if (!(await redis.ready(START_MS)))
    log.error({}, 'redis does not answer: requests that need shared state are refused')
  // Before anything is sealed with a secret that the other replicas do not know.
  else if (sharesSecret) await secret.agree()
  return {
    ...stores,
    tasks,
    taskQueue,
    versions,
    setCredentials: url => redis.setCredentials(url),
    onSharedSecret: listener => secret.follow(listener),
    bounds: { sessions: MAX_SHARED_SESSIONS, tasks: USAGE_BOUNDS.maxTasks },
    stats: () => collectStats(redis, taskQueue),
    degraded: () => (redis.isUp ? [] : ['redis: sessions and tasks are refused, limits are counted by each replica']),
    async close() {
      versions.close()
      secret.close()
      tasks.close()
      await taskQueue.close()
      pubsub.close()
      await redis.close()
    },
  }
}

const afterStatsTimeout = () => sleep(STATS_TIMEOUT_MS, undefined, { ref: false })

/** Counts what is kept; a count that fails now is left out. */
async function collectStats(redis: RedisClient, queue: RedisTaskQueue): Promise<StateStats> {
  const size = (list: string) => redis.run(client => client.zcard(redis.key(list)))
  // The connection of the queue waits for Redis without a timeout.
  const turnsNow = redis.isUp ? Promise.race([queue.countEntries(), afterStatsTimeout()]) : undefined
  const [sessions, tasks, turns] = await Promise.allSettled([size('sessions'), size('tasks'), turnsNow])
  return {
    ...(sessions.status === 'fulfilled' && { sessions: sessions.value }),
    tasks: tasks.status === 'fulfilled' ? { kept: tasks.value } : {},
    queue: turns.status === 'fulfilled' ? (turns.value ?? {}) : {},
  }
}
