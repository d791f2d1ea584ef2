import t from 'tap'
import { CLAIM_MS, type ClaimedRun, KEPT_BOUNDS, KEPT_MS } from '../../../src/state/kept-results.ts'
import { toSuite } from '../../../test/support/suite.ts'
import { keptResultsSuite } from '../../state/src/suites/kept-results.ts'
import { RedisKeptResults } from '../src/kept-results.ts'
import { linkTo, newPrefix, operator, withRedis } from './links.ts'

const request = { clientKey: 'client', fingerprint: 'f', isRepeatable: false }

withRedis(t, 'kept on Redis', (t, server) => {
  keptResultsSuite(toSuite(t), 'kept on Redis', async (t, count) => {
    const prefix = newPrefix()
    const links = await Promise.all(Array.from({ length: count }, () => linkTo(server, t, prefix)))
    return links.map(({ link }) => new RedisKeptResults(link))
  })

  t.test('kept on Redis: a run whose process does not renew it is lost', async t => {
    const { link, prefix } = await linkTo(server, t)
    const [kept, client] = [new RedisKeptResults(link), operator(server, t)]
    const { run } = (await kept.claim('a', request)) as { run: ClaimedRun }
    const [seconds] = await client.time()
    const lose = () => client.zadd(`${prefix}:kept-running`, Number(seconds) * 1000, 'a')

    t.ok(Number(await client.zscore(`${prefix}:kept-running`, 'a')) <= (Number(seconds) + 1) * 1000 + CLAIM_MS)
    await lose()
    await kept.renew(run)
    t.match(await kept.claim('a', request), { status: 'running' })
    await lose()
    t.match(await kept.claim('a', request), { status: 'lost', fingerprint: 'f' })
    await kept.keep(run, '1')
    t.match(await kept.claim('a', request), { status: 'ended', outcome: '1' }, 'it has ended after all')
  })

  t.test('kept on Redis: a lost run that may be repeated is given to one other', async t => {
    const { link, prefix } = await linkTo(server, t)
    const [kept, client] = [new RedisKeptResults(link), operator(server, t)]
    const repeatable = { ...request, isRepeatable: true }
    const { run: lost } = (await kept.claim('a', repeatable)) as { run: ClaimedRun }
    await client.zadd(`${prefix}:kept-running`, 1, 'a')

    t.match(await kept.claim('a', { ...repeatable, fingerprint: 'other' }), { status: 'lost', fingerprint: 'f' })
    const claims = await Promise.all(Array.from({ length: 20 }, () => kept.claim('a', repeatable)))
    t.equal(claims.filter(({ status }) => status === 'claimed').length, 1)
    await kept.release(lost)
    t.match(await kept.claim('a', repeatable), { status: 'running' })
  })

  t.test('kept on Redis: lost runs make room for others', async t => {
    const { link, prefix } = await linkTo(server, t)
    const [kept, client] = [new RedisKeptResults(link), operator(server, t)]
    for (let id = 0; id < KEPT_BOUNDS.maxCountOfClient; id++) await kept.claim(`id-${id}`, request)
    t.match(await kept.claim('one more', request), { status: 'full' })

    await client.zadd(`${prefix}:kept-running`, 1, 'id-7')
    t.match(await kept.claim('one more', request), { status: 'claimed' })
    t.match(await kept.claim('id-7', request), { status: 'full' })
  })

  t.test('kept on Redis: a result expires, and the lists after what they list', async t => {
    const { link, prefix } = await linkTo(server, t)
    const [kept, client] = [new RedisKeptResults(link), operator(server, t)]
    const { run } = (await kept.claim('a', request)) as { run: ClaimedRun }
    await kept.keep(run, '1')
    await kept.claim('b', request)

    for (const key of await client.keys(`${prefix}:kept*`)) {
      const leftMs = await client.pttl(key)
      const maxMs = key.includes(':kept-result:') ? KEPT_MS : 2 * KEPT_MS
      t.ok(leftMs > 0 && leftMs <= maxMs, key)
    }
    await client.del(`${prefix}:kept-result:a`)
    await client.zadd(`${prefix}:kept`, 1, 'a')
    const again = (await kept.claim('a', request)) as { run: ClaimedRun }
    await kept.release(again.run)
    t.strictSame(await client.hgetall(`${prefix}:kept-shares`), { b: '0:client' })
  })
})
