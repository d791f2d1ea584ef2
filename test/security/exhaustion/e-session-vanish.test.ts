// Peers of sessions that vanish without a word, behind a proxy that swallows everything.
import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { defineResource, defineTool } from '../../../src/index.ts'
import { socket } from '../../support/client/transport.ts'
import { until, wired } from '../../support/security/hostile.ts'
import { openSessionAt, watchAll } from '../../support/security/sessions.ts'

const filler = defineTool({ name: 'filler', handler: () => 'x' })
const document = defineResource({ uriTemplate: 'doc:{id}', name: 'doc', handler: () => 'x' })

/** Passes bytes on until it swallows them: both sides stay open, and neither hears of the other again. */
async function blackHole(t: Test, port: number) {
  const pairs: [net.Socket, net.Socket][] = []
  const proxy = net.createServer(near => {
    const far = net.connect(port, '127.0.0.1')
    pairs.push([near, far])
    for (const socket of [near, far]) socket.on('error', () => {})
    near.pipe(far)
    far.pipe(near)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.teardown(() => {
    for (const socket of pairs.flat()) socket.destroy()
    proxy.close()
  })
  const swallow = () => {
    for (const [near, far] of pairs) {
      near.unpipe(far)
      far.unpipe(near)
      for (const socket of [near, far]) socket.pause()
    }
  }
  return { port: (proxy.address() as net.AddressInfo).port, swallow }
}

t.test(
  'E4: a peer that vanishes without a word is gone within 45 s of news, and nothing is lost for its return',
  async t => {
    let nowMs = 0
    const { port, toolrack, streams } = await wired(t, [document], { clock: () => nowMs })
    const hole = await blackHole(t, port)
    const session = await openSessionAt(t, port)
    const uris = await watchAll(t, port, session, 100)
    const vanished = await socket(hole.port, t).stream({ session })
    await until(() => vanished.events.length > 0, 'it began')
    hole.swallow()

    for (; nowMs < 45_000 && streams.size > 0; nowMs += 1000) {
      for (let round = 0; round < 3000; round++) {
        toolrack.resourceUpdated(uris[round % uris.length]!)
        if (round % 100 === 0) await sleep(0)
      }
      streams.tick()
      await sleep(5)
    }
    t.ok(nowMs < 45_000, `gone after ${nowMs} ms`)

    toolrack.add(filler)
    const back = await socket(port, t).stream({ session, headers: { 'last-event-id': vanished.events.at(-1)!.id! } })
    await back.find(({ method }) => method === 'notifications/tools/list_changed')
    const told = new Set(back.messages.flatMap(({ params }) => params?.uri ?? []))
    t.equal(told.size, 100, 'each resource that changed')
  },
)

t.test('E4: whoever comes back gets the news, though its old connection was never seen to close', async t => {
  const { port, toolrack } = await wired(t, [])
  const hole = await blackHole(t, port)
  const session = await openSessionAt(t, port)
  const vanished = await socket(hole.port, t).stream({ session })
  await until(() => vanished.events.length > 0, 'it began')
  hole.swallow()
  toolrack.add(filler)
  await sleep(20)

  const back = await socket(port, t).stream({ session, headers: { 'last-event-id': vanished.events.at(-1)!.id! } })
  await back.find(({ method }) => method === 'notifications/tools/list_changed')
  toolrack.remove('filler')
  await until(() => back.messages.length === 2, 'and what follows')
  t.same(vanished.messages, [])
})
