// What replicas say to each other: what nobody says, and what is said to one that stands still.
import { spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { SessionRegistry } from '../../../src/legacy/session-registry.ts'
import { ChangeEmitter } from '../../../src/registry/changes.ts'
import { Cancellation } from '../../../src/request/cancellation.ts'
import type { Session } from '../../../src/state/sessions.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { MemoryEvents } from '../../memory/src/events.ts'
import { MemorySessions } from '../../memory/src/sessions.ts'
import { OPENING } from '../../state/src/suites/sessions.ts'
import { RedisReplicas } from '../src/replicas.ts'
import { busTo, operator, withRedis } from './links.ts'

withRedis(t, 'words of replicas', (t, server) => {
  t.test('F11: words of replicas: what is not said of sessions as replicas say it is ignored', async t => {
    const { link, bus, prefix } = await busTo(server, t)
    const store = new MemorySessions({ ttlMs: 60_000 })
    const parts = { sessions: store, events: new MemoryEvents(), changes: new ChangeEmitter(), ttlMs: 60_000 }
    const sessions = new SessionRegistry({ ...parts, replicas: new RedisReplicas(link, bus), mayRead: () => true })
    t.teardown(() => {
      sessions.shutDown()
      return store.close()
    })
    const session = (await sessions.open(OPENING)) as Session
    const running = new Cancellation()
    sessions.getOrCreate(session).runningRequests.set('call', running)
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

  t.test('words of replicas: who stood still hears what was said meanwhile', async t => {
    const { bus } = await busTo(server, t)
    const heard: unknown[] = []
    let misses = 0
    const isOn = new Promise<void>(resolve => bus.onResubscribed(resolve))
    bus.subscribe('news', word => heard.push(word))
    await isOn
    bus.onResubscribed(() => misses++)

    // Longer than a connection may bring nothing.
    spawnSync('sh', ['-c', 'sleep 4; redis-cli -u "$0" publish "$1" 1', server.url, bus.channel('news')])
    await eventually(() => heard.length > 0, 'it hears')

    t.strictSame(heard, [1])
    // A connection that was given up would be there again by now.
    await sleep(1000)
    t.equal(misses, 0, 'on the connection that it had')
  })
})
