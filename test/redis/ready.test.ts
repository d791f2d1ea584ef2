// GET /ready while Redis is in trouble: the server takes calls, and says what does not work.
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { freePort } from '../free-port.ts'
import { type App, build } from '../helper.ts'
import { until } from '../replicas/pair.ts'
import { NO_REDIS, redisServer } from './redis-server.ts'

const DEGRADED = ['redis: sessions and tasks are refused, limits are counted by each replica']

const WELL = { status: 200, body: { status: 'ready' } }
const ILL = { status: 200, body: { status: 'ready', degraded: DEGRADED } }

/** Waits for it: a machine that stands still may keep Redis from answering in time at any moment. */
const becomes = (app: App, expected: object, what: string) =>
  until(async () => isDeepStrictEqual(await ready(app), expected), what)

async function ready(app: App): Promise<{ status: number; body: { status: string; degraded?: readonly string[] } }> {
  const reply = await app.inject('/ready')
  return { status: reply.statusCode, body: reply.json() }
}

t.test('ready: without shared state nothing is said of it', async t => {
  const app = await build(t)

  t.strictSame(await ready(app), { status: 200, body: { status: 'ready' } })
})

t.test('ready: a server that starts without its Redis takes calls, and names what does not work', async t => {
  const app = await build(t, { redisUrl: `redis://127.0.0.1:${await freePort()}` })

  t.strictSame(await ready(app), { status: 200, body: { status: 'ready', degraded: DEGRADED } })
  t.strictSame((await app.inject('/health')).json(), { status: 'ok' })
})

t.test('ready: it follows its Redis as that goes and comes back', { skip: NO_REDIS }, async t => {
  const redis = await redisServer(t)
  const app = await build(t, { redisUrl: redis.url })
  await becomes(app, WELL, 'it is well')

  await redis.kill()
  await becomes(app, ILL, 'it is noticed')

  await redis.start()
  await becomes(app, WELL, 'it is well again')
  t.pass()
})

t.test('ready: nor is it silent about one that takes connections and answers nothing', { skip: NO_REDIS }, async t => {
  const redis = await redisServer(t)
  const app = await build(t, { redisUrl: redis.url })
  await becomes(app, WELL, 'it is well')

  redis.pause()
  await becomes(app, ILL, 'it is noticed')

  redis.resume()
  await becomes(app, WELL, 'it is well again')
  t.pass()
})
