// A replica starts while Redis is away, and joins when it comes: F2 of test/security/README.md.
import t from 'tap'
import { freePort } from '../../support/free-port.ts'
import { Replica, replicas } from '../../support/replicas/replica.ts'
import { NO_REDIS, RedisServer } from '../../support/servers/redis-server.ts'
import { ANSWER, isRefused, shown } from './before.ts'
import { callPlain, callTool, initialize, look, served, type Timed } from './client.ts'
import { environmentOf, rig, whenSo } from './rig.ts'
import { tcpProxy } from './tcp-proxy.ts'
import { assertLimited, isOk } from './trial.ts'

const PROGRAM = new URL('fault-replica.ts', import.meta.url).pathname
const isReady = async (url: string) => (await look(url, '/ready')).body.degraded === undefined

async function stateOf(url: string): Promise<string> {
  return (await served(() => callPlain(url, 'asker'))).body.result.requestState
}

const answer = (url: string, requestState: string) => callPlain(url, 'asker', { requestState, inputResponses: ANSWER })

// Until it knows the secret of all, a replica seals with one of its own.
async function whenShared(from: string, to: string): Promise<void> {
  const opens = async () => isOk(await answer(to, await stateOf(from)))
  if ((await whenSo(opens)) === undefined) throw new Error('what one replica seals the other does not open')
}

// A replica that Redis kept waiting at its start knows the secret a little later.
async function openedBy(url: string, requestState: string): Promise<Timed> {
  let opened = await answer(url, requestState)
  await whenSo(async () => isOk(opened) || isOk((opened = await answer(url, requestState))))
  return opened
}

const GREETED = { result: { content: [{ text: 'Hello, Ada' }] } }

t.test(
  'F2: a server that starts without Redis serves what needs none, and joins when it comes',
  { skip: NO_REDIS },
  async t => {
    const redis = new RedisServer(await freePort())
    t.teardown(() => redis.close())
    const [replica] = await replicas(t, 1, { redisUrl: redis.url, program: PROGRAM, environment: environmentOf() })
    const { url } = replica!

    const calls = await Promise.all(Array.from({ length: 20 }, () => callTool(url, 'echo')))
    const opened = await initialize(url)
    const sealedAlone = await stateOf(url)
    await assertLimited(t, url)
    const { body } = await look(url, '/ready')
    await redis.start()
    const joined = await whenSo(() => isReady(url))

    t.same(calls.filter(call => !isOk(call)).map(shown), [])
    t.ok(isRefused(opened), shown(opened))
    t.match(body, { status: 'ready', degraded: [/^redis/] })
    t.not(joined, undefined)
    t.equal((await served(() => initialize(url))).status, 200)
    t.match((await openedBy(url, sealedAlone)).body, GREETED, 'what it sealed alone opens')
    t.ok(replica!.isRunning)
    t.comment(`joined in ${joined} ms, refused in ${Math.round(opened.ms)} ms`)
  },
)

t.test(
  'F2: a replica that comes back while Redis is away opens what was sealed before',
  { skip: NO_REDIS },
  async t => {
    const { redis, cut, other } = await rig(t, { isDurable: true })
    await whenShared(other.url, cut.url)
    const sealed = await stateOf(other.url)

    await redis.kill()
    await cut.kill()
    await cut.start()
    const alone = await callTool(cut.url, 'echo')
    await redis.start()
    await whenSo(async () => (await isReady(cut.url)) && (await isReady(other.url)))
    const opened = await openedBy(cut.url, sealed)

    t.ok(isOk(alone), shown(alone))
    t.match(opened.body, GREETED)
  },
)

t.test('F2: a secret outlives the Redis that kept it', { skip: NO_REDIS }, async t => {
  const { redis, cut, other } = await rig(t)
  await whenShared(other.url, cut.url)
  const sealed = await stateOf(other.url)

  await redis.kill()
  await redis.start()
  await whenSo(async () => (await isReady(cut.url)) && (await isReady(other.url)))
  await cut.kill()
  await cut.start()
  await whenSo(() => isReady(cut.url))
  const opened = await openedBy(cut.url, sealed)

  t.match(opened.body, GREETED, 'also on a replica that has started since')
})

for (const kind of ['refuse', 'drop'] as const) {
  t.test(`F2: a server ends in time while Redis is away (${kind})`, { skip: NO_REDIS }, async t => {
    const redis = new RedisServer(await freePort())
    t.teardown(() => redis.close())
    await redis.start()
    const proxy = await tcpProxy(t, redis.port)
    const replica = new Replica(await freePort(), {
      redisUrl: proxy.url,
      program: PROGRAM,
      // It would be ended, with another code, if it took 5 s longer.
      environment: environmentOf({ DRAIN_MS: '15000' }),
    })
    t.teardown(() => replica.kill())
    await replica.start()
    await whenSo(() => isReady(replica.url))
    await callTool(replica.url, 'job')

    await proxy.turn({ kind })
    await whenSo(async () => !(await isReady(replica.url)))
    const startedMs = performance.now()
    const code = await replica.stop()

    t.equal(code, 0)
    t.comment(`ended in ${Math.round(performance.now() - startedMs)} ms`)
  })
}

t.test('F2: a server starts while Redis takes connections and says nothing', { skip: NO_REDIS }, async t => {
  const redis = new RedisServer(await freePort())
  t.teardown(() => redis.close())
  await redis.start()
  const proxy = await tcpProxy(t, redis.port)
  await proxy.turn({ kind: 'drop' })

  const [replica] = await replicas(t, 1, { redisUrl: proxy.url, program: PROGRAM, environment: environmentOf() })
  const alone = await callTool(replica!.url, 'echo')
  await proxy.turn({ kind: 'pass' })
  const joined = await whenSo(() => isReady(replica!.url))

  t.ok(isOk(alone), shown(alone))
  t.not(joined, undefined)
  t.comment(`joined in ${joined} ms`)
})
