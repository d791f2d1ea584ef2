// Two replicas of one server, a Redis of their own, and a proxy in front that gives each the next request.
import type { Test } from 'tap'
import { type RedisServer, redisServer } from '../redis/redis-server.ts'
import { type Proxy as ReverseProxy, startProxy } from './proxy.ts'
import { type Replica, replicas } from './replica.ts'

export const LAB = new URL('lab-replica.ts', import.meta.url).pathname

export interface Pair {
  readonly one: Replica
  readonly two: Replica
  readonly proxy: ReverseProxy
  readonly redis: RedisServer
  readonly redisUrl: string
}

/** Gone with the test. @param environment of both */
export async function pair(t: Test, environment: Readonly<Record<string, string>> = {}): Promise<Pair> {
  const redis = await redisServer(t)
  const { url: redisUrl } = redis
  const options = {
    redisUrl,
    program: LAB,
    environment: { TASK_INLINE_MS: '0', DRAIN_MS: '500', RATE_LIMIT_MAX: '100000', ...environment },
  }
  const [one, two] = (await replicas(t, 2, options)) as [Replica, Replica]
  const proxy = await startProxy(() => [one.port, two.port])
  t.teardown(() => proxy.close())
  return { one, two, proxy, redis, redisUrl }
}

/** Whether one of them could not reach Redis in time, as on a busy machine: it counts for itself then. */
export const wasAlone = ({ one, two }: Pair): boolean =>
  [one, two].some(({ lines }) => lines.some(line => line.includes('redis does not answer')))

/** The replica that said this, and the other. */
export async function whoSaid(line: string, { one, two }: Pair): Promise<{ here: Replica; there: Replica }> {
  await until(() => [one, two].some(({ lines }) => lines.includes(line)), line)
  return one.lines.includes(line) ? { here: one, there: two } : { here: two, there: one }
}

export const said = (replica: Replica, line: string): Promise<void> =>
  until(() => replica.lines.includes(line), `${line}; there is ${replica.lines}`)

/** Polls for what shows outside only. */
export async function until(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const endMs = Date.now() + 30_000; Date.now() < endMs; ) {
    if (await isTrue()) return
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  throw new Error(`not within 30 s: ${what}`)
}
