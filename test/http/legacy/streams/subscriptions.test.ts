import t from 'tap'
import { defineResource } from '../../../../src/index.ts'
import { connected, open, session } from '../../../support/client/app-client.ts'
import { movableClock } from '../../../support/clock.ts'

const page = defineResource({ uri: 'memo://page', name: 'page', handler: () => 'text' })
const other = defineResource({ uri: 'memo://other', name: 'other', handler: () => 'text' })
const pause = () => new Promise(resolve => setTimeout(resolve, 50))

t.test('resources/subscribe: a change of the resource is told, one of another is not', async t => {
  const client = await connected(t, { resources: [page, other] })
  const stream = await client.listen()
  t.strictSame((await client.call('resources/subscribe', { uri: 'memo://page' })).result, {})

  client.app.toolrack.resourceUpdated('memo://other')
  client.app.toolrack.resourceUpdated('memo://page')
  await stream.next(0)
  await pause()

  t.match(stream.messages, [{ method: 'notifications/resources/updated', params: { uri: 'memo://page' } }])
  t.equal(stream.messages.length, 1)
})

t.test('resources/subscribe: a change while nobody listens is told to the next stream, once', async t => {
  const client = await connected(t, { resources: [page] })
  await client.call('resources/subscribe', { uri: 'memo://page' })
  client.app.toolrack.resourceUpdated('memo://page')
  client.app.toolrack.resourceUpdated('memo://page')

  const stream = await client.listen()
  await stream.next(0)
  await pause()

  t.equal(stream.messages.length, 1)
})

t.test('resources/unsubscribe: changes are told no more', async t => {
  const client = await connected(t, { resources: [page] })
  const stream = await client.listen()
  await client.call('resources/subscribe', { uri: 'memo://page' })
  t.strictSame((await client.call('resources/unsubscribe', { uri: 'memo://page' })).result, {})

  client.app.toolrack.resourceUpdated('memo://page')
  await stream.event(0)
  await pause()

  t.strictSame(stream.messages, [])
})

t.test('resources/unsubscribe: of what was never watched is answered all the same', async t => {
  const client = await session(t, { resources: [page] })

  t.strictSame((await client.call('resources/unsubscribe', { uri: 'memo://gone' })).result, {})
})

t.test('resources/subscribe: an unknown resource is answered -32002', async t => {
  const client = await session(t, { resources: [page] })

  t.match(await client.call('resources/subscribe', { uri: 'memo://gone' }), { status: 200, error: { code: -32002 } })
})

t.test('resources/subscribe: one session does not watch for another', async t => {
  const client = await connected(t, { resources: [page] })
  const stranger = await open(t, client.app)
  const stream = await stranger.listen()
  await client.call('resources/subscribe', { uri: 'memo://page' })

  client.app.toolrack.resourceUpdated('memo://page')
  await stream.event(0)
  await pause()

  t.strictSame(stream.messages, [])
})

t.test('resources/subscribe: a session watches at most 100', async t => {
  const resources = Array.from({ length: 101 }, (_, index) =>
    defineResource({ uri: `memo://${index}`, name: `m${index}`, handler: () => 'x' }),
  )
  const client = await session(t, { resources })
  for (let index = 0; index < 100; index++) await client.call('resources/subscribe', { uri: `memo://${index}` })

  const past = await client.call('resources/subscribe', { uri: 'memo://100' })
  const again = await client.call('resources/subscribe', { uri: 'memo://7' })

  t.match(past, { status: 503, error: { code: 50300 } })
  t.strictSame(again.result, {})
})

t.test('resources/subscribe: a session that only watches expires all the same', async t => {
  const clock = movableClock(t)
  const client = await session(t, { resources: [page], sessions: { ttlMs: 1000 } })
  await client.call('resources/subscribe', { uri: 'memo://page' })

  clock.forward(1001)

  t.equal((await client.call('ping')).status, 404)
})
