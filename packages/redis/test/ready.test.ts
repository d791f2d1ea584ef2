// GET /ready while Redis is in trouble: the server takes calls, and says what does not work.
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { createServer } from '../../../src/index.ts'
import { type App, build } from '../../../test/support/app.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { until } from '../../../test/support/replicas/pair.ts'
import { NO_REDIS, redisServer } from '../../../test/support/servers/redis-server.ts'

const DEGRADED = ['redis: sessions and tasks are refused, limits are counted by each replica']

const WELL = { status: 200, body: { status: 'ready' } }
const ILL = { status: 200, body: { status: 'ready', degraded: DEGRADED } }

type Asked = Pick<App, 'inject'>

/** Waits for it: a machine that stands still may keep Redis from answering in time at any moment. */
const becomes = (app: Asked, expected: object, what: string) =>
  until(async () => isDeepStrictEqual(await ready(app), expected), what)

async function ready(app: Asked): Promise<{ status: number; body: { status: string; degraded?: readonly string[] } }> {
  const reply = await app.inject('/ready')
  return { status: reply.statusCode, body: reply.json() }
}

t.test('ready: without shared state nothing is said of it', async t => {
  const app = await build(t)

  t.strictSame(await ready(app), { status: 200, body: { status: 'ready' } })
})

t.test('ready: a server that starts without its Redis takes calls, and names what does not work', async t => {
  const app = await build(t, { redis: { url: `redis://127.0.0.1:${await freePort()}` } })

  t.strictSame(await ready(app), { status: 200, body: { status: 'ready', degraded: DEGRADED } })
  t.strictSame((await app.inject('/health')).json(), { status: 'ok' })
})

t.test('ready: it follows its Redis as that goes and comes back', { skip: NO_REDIS }, async t => {
  const redis = await redisServer(t)
  const app = await build(t, { redis: { url: redis.url } })
  await becomes(app, WELL, 'it is well')

  await redis.kill()
  await becomes(app, ILL, 'it is noticed')

  await redis.start()
  await becomes(app, WELL, 'it is well again')
  t.pass()
})

t.test('ready: nor is it silent about one that takes connections and answers nothing', { skip: NO_REDIS }, async t => {
  const redis = await redisServer(t)
  const app = await build(t, { redis: { url: redis.url } })
  await becomes(app, WELL, 'it is well')

  redis.pause()
  await becomes(app, ILL, 'it is noticed')

  redis.resume()
  await becomes(app, WELL, 'it is well again')
  t.pass()
})

t.test('ready: of a server that is closed nothing ticks', { skip: NO_REDIS }, async t => {
  const redis = await redisServer(t)
  const ticking = new Map<unknown, string>()
  const [set, clear] = [globalThis.setInterval, globalThis.clearInterval]
  t.teardown(() => Object.assign(globalThis, { setInterval: set, clearInterval: clear }))
  globalThis.setInterval = ((...args: Parameters<typeof set>) => {
    const timer = set(...args)
    ticking.set(timer, String(new Error('begun here').stack))
    return timer
  }) as typeof set
  globalThis.clearInterval = timer => {
    ticking.delete(timer)
    clear(timer)
  }
  const app = await createServer({ redis: { url: redis.url }, logLevel: 'silent' })
  await becomes(app, WELL, 'it is well')
  t.not(ticking.size, 0)

  await app.close()

  t.strictSame([...ticking.values()], [])
})
