import { mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import t from 'tap'
import type { LimitRule, Limits } from '../../../src/state/limits.ts'
import { toSuite } from '../../../test/support/suite.ts'
import { limitsSuite } from '../../state/src/suites/limits.ts'
import { RedisLimits } from '../src/limits.ts'
import { keysOf, linkTo, newPrefix, operator, withRedis } from './links.ts'

const MINUTE = 60_000

async function passedOf(limits: readonly Limits[], rule: LimitRule, uses: number, key = 'a'): Promise<number> {
  const taken = Array.from({ length: uses }, async (_, use) => limits[use % limits.length]!.take(key, rule))
  return (await Promise.all(taken)).filter(({ isAllowed }) => isAllowed).length
}

/** The commands that arrive while something is done, but for heartbeats and what scripts do. */
async function commandsOf(client: Redis, work: () => Promise<unknown>): Promise<string[]> {
  const monitor = await client.monitor()
  const commands: string[] = []
  monitor.on('monitor', (_time, [command = '', key = '']: string[], source: string) => {
    if (source !== 'lua' && !key.endsWith(':heartbeat')) commands.push(command.toLowerCase())
  })
  await work()
  await client.echo('over')
  while (commands.at(-1) !== 'echo') await sleep(5)
  monitor.disconnect()
  return commands.slice(0, -1)
}

withRedis(t, 'limits on Redis', (t, server) => {
  limitsSuite(toSuite(t), 'limits on Redis', async t => new RedisLimits((await linkTo(server, t)).link, 'requests'))

  const replicas = async (t: Parameters<typeof linkTo>[1], prefix = newPrefix()) =>
    Promise.all([1, 2].map(async () => new RedisLimits((await linkTo(server, t, prefix)).link, 'requests')))

  t.test(
    'limits on Redis: C1 of the limit and fifty more at once over two replicas exactly the limit passes',
    async t => {
      for (const max of [1, 20, 100]) {
        const limits = await replicas(t)

        t.equal(await passedOf(limits, { max, windowMs: MINUTE }, max + 50), max)
        t.equal(await passedOf(limits, { max, windowMs: MINUTE }, 50), 0)
      }
    },
  )

  t.test('limits on Redis: one of them does not count for the other', async t => {
    const { link } = await linkTo(server, t)
    const rule = { max: 1, windowMs: MINUTE }

    t.equal(await passedOf([new RedisLimits(link, 'requests')], rule, 2), 1)
    t.equal(await passedOf([new RedisLimits(link, 'tools')], rule, 2), 1)
  })

  t.test('F6: limits on Redis: the clock of Redis counts, and that of no replica', async t => {
    const limits = await replicas(t)
    const rule = { max: 5, windowMs: 50_000 }
    t.equal(await passedOf(limits, rule, 10), 5)
    const now = Date.now
    t.teardown(() => mock.restoreAll())

    for (const aheadMs of [60_000, -60_000, 3_600_000]) {
      mock.method(Date, 'now', () => now() + aheadMs)
      t.equal(await passedOf(limits, rule, 10), 0, `${aheadMs} ms ahead`)
      mock.restoreAll()
    }
  })

  t.test('limits on Redis: a thousand clients have each their own, over two replicas', async t => {
    const limits = await replicas(t)
    const clients = Array.from({ length: 1000 }, (_, n) => `client-${n}`)

    const passed = await Promise.all(clients.map(client => passedOf(limits, { max: 2, windowMs: MINUTE }, 4, client)))

    t.strictSame(new Set(passed), new Set([2]))
  })

  t.test('limits on Redis: a decision is one command, however it ends', async t => {
    const { link } = await linkTo(server, t)
    const limits = new RedisLimits(link, 'requests')
    const rule = { max: 3, windowMs: MINUTE }
    // The first tells Redis what the script is.
    await limits.take('warm', rule)

    const commands = await commandsOf(operator(server, t), async () => {
      for (let use = 0; use < 10; use++) await limits.take('a', rule)
      await limits.peek('a', rule)
    })

    t.strictSame(commands, new Array(11).fill('evalsha'))
  })

  t.test('limits on Redis: who it is cannot be read there, and is forgotten when it no longer counts', async t => {
    const { link, prefix } = await linkTo(server, t)
    await new RedisLimits(link, 'tools').take('issuer subject tool', { max: 1, windowMs: 50_000 })
    const client = operator(server, t)

    const [key, ...others] = await keysOf(client, `${prefix}:limit:*`)

    t.strictSame(others, [])
    t.match(key, /:limit:tools:50000:[\w-]{22}$/)
    t.notMatch(JSON.stringify(await client.hgetall(key!)), /subject/)
    const ttlMs = await client.pttl(key!)
    t.ok(ttlMs > 0 && ttlMs <= 60_000, `${ttlMs} ms`)
  })

  t.test('F11: limits on Redis: what is damaged there is ignored', async t => {
    const { link, prefix, log } = await linkTo(server, t)
    const limits = new RedisLimits(link, 'requests')
    const rule = { max: 3, windowMs: MINUTE }
    await limits.take('a', rule)
    const client = operator(server, t)
    const [key] = await keysOf(client, `${prefix}:limit:*`)
    const now = Math.floor((Date.now() / MINUTE) * 10)
    const foreign = { none: 'x', inf: 'inf', nan: 'nan', '-5': '7', 9007199254740991: '99', 1e300: '1' }
    await client.hset(key!, { ...foreign, [now - 1]: 'x', [now - 2]: '-100' })

    t.equal(await passedOf([limits], rule, 10), 2)
    t.ok((await client.hlen(key!)) <= 4, 'it is removed: of one slice or two are left how many, and when')
    t.strictSame(log.lines, [])
  })

  t.test('F11: limits on Redis: a count that is damaged is as if it were not there', async t => {
    const { link, prefix, log } = await linkTo(server, t)
    const limits = new RedisLimits(link, 'requests')
    const rule = { max: 3, windowMs: MINUTE }
    const client = operator(server, t)
    for (const damaged of [
      '1e308',
      '1e400',
      'inf',
      'nan',
      'abc',
      '',
      '-7',
      '1.5',
      '0x',
      '9007199254740993',
      '9'.repeat(400),
    ]) {
      await limits.take('a', rule)
      const [key] = await keysOf(client, `${prefix}:limit:*`)
      const slices = (await client.hkeys(key!)).filter(field => /^\d+$/.test(field))
      for (const slice of slices) await client.hset(key!, slice, damaged)

      t.equal(await passedOf([limits], rule, 10), 3, damaged)
      await client.del(key!)
    }
    t.strictSame(log.lines, [])
  })

  t.test(
    'F11: limits on Redis: uses of a time to come are those of now, and who is refused waits no longer than the window',
    async t => {
      const { link, prefix } = await linkTo(server, t)
      const limits = new RedisLimits(link, 'requests')
      const rule = { max: 3, windowMs: MINUTE }
      const client = operator(server, t)
      await limits.take('a', rule)
      const [key] = await keysOf(client, `${prefix}:limit:*`)
      const slice = Math.floor((Date.now() / MINUTE) * 10)
      await client.del(key!)
      await client.hset(key!, slice + 5, '3', `t${slice + 5}`, Date.now() + 30_000)

      const { isAllowed, retryAfterMs } = await limits.take('a', rule)
      t.notOk(isAllowed)
      t.ok(retryAfterMs > 0 && retryAfterMs <= MINUTE, `${retryAfterMs} ms`)
      const fields = (await client.hkeys(key!)).filter(field => /^\d+$/.test(field)).map(Number)
      t.ok(fields.length === 1 && fields[0]! < slice + 5, `${fields}`)
      const later = await limits.take('a', rule)
      t.ok(later.retryAfterMs <= retryAfterMs, 'the time goes on')

      await client.hset(key!, 9_007_199_254_740_991, '3', 't9007199254740991', '9007199254740991')
      await client.hdel(key!, String(fields[0]))
      t.ok((await limits.take('a', rule)).isAllowed, 'what is later than a window is none')
    },
  )

  t.test('limits on Redis: what a replica of an older version counted, without when, counts', async t => {
    const { link, prefix } = await linkTo(server, t)
    const limits = new RedisLimits(link, 'requests')
    const rule = { max: 3, windowMs: MINUTE }
    const client = operator(server, t)
    for (let use = 0; use < 3; use++) await limits.take('a', rule)
    const [key] = await keysOf(client, `${prefix}:limit:*`)
    const times = (await client.hkeys(key!)).filter(field => field.startsWith('t'))
    t.ok(times.length > 0)
    await client.hdel(key!, ...times)

    const { isAllowed, retryAfterMs } = await limits.take('a', rule)

    t.notOk(isAllowed)
    t.ok(retryAfterMs > 0 && retryAfterMs <= MINUTE, `${retryAfterMs} ms`)
  })

  t.test('F11: limits on Redis: where something of another kind is there, a replica counts by itself', async t => {
    const { link, prefix, log } = await linkTo(server, t)
    const limits = new RedisLimits(link, 'requests')
    const rule = { max: 3, windowMs: MINUTE }
    await limits.take('a', rule)
    const client = operator(server, t)
    const [key] = await keysOf(client, `${prefix}:limit:*`)
    await client.del(key!)
    await client.rpush(key!, 'not ours')

    t.equal(await passedOf([limits], rule, 10), 3)
    t.ok(link.isUp)
    t.match(log.lines, [{ level: 'warn', text: 'redis refused a command' }])
    t.strictSame(await client.lrange(key!, 0, -1), ['not ours'])
  })
})
