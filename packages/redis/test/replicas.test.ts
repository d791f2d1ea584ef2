// Messages between replicas about sessions: each kind arrives at the other, and none that is something else.
import t from 'tap'
import type { ReplicaMessage } from '../../../src/state/replicas.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { RedisReplicas } from '../src/replicas.ts'
import { busTo, newPrefix, withRedis } from './links.ts'

const session = 'the session'
const MESSAGES: { [K in ReplicaMessage['kind']]: Extract<ReplicaMessage, { kind: K }> } = {
  answer: { kind: 'answer', session, response: { jsonrpc: '2.0', id: 1, result: {} } },
  cancel: { kind: 'cancel', session, requestId: 1 },
  looked: { kind: 'looked', session, taskId: 'the task' },
  changed: { kind: 'changed', session },
  reads: { kind: 'reads', session },
  ended: { kind: 'ended', session },
}

withRedis(t, 'messages between replicas', (t, server) => {
  t.test('each arrives at the other, and at its own only that it reads', async t => {
    const prefix = newPrefix()
    const [one, two] = [await busTo(server, t, prefix), await busTo(server, t, prefix)]
    const heard: Record<string, [ReplicaMessage, boolean][]> = { one: [], two: [] }
    const channels = Object.entries({ one, two }).map(([name, { link, bus }]) => {
      const channel = new RedisReplicas(link, bus)
      channel.subscribe((message, isOwn) => heard[name]!.push([message, isOwn]))
      return channel
    })
    // What is sent before both are subscribed is lost.
    await eventually(() => {
      channels[1]!.publish(MESSAGES.reads)
      return heard['one']!.length > 0 && heard['two']!.length > 0
    }, 'both listen')
    for (const each of Object.values(heard)) each.length = 0

    two.bus.publish('sessions', { from: 'another', word: { kind: 'toString', session } })
    for (const message of Object.values(MESSAGES)) channels[0]!.publish(message)

    const wanted = Object.values(MESSAGES).map(message => [message, false])
    const isNew = ([message, isOwn]: [ReplicaMessage, boolean]) => !(isOwn && message.kind === 'reads')
    await eventually(() => heard['two']!.filter(isNew).length >= wanted.length, JSON.stringify(heard))
    t.strictSame(heard['two']!.filter(isNew), wanted)
    t.strictSame([...new Set(heard['one']!.map(([{ kind }]) => kind))], ['reads'])
  })
})
