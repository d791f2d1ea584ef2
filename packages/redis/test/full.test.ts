// A real Redis that is full: what the server refuses then says why in its log, and never what it was
// to store.
import { PassThrough } from 'node:stream'
import { Redis } from 'ioredis'
import t from 'tap'
import { build, call } from '../../../test/support/app.ts'
import { until } from '../../../test/support/eventually.ts'
import { NO_REDIS, redisServer } from '../../../test/support/servers/redis-server.ts'
import { ABLE_AND_TASKS, job } from '../../../test/support/tasks/modern.ts'

t.test('O4: the log of a server whose Redis is full has no arguments of its commands', { skip: NO_REDIS }, async t => {
  const redis = await redisServer(t, { options: ['--maxmemory-policy', 'noeviction'] })
  const operator = new Redis(redis.url)
  t.teardown(() => operator.disconnect())
  const logStream = new PassThrough()
  let log = ''
  logStream.on('data', chunk => (log += chunk))
  const tool = job('add', () => 'done')
  const app = await build(t, { redis: { url: redis.url }, tools: [tool], logStream, tasks: { inlineMs: 0 } })
  const run = () =>
    call(app, 'tools/call', { name: 'add', arguments: { secret: 'hunter2' } }, { capabilities: ABLE_AND_TASKS })
  await until(async () => (await run()).status === 200, 'a task is taken')

  await operator.config('SET', 'maxmemory', 1)
  await until(async () => {
    await run()
    return log.includes('OOM command not allowed')
  }, 'the reason is in the log')

  t.notMatch(log, 'hunter2')
  t.notMatch(log, /"(?:command|args)":/)
})
