// What is read of a server when somebody looks: what is open, what waits, what is kept, what works.
import type { KeyObject } from 'node:crypto'
import t from 'tap'
import { defineTool } from '../../../../src/index.ts'
import { build, call, callTool, listening, stream } from '../../../../test/support/app.ts'
import { keyIssuers } from '../../../../test/support/auth/forge.ts'
import { bearer, guarded } from '../../../../test/support/auth/guarded.ts'
import { giveNothingUp, setOf } from '../../../../test/support/auth/jwks-rack.ts'
import { jwksServer } from '../../../../test/support/auth/jwks-server.ts'
import { signedBy } from '../../../../test/support/auth/tokens.ts'
import { connected, open, session } from '../../../../test/support/client/app-client.ts'
import { form } from '../../../../test/support/input/rounds.ts'
import { counted, valueIn } from '../../../../test/support/metrics/series.ts'
import { until } from '../../../../test/support/security/hostile.ts'
import { NO_REDIS, redisServer } from '../../../../test/support/servers/redis-server.ts'
import { tool } from '../../../../test/support/steered-tools.ts'
import { held, job, rack, start, taskFrom, whenAsking, whenEnded } from '../../../../test/support/tasks/modern.ts'

t.test('metrics: calls that run and calls that wait, and how many there may be of each', async t => {
  const { tool: only, release, seen } = held('only', { task: undefined })
  const app = await build(t, { tools: [only], limits: { maxConcurrentCalls: 2, maxQueuedCalls: 7 } })
  const calls = [1, 2, 3, 4, 5].map(() => callTool(app, 'only'))
  await until(() => seen.begun === 2, 'two of them run')

  t.strictSame(await counted(app, 'toolrack_calls'), [
    [{ status: 'running' }, 2],
    [{ status: 'queued' }, 3],
  ])
  t.strictSame(await counted(app, 'toolrack_calls_max'), [
    [{ status: 'running' }, 2],
    [{ status: 'queued' }, 7],
  ])
  t.equal(await valueIn(app, 'toolrack_requests_in_flight'), 5)

  release()
  await Promise.all(calls)
  t.strictSame(await counted(app, 'toolrack_calls'), [])
  t.equal(await valueIn(app, 'toolrack_requests_in_flight'), 0)
})

t.test('metrics: sessions that are kept, until they end', async t => {
  const client = await session(t)
  const { app } = client
  await open(t, app)
  t.equal(await valueIn(app, 'toolrack_sessions', { status: 'kept' }), 2)

  await client.end()

  t.equal(await valueIn(app, 'toolrack_sessions', { status: 'kept' }), 1)
  t.equal(await valueIn(app, 'toolrack_sessions_max', { status: 'kept' }), 100_000)
})

t.test('metrics: listeners and streams, as long as they are open', async t => {
  const { app, url } = await listening(t, { tools: [defineTool({ name: 'fine', handler: () => 'fine' })] })
  const listener = await stream(t, url, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  await listener.next(0)

  t.equal(await valueIn(app, 'toolrack_listeners'), 1)
  t.equal(await valueIn(app, 'toolrack_streams'), 1)
  t.equal(
    await valueIn(app, 'toolrack_requests_total', { method: 'subscriptions/listen', outcome: 'streaming' }),
    1,
    'it is no failure',
  )

  listener.close()
  await until(async () => (await valueIn(app, 'toolrack_listeners')) === 0, 'it is noticed')
  await until(async () => (await valueIn(app, 'toolrack_streams')) === 0, 'the stream is gone too')
})

t.test('metrics: tasks by status, and those that wait for a slot', async t => {
  const { tool: busy, release, seen } = held('busy')
  const asks = job('asks', async ({ elicit }) => {
    await new Promise(resolve => setTimeout(resolve, 5))
    return (await elicit('name', form('name'))).action
  })
  const app = await rack(t, [busy, asks], { limits: { maxConcurrentCalls: 1 } })
  await whenAsking(app, await taskFrom(app, 'asks'))
  const running = await taskFrom(app, 'busy')
  await until(() => seen.begun === 1, 'it runs')
  await taskFrom(app, 'busy')

  t.strictSame(await counted(app, 'toolrack_tasks'), [
    [{ status: 'working' }, 2],
    [{ status: 'input_required' }, 1],
  ])
  t.strictSame(await counted(app, 'toolrack_task_queue'), [
    [{ status: 'running' }, 1],
    [{ status: 'waiting' }, 1],
  ])

  release()
  await whenEnded(app, running)
  await until(async () => (await valueIn(app, 'toolrack_tasks', { status: 'completed' })) === 2, 'both have ended')
  t.equal(await valueIn(app, 'toolrack_tasks', { status: 'working' }), 0)
  t.equal(await valueIn(app, 'toolrack_tasks_max'), 50_000)
})

t.test('metrics: events that are told again to a client that comes back', async t => {
  const walked = Promise.withResolvers<string>()
  const walk = tool('walk', ({ log }) => {
    for (let step = 0; step < 3; step++) log.info(step)
    return walked.promise
  })
  const client = await connected(t, { tools: [walk] })
  await client.call('logging/setLevel', { level: 'debug' })
  const first = await client.postTool('walk')
  await first.next(2)
  t.equal(await valueIn(client.app, 'toolrack_replayed_events_total'), 0)
  const missed = first.events.length - 1

  const second = await client.listen(first.events[0]!.id)
  await second.next(1)

  t.equal(await valueIn(client.app, 'toolrack_replayed_events_total'), missed)
  t.ok(missed >= 2)
  walked.resolve('done')
})

t.test('metrics: tokens that are refused, and good ones that are not', async t => {
  const app = await guarded(t, { rateLimit: { max: 2 } })
  for (let n = 0; n < 4; n++) await call(app, 'tools/list', {}, { headers: { authorization: 'Bearer x.y.z' } })
  await call(app, 'tools/list', {}, { headers: bearer() })

  t.strictSame(
    (await counted(app, 'toolrack_limiter_decisions_total')).filter(([{ limiter }]) => limiter === 'failures'),
    [
      [{ limiter: 'failures', decision: 'allowed' }, 2],
      [{ limiter: 'failures', decision: 'limited' }, 2],
    ],
  )
})

t.test('metrics: fetches of keys, those that brought some and those that did not', async t => {
  const issuer = keyIssuers()[0]!
  const sign = (kid: string) =>
    signedBy(issuer.key as KeyObject, { ...issuer, kid }, { aud: 'https://tools.example/mcp' })
  giveNothingUp(t)
  const server = await jwksServer(setOf(issuer))
  t.teardown(() => server.close())
  const app = await build(t, {
    jwt: { jwksUrl: server.url, issuer: 'https://as.example' },
    publicUrl: 'https://tools.example/mcp',
    tools: [defineTool({ name: 'fine', handler: () => 'fine' })],
  })
  await app.ready()
  // A start waits for it for 3 s.
  await until(async () => (await valueIn(app, 'toolrack_jwks_fetches_total', { outcome: 'ok' })) === 1, 'it has keys')
  const headers = { authorization: `Bearer ${sign(issuer.kid!)}` }
  await callTool(app, 'fine', {}, { headers })
  server.answer = response => response.writeHead(500).end()

  await call(app, 'tools/list', {}, { headers: { authorization: `Bearer ${sign('unknown')}` } })

  await until(async () => (await valueIn(app, 'toolrack_jwks_fetches_total', { outcome: 'failed' })) === 1, 'it failed')
  t.equal(await valueIn(app, 'toolrack_jwks_fetches_total', { outcome: 'ok' }), 1)
})

t.test('metrics: faults that a tool leaves behind', async t => {
  const leaves = defineTool({
    name: 'leaves',
    handler: () => {
      setTimeout(() => Promise.reject(new Error('late')), 1)
      return 'done'
    },
  })
  const app = await build(t, { tools: [leaves] })

  await callTool(app, 'leaves')

  await until(async () => (await counted(app, 'toolrack_unhandled_errors_total')).length > 0, 'it is noticed')
  t.strictSame(await counted(app, 'toolrack_unhandled_errors_total'), [[{ tool: 'leaves' }, 1]])
  t.strictSame(await counted(app, 'toolrack_tool_calls_total'), [[{ tool: 'leaves', outcome: 'ok' }, 1]])
})

/** A server with a Redis of its own, which keeps a session and a task. */
async function keeping(t: Parameters<typeof redisServer>[0]) {
  for (;;) {
    const redis = await redisServer(t)
    const app = await rack(t, [held().tool], { redis: { url: redis.url } })
    const isOpen = await open(t, app).then(
      () => true,
      () => false,
    )
    // On a busy machine Redis may not answer in time.
    if (isOpen && (await start(app, 'held')).result !== undefined) return { redis, app }
  }
}

t.test('metrics: with Redis, what all replicas keep; without it, that it is gone', { skip: NO_REDIS }, async t => {
  const { redis, app } = await keeping(t)

  await until(async () => (await valueIn(app, 'toolrack_degraded')) === 0, 'Redis answers')
  await until(async () => (await valueIn(app, 'toolrack_sessions', { status: 'kept' })) === 1, 'a session is kept')
  t.equal(await valueIn(app, 'toolrack_sessions_max', { status: 'kept' }), 500_000)
  await until(async () => (await valueIn(app, 'toolrack_tasks', { status: 'kept' })) === 1, 'a task is kept')

  await redis.kill()

  await until(async () => (await valueIn(app, 'toolrack_degraded')) === 1, 'it is noticed')
  t.strictSame(await counted(app, 'toolrack_task_queue'), [])
  t.equal(await valueIn(app, 'toolrack_sessions', { status: 'kept' }), undefined, 'what is not known is left out')
  t.equal(await valueIn(app, 'toolrack_sessions', { status: 'at_work' }), 0)
  // So that what is under way to it can end with the server.
  await redis.start()
})
