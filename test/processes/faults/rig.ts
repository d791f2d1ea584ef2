// Two replicas on one Redis: `cut` reaches it through a proxy that can fail, `other` directly.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { Test } from 'tap'
import { type Replica, replicas } from '../../support/replicas/replica.ts'
import { type RedisOptions, type RedisServer, redisServer } from '../../support/servers/redis-server.ts'
import { type TcpProxy, tcpProxy } from './tcp-proxy.ts'

const PROGRAM = new URL('fault-replica.ts', import.meta.url).pathname

export interface Rig {
  readonly redis: RedisServer
  readonly proxy: TcpProxy
  readonly cut: Replica
  readonly other: Replica
  /** Of the test's own. */
  readonly admin: Redis
}

export interface RigOptions extends RedisOptions {
  readonly environment?: Readonly<Record<string, string>>
}

export const environmentOf = (more: Readonly<Record<string, string>> = {}) => ({
  TRUST_PROXY: '127.0.0.1',
  RATE_LIMIT_MAX: '100000',
  TASK_INLINE_MS: '0',
  DRAIN_MS: '500',
  ...more,
})

/** @param environment of both replicas */
export async function rig(t: Test, { environment, ...options }: RigOptions = {}): Promise<Rig> {
  const redis = await redisServer(t, options)
  const proxy = await tcpProxy(t, redis.port)
  const [[cut], [other]] = await Promise.all([
    replicas(t, 1, { redisUrl: proxy.url, program: PROGRAM, environment: environmentOf(environment) }),
    replicas(t, 1, { redisUrl: redis.url, program: PROGRAM, environment: environmentOf(environment) }),
  ])
  return { redis, proxy, cut: cut!, other: other!, admin: adminOf(t, redis) }
}

export function adminOf(t: Test, { url }: RedisServer): Redis {
  const admin = new Redis(url, { retryStrategy: () => 100, maxRetriesPerRequest: null })
  admin.on('error', () => {})
  t.teardown(() => admin.disconnect())
  return admin
}

/** What a replica holds: for commands, for news, for the queue, for its worker, and for what that waits with. */
const CONNECTIONS_OF_REPLICA = 5

/** As many as both replicas have when nothing is the matter. */
export const CONNECTIONS = 2 * CONNECTIONS_OF_REPLICA

/** Connections of replicas to Redis. */
export async function connectionsOf({ admin }: Pick<Rig, 'admin'>): Promise<number> {
  const clients = String(await admin.client('LIST'))
    .trim()
    .split('\n')
  return clients.length - 1
}

/** MB that a replica holds. */
export function memoryOf({ pid }: Replica): number {
  const [, kb = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kb) / 1024)
}

/** Polls until it is so. @returns how long that took, ms; undefined where it was not within `limitMs` */
export async function whenSo(isSo: () => Promise<boolean> | boolean, limitMs = 30_000): Promise<number | undefined> {
  const startedMs = performance.now()
  while (performance.now() - startedMs < limitMs) {
    if (await isSo()) return Math.round(performance.now() - startedMs)
    await sleep(25)
  }
  return undefined
}
