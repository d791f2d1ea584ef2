// The state that replicas share. Loaded only where there is a REDIS_URL.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../exchange.ts'
import type { Census, State, StateBounds } from '../state.ts'
import { USAGE_BOUNDS } from '../task-bounds.ts'
import { RedisBus } from './bus.ts'
import { redisEvents } from './events.ts'
import { redisLimits } from './limits.ts'
import { RedisLink } from './link.ts'
import { redisVersions } from './list-versions.ts'
import { redisPeers } from './peers.ts'
import { MAX_SHARED_SESSIONS, redisSessions } from './sessions.ts'
import { SharedSecret } from './shared-secret.ts'
import { redisSpent } from './spent.ts'
import { RedisTaskQueue } from './task-queue.ts'
import { RedisTasks } from './tasks.ts'

/** How long a start waits for Redis before it goes on without: it may come later. */
const START_MS = 2000
/** Longest look at what waits, of which there may be much: who asks has a deadline too. */
const CENSUS_MS = 2000

export interface RedisStateOptions extends StateBounds {
  readonly url: string
  readonly prefix: string
  readonly log: Log
  /** Whether replicas have no secret but the one that they share here. */
  readonly sharesSecret?: boolean
  /** Longest wait for one answer, ms. */
  readonly answerMs?: number
}

export async function redisState({
  url,
  prefix,
  log,
  sharesSecret = false,
  sessionTtlMs,
  maxConcurrentCalls,
  answerMs,
}: RedisStateOptions): Promise<State> {
  const link = new RedisLink({ url, prefix, log, answerMs })
  const bus = new RedisBus(link, log)
  const taskQueue = new RedisTaskQueue(link, { max: maxConcurrentCalls }, log)
  const tasks = new RedisTasks(link, bus)
  const versions = redisVersions(link, bus)
  const secret = new SharedSecret(link, bus)
  // All of them before the first command waits: ioredis sends no script with commands that waited before it was defined.
  const stores = {
    sessions: redisSessions(link, { ttlMs: sessionTtlMs }),
    events: redisEvents(link, log),
    requestLimits: redisLimits(link, 'requests'),
    toolLimits: redisLimits(link, 'tools'),
    spent: redisSpent(link),
    peers: redisPeers(link, bus),
  }
  if (!(await link.ready(START_MS))) log.error({}, 'redis does not answer: what needs shared state is refused')
  // Before anything is sealed that the others could not open.
  else if (sharesSecret) await secret.look()
  return {
    ...stores,
    tasks,
    taskQueue,
    versions,
    onSharedSecret: listener => secret.follow(listener),
    bounds: { sessions: MAX_SHARED_SESSIONS, tasks: USAGE_BOUNDS.maxTasks },
    census: () => censusOf(link, taskQueue),
    degraded: () => (link.isUp ? [] : ['redis: sessions and tasks are refused, limits are counted by each replica']),
    async close() {
      versions.close()
      secret.close()
      tasks.close()
      await taskQueue.close()
      bus.close()
      await link.close()
    },
  }
}

const late = () => sleep(CENSUS_MS, undefined, { ref: false })

// What cannot be counted now is left out.
async function censusOf(link: RedisLink, queue: RedisTaskQueue): Promise<Census> {
  const size = (list: string) => link.run(client => client.zcard(link.key(list)))
  // The connection of the queue waits for Redis however long.
  const turnsNow = link.isUp ? Promise.race([queue.census(), late()]) : undefined
  const [sessions, tasks, turns] = await Promise.allSettled([size('sessions'), size('tasks'), turnsNow])
  return {
    ...(sessions.status === 'fulfilled' && { sessions: sessions.value }),
    tasks: tasks.status === 'fulfilled' ? { kept: tasks.value } : {},
    queue: turns.status === 'fulfilled' ? (turns.value ?? {}) : {},
  }
}
