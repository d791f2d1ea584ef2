// docs/guides/replicas.md: the user that it makes in Redis may do all that the server does there, and touches no key of others.
import { readFileSync } from 'node:fs'
import { Redis } from 'ioredis'
import t from 'tap'
import { build, call } from '../../../test/support/app.ts'
import { inject } from '../../../test/support/client/transport.ts'
import { until } from '../../../test/support/replicas/pair.ts'
import { openSession } from '../../../test/support/security/sessions.ts'
import { NO_REDIS, redisServer } from '../../../test/support/servers/redis-server.ts'
import { ABLE_AND_TASKS, job } from '../../../test/support/tasks/modern.ts'

const [, rules = ''] = /^ACL SETUSER (toolrack on .*)$/m.exec(readFileSync('docs/guides/replicas.md', 'utf8')) ?? []

t.test('the user of the docs serves sessions, tasks, limits and news', { skip: NO_REDIS }, async t => {
  const redis = await redisServer(t)
  const operator = new Redis(redis.url)
  t.teardown(() => operator.disconnect())
  await operator.call('ACL', 'SETUSER', ...rules.split(' '))
  await operator.set('mine', 'not yours')
  const url = new URL(redis.url)
  Object.assign(url, { username: 'toolrack', password: 'PASSWORD' })
  const tool = job('add', () => 'done')
  const app = await build(t, { redis: { url: url.href }, tools: [tool], tasks: { inlineMs: 60_000 } })

  const use = async () => {
    const session = await openSession(app)
    const listed = await inject(app).send({ session, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } })
    const ran = await call(app, 'tools/call', { name: 'add', arguments: {} }, { capabilities: ABLE_AND_TASKS })
    return { listed, ran, ready: (await app.inject('/ready')).json() }
  }
  let used: Awaited<ReturnType<typeof use>> | undefined
  // A machine that stands still may keep Redis from answering in time; what is not allowed stays so.
  await until(async () => {
    used = await use().catch(() => undefined)
    return used?.listed.status === 200 && used.ran.status === 200 && used.ready.degraded === undefined
  }, 'sessions and tasks are served')

  t.match(used?.listed, { status: 200, message: { result: { tools: [{ name: 'add' }] } } })
  t.match(used?.ran.result, { resultType: 'complete', content: [{ text: 'done' }] })
  t.strictSame(used?.ready, { status: 'ready' })
  t.strictSame(await operator.call('ACL', 'LOG'), [], 'nothing that it asked for was refused')

  const asServer = new Redis(url.href)
  t.teardown(() => asServer.disconnect())
  for (const command of [['GET', 'mine'], ['FLUSHALL'], ['KEYS', '*'], ['CONFIG', 'GET', 'maxmemory']] as const)
    await t.rejects(asServer.call(...(command as [string])), /NOPERM/, command.join(' '))
})
