// Totals of what strangers can make, and who still finds room: the same in memory and in Redis.
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { NO_REDIS, redisServer } from '../../../test/support/servers/redis-server.ts'
import { toBlocks } from '../src/state/address-blocks.ts'
import { MemoryStore } from '../src/state/memory.ts'
import { RedisStore } from '../src/state/redis.ts'
import { ROOMS, Rooms } from '../src/state/rooms.ts'
import type { Store } from '../src/state/store.ts'

const ROOM = { max: 1000, ttlS: 600 }
const attempts = (store: Store) => new Rooms(store, 60, () => {}, { ...ROOMS, Attempt: ROOM })

/** Tries until it is refused. @returns how many it got */
async function fill(rooms: Rooms, addressAt: (count: number) => string): Promise<number> {
  for (let count = 0; ; count++) if (!(await rooms.mayMake('Attempt', addressAt(count)))) return count
}

t.test('the blocks of an address are those of a subscriber, and two larger ones', async t => {
  t.strictSame(toBlocks('203.0.113.9'), ['203.0.113.9/32', '203.0.113.0/24', '203.0.0.0/16'])
  t.strictSame(toBlocks('::ffff:203.0.113.9'), toBlocks('203.0.113.9'))
  t.strictSame(toBlocks('2001:db8:1:2:3:4:5:6'), ['2001:db8:1:2::/64', '2001:db8:1::/48', '2001:db8::/32'])
})

t.test('what a proxy says in place of an address is counted, too', async t => {
  t.strictSame(toBlocks('203.0.113.9:51234'), toBlocks('203.0.113.9'), 'some proxies add a port')
  t.strictSame(toBlocks('[2001:db8::1]:443'), toBlocks('2001:db8::1'))
  for (const text of ['unknown', '_hidden', '', '203.0.113.9.', 'x'.repeat(5000)])
    t.strictSame(toBlocks(text), ['unknown'])
})

async function bounds(t: Test, create: () => Store): Promise<void> {
  await t.test('one address has a fifth at most, and its neighbour finds room', async t => {
    const rooms = attempts(create())

    t.equal(await fill(rooms, () => '203.0.113.1'), 200)
    t.ok(await rooms.mayMake('Attempt', '203.0.113.2'))
  })

  await t.test('many /64s of one network count as one, and other networks find room', async t => {
    const rooms = attempts(create())
    const got = await fill(rooms, count => `2001:db8:0:${(count % 64).toString(16)}::1`)

    t.equal(got, 333)
    t.notOk(await rooms.mayMake('Attempt', '2001:db8:0:ffff::1'), 'a new one of the same /48')
    t.ok(await rooms.mayMake('Attempt', '2001:db8:1::1'), 'another /48 of the same provider')
    t.ok(await rooms.mayMake('Attempt', '2001:db9::1'))
  })

  await t.test('many networks fill no more than the total, and a new one finds room', async t => {
    const rooms = attempts(create())
    let made = 0
    for (let round = 0; round < 40; round++)
      for (let network = 0; network < 46; network++)
        if (await rooms.mayMake('Attempt', `2a${network + 10}:1::1`)) made++

    t.ok(made > 800 && made < 1000, `${made}`)
    t.ok(await rooms.mayMake('Attempt', '2001:db8::1'))
  })

  await t.test('large entries count by their size, and what is refused takes nothing', async t => {
    const rooms = attempts(create())

    t.notOk(await rooms.mayMake('Attempt', '203.0.113.1', 251 * 1024))
    t.ok(await rooms.mayMake('Attempt', '203.0.113.1', 200 * 1024))
    t.notOk(await rooms.mayMake('Attempt', '203.0.113.1', 1))
    t.ok(await rooms.mayMake('Attempt', '198.51.100.1', 200 * 1024))
  })

  await t.test('of one user there are fewer than 100 sign-ins', async t => {
    const rooms = new Rooms(create(), 60, () => {})
    let count = 0
    while (await rooms.mayGrant('alice')) count++

    t.equal(count, 99)
    t.ok(await rooms.mayGrant('bob'))
  })
}

t.test('in memory', t => bounds(t, () => new MemoryStore()))

t.test('in Redis', { skip: NO_REDIS }, async t => {
  const client = new Redis((await redisServer(t)).url)
  t.teardown(() => client.disconnect())
  let stores = 0
  await bounds(t, () => new RedisStore(client, `broker${++stores}`, () => {}))

  const keys = await client.keys('*room*')
  t.ok(keys.length > 0)
  for (const key of keys) t.ok((await client.ttl(key)) > 0, `${key} ends`)
})

t.test('what was made is gone two windows later, and its room is free', async t => {
  let nowMs = 0
  const rooms = attempts(new MemoryStore({ now: () => nowMs }))
  await fill(rooms, () => '203.0.113.1')

  nowMs += ROOM.ttlS * 1000
  t.notOk(await rooms.mayMake('Attempt', '203.0.113.1'), 'it may still be there')
  nowMs += ROOM.ttlS * 1000
  t.equal(await fill(rooms, () => '203.0.113.1'), 200)
})
