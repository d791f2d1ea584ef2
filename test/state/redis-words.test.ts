// What replicas say to each other of sessions, where it is not what replicas say.
import t from 'tap'
import { Cancellation } from '../../src/cancellation.ts'
import { LiveSessions } from '../../src/legacy/live-sessions.ts'
import { Changes } from '../../src/registry/changes.ts'
import type { Session } from '../../src/session.ts'
import { memoryEvents } from '../../src/state/memory/events.ts'
import { memorySessions } from '../../src/state/memory/sessions.ts'
import { redisPeers } from '../../src/state/redis/peers.ts'
import { eventually } from './contract/eventually.ts'
import { OPENING } from './contract/sessions.ts'
import { busTo, operator, withRedis } from './redis-links.ts'

withRedis(t, 'words of replicas', (t, server) => {
  t.test('words of replicas: F11 what is not said of sessions as replicas say it is ignored', async t => {
    const { link, bus, prefix } = await busTo(server, t)
    const store = memorySessions({ ttlMs: 60_000 })
    const parts = { sessions: store, events: memoryEvents(), changes: new Changes(), ttlMs: 60_000 }
    const sessions = new LiveSessions({ ...parts, peers: redisPeers(link, bus), mayRead: () => true })
    t.teardown(() => {
      sessions.shutDown()
      return store.close()
    })
    const session = (await sessions.open(OPENING)) as Session
    const running = new Cancellation()
    sessions.of(session).running.set('call', running)
    const redis = operator(server, t)
    const say = (word: object) =>
      redis.publish(`${prefix}:bus:sessions`, JSON.stringify({ from: 'x', word: { session: session.id, ...word } }))

    for (const kind of ['answer', 'cancel', 'told', 'left', 'changed', 'reads', 'toString', 7])
      for (const more of [{}, { response: 7, requestId: {}, seen: 7, waiting: 7 }, { seen: {}, waiting: [7] }])
        await say({ kind, ...more })
    t.equal(running.reason, undefined)
    await say({ kind: 'cancel', requestId: 'call' })

    await eventually(() => running.reason === 'cancelled', 'it hears what is said as it should be')
  })
})
