// What one replica hands to another: taken once or not at all.
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import type { JsonObject } from '../../src/protocol/messages.ts'
import type { Peers } from '../../src/state/peers.ts'
import { MAX_PARCELS, MAX_PARCELS_SIZE } from '../../src/state/redis/parcels.ts'
import { redisPeers } from '../../src/state/redis/peers.ts'
import { redisServer } from '../redis/redis-server.ts'
import { eventually } from './contract/eventually.ts'
import { busTo, keysOf, newPrefix, operator, withRedis } from './redis-links.ts'

const NOBODY = 'nobody0123456789'
const unavailable = { code: 50300, message: /^State unavailable/, retryAfterS: Number }

/** As replicas do: refused after a second, in which the machine may have stood still, it is handed over again. */
async function handed({ hand }: Peers, name: string, parcel: JsonObject): Promise<JsonObject | undefined> {
  for (let tries = 1; ; tries++) {
    const outcome = await hand(name, parcel).catch((error: Error) => error)
    if (!(outcome instanceof Error)) return outcome
    if (tries === 10 || !/^State unavailable/.test(outcome.message)) throw outcome
  }
}

withRedis(t, 'parcels on Redis', (t, server) => {
  async function replica(t: Test, prefix: string) {
    const { link, bus } = await busTo(server, t, prefix)
    const peers = redisPeers(link, bus)
    // What it listens to now, it hears.
    await eventually(async () => (await listenersOf(prefix, peers.name)) === 1, 'it listens')
    return { link, bus, peers }
  }

  const client = operator(server, t)
  const listenersOf = async (prefix: string, name: string) =>
    ((await client.pubsub('NUMSUB', `${prefix}:bus:replica:${name}`)) as unknown[])[1]

  async function two(t: Test) {
    const prefix = newPrefix()
    const [here, there] = [await replica(t, prefix), await replica(t, prefix)]
    return { prefix, here: here.peers, there: there.peers, other: there }
  }

  t.test('parcels on Redis: one that is handed over is taken there, and its answer comes back', async t => {
    const { prefix, here, there } = await two(t)
    here.onHanded(async () => ({ taken: 'here' }))
    there.onHanded(async parcel => ({ taken: parcel }))

    t.strictSame(await handed(here, there.name, { text: 'ä\u{1f600}' }), { taken: { text: 'ä\u{1f600}' } })
    t.strictSame(await handed(there, here.name, {}), { taken: 'here' })
    t.strictSame(await keysOf(client, `${prefix}:parcel:*`), [])
  })

  t.test('parcels on Redis: where there is no such replica there is no answer, and nothing stays', async t => {
    const { prefix, here } = await two(t)

    for (const name of [NOBODY, '', 'x', '*'.repeat(16)]) t.equal(await here.hand(name, {}), undefined, name)

    t.strictSame(await keysOf(client, `${prefix}:parcel:*`), [])
  })

  t.test(
    'parcels on Redis: a replica that is there, and does not listen now, is unavailable until it is gone',
    async t => {
      const { prefix, here, there, other } = await two(t)
      other.bus.close()
      await eventually(async () => (await listenersOf(prefix, there.name)) === 0, 'it listens no more')

      await t.rejects(here.hand(there.name, {}), unavailable)
      await other.link.close()
      await client.del(`${prefix}:replica:${there.name}:heartbeat`)

      t.equal(await here.hand(there.name, {}), undefined)
    },
  )

  t.test(
    'parcels on Redis: right after Redis has come back nobody is gone, since all have yet to come back',
    async t => {
      const own = await redisServer(t)
      const { link, bus } = await busTo(own, t)
      const peers = redisPeers(link, bus)
      t.equal(await peers.hand(NOBODY, {}), undefined)

      const afterReturn = async () => {
        await own.kill()
        await eventually(() => !link.isUp, 'it is noticed')
        await own.start()
        await eventually(() => link.isUp, 'it is back')
        return peers.hand(NOBODY, {}).catch((error: Error) => error)
      }
      let outcome = await afterReturn()
      // It is so for 5 s, in which the machine may stand still.
      for (let tries = 1; tries < 4 && outcome === undefined; tries++) outcome = await afterReturn()

      t.match(outcome, unavailable)
    },
  )

  t.test('parcels on Redis: what was not taken in time is refused, and cannot be taken later', async t => {
    const { prefix, here } = await two(t)
    const deaf = new Redis(server.url)
    t.teardown(() => deaf.disconnect())
    const notices: string[] = []
    deaf.on('message', (_channel, text) => notices.push(text))
    await deaf.subscribe(`${prefix}:bus:replica:${NOBODY}`)

    await t.rejects(here.hand(NOBODY, {}), unavailable)

    t.equal(notices.length, 1)
    t.strictSame(await keysOf(client, `${prefix}:parcel:*`), [])
  })

  t.test('parcels on Redis: what was taken is waited for, though its answer is late', async t => {
    const { here, there } = await two(t)
    const commands: string[] = []
    const monitor = await client.monitor()
    t.teardown(() => monitor.disconnect())
    monitor.on('monitor', (_time, [command]) => commands.push(command.toLowerCase()))
    there.onHanded(async () => {
      await eventually(() => commands.includes('del'), 'it is wanted back')
      return { taken: 'late' }
    })

    t.strictSame(await handed(here, there.name, {}), { taken: 'late' })
  })

  t.test('parcels on Redis: past the bounds they are refused, until others are through', async t => {
    const { here, there } = await two(t)
    const gate = Promise.withResolvers<void>()
    there.onHanded(async () => {
      await gate.promise
      return {}
    })
    const busy = { code: 50300, message: /^Server busy/, retryAfterS: Number }
    const onTheirWay = Array.from({ length: MAX_PARCELS }, () => here.hand(there.name, {}))

    await t.rejects(here.hand(there.name, {}), busy)
    gate.resolve()
    t.equal((await Promise.all(onTheirWay)).length, MAX_PARCELS)
    await t.rejects(here.hand(there.name, { text: 'x'.repeat(MAX_PARCELS_SIZE) }), busy)

    t.strictSame(await handed(here, there.name, {}), {})
  })

  t.test('parcels on Redis: F11 what is no notice, or no parcel, is ignored', async t => {
    const { prefix, here, there } = await two(t)
    const taken: unknown[] = []
    there.onHanded(async parcel => {
      taken.push(parcel)
      return {}
    })
    const channel = `${prefix}:bus:replica:${there.name}`
    await client.set(`${prefix}:parcel:damaged`, '{')
    await client.rpush(`${prefix}:parcel:list`, 'x')
    const about = (id: unknown, from: unknown = here.name) => JSON.stringify({ id, from })

    const notices = [about('damaged'), about('list'), about('missing'), about(7), about('a', 7), about('a', '*')]
    for (const text of ['x', '7', '[]', '{}', '{"id":"a","answer":{}}', ...notices]) await client.publish(channel, text)

    t.strictSame(await here.hand(there.name, { n: 1 }), {})
    t.strictSame(taken, [{ n: 1 }])
  })
})
