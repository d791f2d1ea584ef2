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
      (await client.call(two, 'tools/list')).result.tools.some(({ name }: { name: string }) => name === 'where'),
      true,
    )
    t.equal((await client.call(two, 'resources/list')).result.resources.length, 2)
    t.equal(await client.textOf(two, 'where'), String(two.port))
    t.equal(await client.textOf(one, 'where'), String(one.port))
    t.strictSame((await client.call(two, 'ping')).result, {})
  })

  t.test('consecutive requests through the proxy reach different replicas', async t => {
    const client = await openAt(t, proxy)
    const places: string[] = []
    // Not two: one that is sent again, since Redis did not answer in time, takes the turn of the next.
    for (let turn = 0; turn < 6; turn++) places.push(await client.textOf(proxy, 'where'))

    t.same(new Set(places), new Set([one, two].map(({ port }) => String(port))))
  })

  t.test('the level of its log, set on one, holds on both', async t => {
    const client = await openAt(t, one)
    const levelsOf = async (at: typeof one) => {
      const call = await client.callTool(at, 'chatty')
      await call.ended
      return call.messages.slice(0, -1).map(({ params }) => params.level)
    }
    t.strictSame(await levelsOf(one), [])

    await client.call(two, 'logging/setLevel', { level: 'error' })
    t.strictSame(await levelsOf(one), ['error'])
    t.strictSame(await levelsOf(two), ['error'])

    await client.call(one, 'logging/setLevel', { level: 'debug' })
    t.strictSame(await levelsOf(two), ['info', 'error'])
  })

  t.test('a resource that is watched by way of the other is told where the session listens', async t => {
    const client = await openAt(t, one)
    const news = await client.listen(one)
    await client.call(two, 'resources/subscribe', { uri: 'memo://a' })
    await client.call(two, 'resources/subscribe', { uri: 'memo://b' })
    await client.call(two, 'resources/unsubscribe', { uri: 'memo://b' })

    await callTool(two, 'touch', { uri: 'memo://b' })
    await callTool(two, 'touch', { uri: 'memo://a' })
    t.match(await news.next(0), { method: 'notifications/resources/updated', params: { uri: 'memo://a' } })
    await callTool(one, 'touch', { uri: 'memo://a' })
    t.match(await news.next(1), { method: 'notifications/resources/updated', params: { uri: 'memo://a' } })

    t.equal(news.messages.length, 2)
  })

  t.test('its end on one ends its streams and calls on the other, and it is known on neither', async t => {
    const client = await openAt(t, one)
    const news = await client.listen(one)
    const call = await client.callTool(one, 'held', { name: 'ended' }, { _meta: { progressToken: 1 } })
    await call.next(0)

    t.equal(await client.end(two), 204)

    await said(one, 'ended aborted: The client cancelled the request')
    await Promise.all([news.ended, call.ended])
    t.strictSame(
      call.messages.filter(({ method }) => method === undefined),
      [],
    )
    for (const at of [one, two, proxy]) {
      t.equal((await client.post(at, client.request('ping'))).status, 404)
      t.equal((await client.listen(at)).status, 404)
      t.equal(await client.end(at), 404)
    }
  })

  t.test('a call whose stream is read on the other ends with its session too', async t => {
    const client = await openAt(t, one)
    const call = await client.callTool(one, 'held', { name: 'left' }, { _meta: { progressToken: 1 } })
    await call.next(0)
    call.leave()
    const rest = await client.listen(two, call.events.at(-1)!.id)
    t.equal(rest.status, 200)

    await client.end(one)

    await rest.ended
    t.strictSame(rest.messages, [])
  })

  t.test('a call is cancelled by way of the other', async t => {
    const client = await openAt(t, one)
    const other = await client.callTool(one, 'held', { name: 'kept' }, { _meta: { progressToken: 1 } })
    const request = client.request('tools/call', {
      name: 'held',
      arguments: { name: 'cancelled' },
      _meta: { progressToken: 2 },
    })
    const call = await client.post(one, request)
    await Promise.all([other.next(0), call.next(0)])

    t.equal(await client.notify(two, 'notifications/cancelled', { requestId: request.id }), 202)

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
    const call = await client.post(one, request)
    await call.next(0)

    await stranger.notify(two, 'notifications/cancelled', { requestId: request.id })
    await stranger.end(two)
    t.strictSame((await client.call(two, 'ping')).result, {})
    await callTool(one, 'open_gate', { name: 'guarded' })

    t.equal(await textOf(call), 'guarded ended')
  })

  t.test('a server of another Redis, or of none, does not know it', async t => {
    const client = await openAt(t, one)
    const { url } = await listening(t)

    t.equal((await client.post({ url }, client.request('ping'))).status, 404)
    t.strictSame((await client.call(two, 'ping')).result, {})
  })

  t.test('what was called once runs once, on one replica', async t => {
    const client = await openAt(t, proxy)
    const call = await client.callTool(proxy, 'held', { name: 'once' })
    await until(() => [one, two].some(({ lines }) => lines.includes('once began')), 'the call')
    await Promise.all([one, two].map(at => callTool(at, 'open_gate', { name: 'once' })))

    t.equal(await textOf(call), 'once ended')
    t.equal([...one.lines, ...two.lines].filter(line => line === 'once began').length, 1)
  })
})
