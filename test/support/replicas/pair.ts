// Two replicas of one server, a Redis of their own, and a proxy in front that gives each the next request.
import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { eventually as until } from '../eventually.ts'
import { type RedisServer, redisServer } from '../servers/redis-server.ts'
import { type Proxy as ReverseProxy, startProxy } from './proxy.ts'
import { type Replica, replicas } from './replica.ts'

export { until }

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
  const both = { one, two, proxy, redis, redisUrl }
  // Each hears of the tools that the other has added at its start; a session that is opened before is told of them.
  await quiet(both)
  return both
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

/** As clients do, which are told when: a machine that is busy may keep a replica from answering in time. */
export async function untilServed(send: () => Promise<Response>): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const reply = await send()
    if (reply.status !== 503 || tries === 150) return reply
    await reply.text()
    await sleep(200)
  }
}

/** Longer than it takes in quiet until what is on its way is there. */
const QUIET_MS = 400

/**
 * Time for what is on its way between the replicas: each of them, and Redis, has had its turn several times, however long
 * the machine stood still meanwhile.
 */
export async function quiet({ one, two, redis }: Pair): Promise<void> {
  const look = ({ url }: Replica) => fetch(new URL('/health', url)).then(reply => reply.text())
  for (let round = 0; round < 5; round++) {
    await Promise.all([look(one), look(two)])
    await ping(redis)
    await sleep(QUIET_MS / 5)
  }
  await Promise.all([look(one), look(two)])
}

async function ping({ port }: RedisServer): Promise<void> {
  const socket = net.connect(port, '127.0.0.1')
  socket.write('PING\r\n')
  await once(socket, 'data')
  socket.destroy()
}
