// The state that replicas share: all stores on one Redis, which must be version 7 or newer.
import type { State } from 'toolrack/stores'
import { RedisClient } from './client.ts'
import { RedisEvents } from './events.ts'
import { RedisFiles } from './files.ts'
import { RedisKeptResults } from './kept-results.ts'
import { RedisLimits } from './limits.ts'
import { RedisVersions } from './list-versions.ts'
import { RedisPubSub } from './pubsub.ts'
import { RedisReplicas } from './replicas.ts'
import { RedisSecret } from './secret.ts'
import { RedisSessions } from './sessions.ts'
import { RedisTaskQueue } from './task-queue.ts'
import { RedisTasks } from './tasks.ts'
import { RedisUsedTokens } from './used-tokens.ts'

/** The Redis server, and the prefix of its keys. */
export interface RedisStateOptions {
  /** The URL, such as `redis://localhost:6379` or `rediss://user:password@redis.example`. */
  readonly url: string
  /**
   * The prefix of every key: 1 to 64 letters, digits, dots, hyphens or underscores. Default:
   * `toolrack`.
   */
  readonly prefix?: string | undefined
  /** Timeout of one command, ms. @internal */
  readonly answerMs?: number
}

const PREFIX = /^[\w.-]{1,64}$/

/**
 * All stores on one Redis, which the replicas of a server share. Connects when the server starts.
 * The start succeeds even if Redis does not answer yet.
 *
 * @throws TypeError if the URL or the prefix is invalid
 */
export function redis({ url, prefix = 'toolrack', answerMs }: RedisStateOptions): State {
  if (!/^rediss?:$/.test(URL.parse(url)?.protocol ?? '')) throw new TypeError('url: expected redis:// or rediss://')
  if (!PREFIX.test(prefix)) throw new TypeError('prefix: expected 1 to 64 letters, digits, dots, hyphens, underscores')
  const client = new RedisClient({ url, prefix, answerMs })
  // First, so that it is closed last: other stores use it.
  const pubsub = new RedisPubSub(client)
  return {
    sessions: new RedisSessions(client),
    events: new RedisEvents(client),
    requestLimits: new RedisLimits(client, 'requests'),
    toolLimits: new RedisLimits(client, 'tools'),
    usedTokens: new RedisUsedTokens(client),
    files: new RedisFiles(client),
    keptResults: new RedisKeptResults(client),
    tasks: new RedisTasks(client, pubsub),
    taskQueue: new RedisTaskQueue(client),
    replicas: new RedisReplicas(client, pubsub),
    versions: new RedisVersions(client, pubsub),
    secret: new RedisSecret(client),
  }
}
