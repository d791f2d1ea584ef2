// F10 (test/security/README.md): each command to Redis fails in turn. Here every few do;
// `node test/processes/faults/loop.ts` lets each one fail.
import t from 'tap'
import { listening } from '../../support/app.ts'
import { NO_REDIS, redisServer } from '../../support/servers/redis-server.ts'
import { faultTools } from './fault-tools.ts'
import { type Failure, Injector } from './injector.ts'
import { loop } from './loop.ts'

const PLAN: readonly (readonly [Failure, number])[] = [
  ['error', 4],
  ['lost answer', 24],
  ['lost command', 24],
]

t.test('F10: whichever command to Redis fails, every answer is a result or 503', { skip: NO_REDIS }, async t => {
  const redis = await redisServer(t)
  const injector = new Injector()
  t.teardown(() => injector.restore())
  const { app, url } = await listening(t, {
    redis: { url: redis.url },
    tasks: { inlineMs: 0 },
    trustProxy: '127.0.0.1',
    rateLimit: { max: 1_000_000 },
  })
  app.toolrack.add(faultTools(app))

  for (const [failure, every] of PLAN) {
    await t.test(failure, async t => {
      const runs = await loop(failure, { url, injector, every })
      const wrong = runs.flatMap(({ at, hit, played, after }) =>
        [...played.wrong, ...after.wrong].map(fault => `${at} ${hit}: ${fault}`),
      )
      const refusedAfter = runs.filter(({ afterMs, after }) => afterMs === undefined || after.task === 'working')
      const unended = runs.filter(
        ({ played }) => played.task !== undefined && !/^(completed|failed)$/.test(played.task),
      )

      t.ok(runs.length >= 3, `${runs.length} commands failed`)
      t.same(wrong, [], 'every answer is a result, or refused as promised')
      t.same(refusedAfter, [], 'a run behind it is whole')
      t.same(unended, [], 'a task that was handed out comes to its end')
      t.ok(
        runs.some(({ played }) => played.refused > 0),
        'some failures are seen by the client',
      )
    })
  }
})
