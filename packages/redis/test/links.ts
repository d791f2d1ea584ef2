// Links to a private Redis. Each test has keys of its own, and may be several replicas.
import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import type { Test } from 'tap'
import { fakeLog } from '../../../test/support/fakes.ts'
import { NO_REDIS, type RedisServer, redisServer } from '../../../test/support/servers/redis-server.ts'
import { storeContext } from '../../../test/support/state.ts'
import type { Ending } from '../../state/src/suites/check.ts'
import { RedisClient } from '../src/client.ts'
import { RedisPubSub } from '../src/pubsub.ts'

const START_MS = 30_000
/** What stores promise is no matter of time: here a busy machine may take longer than servers wait. */
export const ANSWER_MS = 10_000

/** Tests with one server, gone with them; skipped where there is no Redis. */
export function withRedis(t: Test, name: string, tests: (t: Test, server: RedisServer) => void): void {
  t.test(name, { skip: NO_REDIS, timeout: 120_000 }, async t => tests(t, await redisServer(t)))
}

export const newPrefix = (): string => `test-${randomUUID()}`

/** One replica's link, with patience, which closes with the test. */
export async function linkTo({ url }: Pick<RedisServer, 'url'>, t: Ending, prefix = newPrefix()) {
  const log = fakeLog()
  const link = new RedisClient({ url, prefix, answerMs: ANSWER_MS })
  t.teardown(() => link.close())
  void link.start(storeContext({ log: log as never }))
  if (!(await link.ready(START_MS))) throw new Error('redis did not answer')
  await flushed(link)
  return { link, log, prefix }
}

// A pipeline that waits to be sent, such as that of a heartbeat, does not know scripts that are defined behind it: stores
// are made where none waits. Servers make theirs before anything is asked of them.
const flushed = (link: RedisClient): Promise<unknown> => link.run(client => client.ping())

/** With what it hears, as soon as it does. */
export async function busTo(server: Pick<RedisServer, 'url'>, t: Ending, prefix?: string) {
  const linked = await linkTo(server, t, prefix)
  const bus = new RedisPubSub(linked.link)
  await new Promise<void>(resolve => bus.onResubscribed(resolve))
  await flushed(linked.link)
  return { ...linked, bus }
}

/** Looks at what is kept, as an operator would. */
export function operator({ url }: RedisServer, t: Test): Redis {
  const client = new Redis(url)
  t.teardown(() => client.disconnect())
  return client
}

export async function keysOf(client: Redis, pattern = '*'): Promise<string[]> {
  const keys = new Set<string>()
  for await (const page of client.scanStream({ match: pattern, count: 1000 })) for (const key of page) keys.add(key)
  return [...keys].sort()
}
