// A password of Redis that changes: the connections that are opened again use the new one.
import type { Redis } from 'ioredis'
import t from 'tap'
import { secretFiles } from '../../../test/support/auth/secret-files.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { NO_REDIS, redisServer } from '../../../test/support/servers/redis-server.ts'
import { Connections } from '../src/bullmq.ts'
import { linkTo, operator } from './links.ts'

const urlWith = (port: number, password: string, rest = '') => `redis://:${password}@127.0.0.1:${port}${rest}`

t.test('the next connections use the new password, also those of libraries', { skip: NO_REDIS }, async t => {
  const server = await redisServer(t, { options: ['--requirepass', 'first'] })
  const admin = operator({ ...server, url: urlWith(server.port, 'first') } as typeof server, t)
  const { link } = await linkTo({ url: urlWith(server.port, 'first') }, t)
  const given = new Connections(link).open({})
  const made: readonly Redis[] = [link.duplicate({}), given, given.duplicate()]
  t.teardown(() => made.map(each => each.disconnect()))
  await eventually(() => made.every(({ status }) => status === 'ready'), 'all are connected')

  await admin.config('SET', 'requirepass', 'a p:w/d')
  link.setCredentials(urlWith(server.port, encodeURIComponent('a p:w/d')))
  t.equal(await given.ping(), 'PONG', 'what is open stays so')
  const readyAgain = made.map(each => new Promise(resolve => each.once('ready', resolve)))
  const recovered = new Promise<void>(resolve => link.onRecovered(resolve))
  await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')

  await Promise.all([recovered, ...readyAgain])
  for (const each of made) t.equal(await each.ping(), 'PONG')
  t.equal(await link.run(client => client.ping()), 'PONG')
})

t.test('another server or database is refused, without the URL', { skip: NO_REDIS }, async t => {
  const server = await redisServer(t)
  const { link } = await linkTo(server, t)

  for (const url of [
    urlWith(server.port, 'secret', '/1'),
    urlWith(server.port + 1, 'secret'),
    `rediss://:secret@127.0.0.1:${server.port}`,
    `redis://:secret@localhost:${server.port}`,
  ])
    t.throws(() => link.setCredentials(url), {
      message: 'expected another user or password alone, since another server or database needs a restart',
    })
})

t.test('REDIS_URL_FILE: the server recovers with the password that Redis has by now', { skip: NO_REDIS }, async t => {
  const redis = await redisServer(t, { options: ['--requirepass', 'first'] })
  const admin = operator({ ...redis, url: urlWith(redis.port, 'first') } as typeof redis, t)
  const { app, renew } = await secretFiles(t, { REDIS_URL: urlWith(redis.port, 'first') })
  const isDegraded = async () => (await app.inject('/ready')).json().degraded !== undefined
  await eventually(async () => !(await isDegraded()), 'Redis answers')

  await admin.config('SET', 'requirepass', 'second')
  await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
  await eventually(isDegraded, 'the first password is refused')
  await renew({ REDIS_URL: urlWith(redis.port, 'second') })

  await eventually(async () => !(await isDegraded()), 'the second is used')
  await renew({ REDIS_URL: urlWith(redis.port, 'third', '/1') })
  t.match((await app.inject('/ready')).json().degraded, [/^REDIS_URL_FILE: expected another user or password alone/])
})
