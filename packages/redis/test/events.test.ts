import t from 'tap'
import { toSuite } from '../../../test/support/suite.ts'
import { eventsSuite } from '../../state/src/suites/events.ts'
import { RedisEvents } from '../src/events.ts'
import { keysOf, linkTo, newPrefix, operator, withRedis } from './links.ts'

withRedis(t, 'events on Redis', (t, server) => {
  eventsSuite(toSuite(t), 'events on Redis', async (t, bounds) => {
    const { link } = await linkTo(server, t)
    return new RedisEvents(link, bounds)
  })

  t.test('events on Redis: of all streams so many bytes are kept, and those unused for longest go', async t => {
    const { link, prefix } = await linkTo(server, t)
    const events = new RedisEvents(link, { maxSize: 10_000 })
    const key = (stream: string) => ({ session: 'mine', stream })
    for (const stream of ['a', 'b', 'c']) await events.append(key(stream), { seq: 1, json: 'x'.repeat(2000) })
    await events.append(key('a'), { seq: 2, json: 'x' })

    await events.append(key('d'), { seq: 1, json: 'x'.repeat(2000) })

    t.equal(await events.read(key('b'), 0), undefined)
    for (const stream of ['a', 'c', 'd']) t.ok(await events.read(key(stream), 0), stream)
    await events.append(key('e'), { seq: 1, json: 'x'.repeat(20_000) })
    t.equal((await events.read(key('e'), 0))?.events.length, 1, 'the newest always stays')
    t.strictSame(
      (await keysOf(operator(server, t), `${prefix}:*`)).filter(name => /:(?:events|stream):/.test(name)),
      [`${prefix}:events:e`, `${prefix}:stream:e`],
    )
  })

  t.test('events on Redis: streams on which nothing was said are bounded too', async t => {
    const { link, prefix } = await linkTo(server, t)
    const events = new RedisEvents(link, { maxSize: 7000 })

    for (let n = 0; n < 100; n++) {
      await events.begin({ session: 'mine', stream: `s${n}`, isReply: true }, [n])
      await events.finish({ session: 'mine', stream: `s${n}` })
    }

    const kept = await keysOf(operator(server, t), `${prefix}:stream:*`)
    t.equal(kept.length, 10)
    t.ok(await events.read({ session: 'mine', stream: 's99' }, 0))
  })

  t.test('events on Redis: what has expired, or was shortened, is no longer counted', async t => {
    const { link, prefix } = await linkTo(server, t, newPrefix())
    const events = new RedisEvents(link)
    const client = operator(server, t)
    const held = async () => Number((await client.hget(`${prefix}:stream-holds`, '')) ?? 0)
    const key = { session: 'mine', stream: 'a' }
    for (let seq = 1; seq <= 300; seq++) await events.append(key, { seq, json: 'x'.repeat(100) })
    const full = await held()
    t.ok(full > 20_000 && full < 25_000, `${full}`)

    // As if its time had passed: Redis forgets it, and tells nobody.
    await client.del(`${prefix}:events:a`, `${prefix}:stream:a`)
    await events.append(key, { seq: 301, json: 'x' })

    t.ok((await held()) < 1000)
    t.equal((await events.read(key, 0))?.events.length, 1)
  })
})
