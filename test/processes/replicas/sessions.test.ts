// A session that was opened on one replica, used on the other. Spec 2025-11-25: basic/transports, "Session Management".
import t from 'tap'
import { listening } from '../../support/app.ts'
import { pair, said, until } from '../../support/replicas/pair.ts'
import { openAt, textOf } from '../../support/replicas/session.ts'
import { callTool } from '../../support/replicas/stateless.ts'
import { NO_REDIS } from '../../support/servers/redis-server.ts'

t.test('sessions.mode: opened on one replica, used on the other', { skip: NO_REDIS }, async t => {
  const { one, two, proxy } = await pair(t)

  t.test('lists and calls', async t => {
    const client = await openAt(t, one)

    t.equal(
      (await client.at(two).call('tools/list')).result.tools.some(({ name }: { name: string }) => name === 'where'),
      true,
    )
    t.equal((await client.at(two).call('resources/list')).result.resources.length, 2)
    t.equal(await textOf(client.at(two).postTool('where')), String(two.port))
    t.equal(await textOf(client.at(one).postTool('where')), String(one.port))
    t.strictSame((await client.at(two).call('ping')).result, {})
  })

  t.test('consecutive requests through the proxy reach different replicas', async t => {
    const client = await openAt(t, proxy)
    const places: string[] = []
    // Not two: one that is sent again, since Redis did not answer in time, takes the turn of the next.
    for (let turn = 0; turn < 6; turn++) places.push(await textOf(client.at(proxy).postTool('where')))

    t.same(new Set(places), new Set([one, two].map(({ port }) => String(port))))
  })

  t.test('the level of its log, set on one, holds on both', async t => {
    const client = await openAt(t, one)
    const levelsOf = async (at: typeof one) => {
      const call = await client.at(at).postTool('chatty')
      await call.ended
      return call.messages.slice(0, -1).map(({ params }) => params.level)
    }
    t.strictSame(await levelsOf(one), [])

    await client.at(two).call('logging/setLevel', { level: 'error' })
    t.strictSame(await levelsOf(one), ['error'])
    t.strictSame(await levelsOf(two), ['error'])

    await client.at(one).call('logging/setLevel', { level: 'debug' })
    t.strictSame(await levelsOf(two), ['info', 'error'])
  })

  t.test('a resource that is watched by way of the other is told where the session listens', async t => {
    const client = await openAt(t, one)
    const news = await client.at(one).listen()
    await client.at(two).call('resources/subscribe', { uri: 'memo://a' })
    await client.at(two).call('resources/subscribe', { uri: 'memo://b' })
    await client.at(two).call('resources/unsubscribe', { uri: 'memo://b' })

    await callTool(two, 'touch', { uri: 'memo://b' })
    await callTool(two, 'touch', { uri: 'memo://a' })
    t.match(await news.next(0), { method: 'notifications/resources/updated', params: { uri: 'memo://a' } })
    await callTool(one, 'touch', { uri: 'memo://a' })
    t.match(await news.next(1), { method: 'notifications/resources/updated', params: { uri: 'memo://a' } })

    t.equal(news.messages.length, 2)
  })

  t.test('its end on one ends its streams and calls on the other, and it is known on neither', async t => {
    const client = await openAt(t, one)
    const news = await client.at(one).listen()
    const call = await client.at(one).postTool('held', { name: 'ended' }, { _meta: { progressToken: 1 } })
    await call.next(0)

    t.equal((await client.at(two).end()).status, 204)

    await said(one, 'ended aborted: The client cancelled the request')
    await Promise.all([news.ended, call.ended])
    t.strictSame(
      call.messages.filter(({ method }) => method === undefined),
      [],
    )
    for (const at of [one, two, proxy]) {
      t.equal((await client.at(at).post(client.request('ping'))).status, 404)
      t.equal((await client.at(at).listen()).status, 404)
      t.equal((await client.at(at).end()).status, 404)
    }
  })

  t.test('a call whose stream is read on the other ends with its session too', async t => {
    const client = await openAt(t, one)
    const call = await client.at(one).postTool('held', { name: 'left' }, { _meta: { progressToken: 1 } })
    await call.next(0)
    call.close()
    const rest = await client.at(two).listen(call.events.at(-1)!.id)
    t.equal(rest.status, 200)

    await client.at(one).end()

    await rest.ended
    t.strictSame(rest.messages, [])
  })

  t.test('a call is cancelled by way of the other', async t => {
    const client = await openAt(t, one)
    const other = await client.at(one).postTool('held', { name: 'kept' }, { _meta: { progressToken: 1 } })
    const request = client.request('tools/call', {
      name: 'held',
      arguments: { name: 'cancelled' },
      _meta: { progressToken: 2 },
    })
    const call = await client.at(one).post(request)
    await Promise.all([other.next(0), call.next(0)])

    t.equal((await client.at(two).notify('notifications/cancelled', { requestId: request.id })).status, 202)

    await said(one, 'cancelled aborted: The client cancelled the request')
    await call.ended
    t.equal(
      call.messages.some(({ method }) => method === undefined),
      false,
    )
    await callTool(one, 'open_gate', { name: 'kept' })
    t.equal(await textOf(other), 'kept ended')
  })

  t.test('a session cancels nothing of another', async t => {
    const [client, stranger] = [await openAt(t, one), await openAt(t, two)]
    const request = client.request('tools/call', {
      name: 'held',
      arguments: { name: 'guarded' },
      _meta: { progressToken: 1 },
    })
    const call = await client.at(one).post(request)
    await call.next(0)

    await stranger.at(two).notify('notifications/cancelled', { requestId: request.id })
    await stranger.at(two).end()
    t.strictSame((await client.at(two).call('ping')).result, {})
    await callTool(one, 'open_gate', { name: 'guarded' })

    t.equal(await textOf(call), 'guarded ended')
  })

  t.test('a server of another Redis, or of none, does not know it', async t => {
    const client = await openAt(t, one)
    const { url } = await listening(t)

    t.equal((await client.at({ url }).post(client.request('ping'))).status, 404)
    t.strictSame((await client.at(two).call('ping')).result, {})
  })

  t.test('what was called once runs once, on one replica', async t => {
    const client = await openAt(t, proxy)
    const call = await client.at(proxy).postTool('held', { name: 'once' })
    await until(() => [one, two].some(({ lines }) => lines.includes('once began')), 'the call')
    await Promise.all([one, two].map(at => callTool(at, 'open_gate', { name: 'once' })))

    t.equal(await textOf(call), 'once ended')
    t.equal([...one.lines, ...two.lines].filter(line => line === 'once began').length, 1)
  })
})
