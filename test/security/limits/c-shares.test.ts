// How many streams and calls one subject may have at once, so that others are served.
import net, { type AddressInfo } from 'node:net'
import Fastify from 'fastify'
import t from 'tap'
import toolrack, { defineTool } from '../../../src/index.ts'
import { type App, build, call, request, stream } from '../../support/app.ts'
import { socket } from '../../support/client/transport.ts'
import { gate } from '../../support/fakes.ts'
import { oneByOne } from '../../support/one-by-one.ts'
import { as, guarded, guardedListening } from '../../support/security/callers.ts'
import { until } from '../../support/security/hostile.ts'
import { openSessionAt } from '../../support/security/sessions.ts'
import { turns } from '../../support/turns.ts'

const LISTEN = { notifications: { toolsListChanged: true } }
const filler = defineTool({ name: 'filler', handler: () => 'x' })
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

t.test('E2: the seventeenth stream of a subject is refused, and the others stay open', async t => {
  const { app, url } = await guardedListening(t, { tools: [filler] })
  const listen = (subject: string) => stream(t, url, 'subscriptions/listen', LISTEN, { headers: as(subject) })
  const held = await Promise.all(times(16, () => listen('alice')))
  await Promise.all(held.map(each => each.next(0)))

  const refused = await listen('alice')
  const his = await listen('bob')

  t.equal(refused.status, 429)
  t.match(refused.headers['retry-after'], /^[1-9]\d*$/)
  t.equal(his.status, 200)
  app.toolrack.remove('filler')
  for (const each of [...held, his]) t.match(await each.next(1), { method: 'notifications/tools/list_changed' })
})

t.test('E2: a stream that is closed makes room', async t => {
  const { url } = await guardedListening(t, { tools: [filler] })
  const listen = () => stream(t, url, 'subscriptions/listen', LISTEN, { headers: as('alice') })
  const [first] = await Promise.all(times(16, listen))
  t.equal((await listen()).status, 429)

  first!.close()

  await until(async () => (await listen()).status === 200, 'there was room')
  t.equal((await listen()).status, 429, 'for one')
})

t.test('E2: streams of sessions and of HTTP+SSE count together with the others', async t => {
  const { port, url } = await guardedListening(t, { tools: [filler], httpSse: true })
  const headers = as('alice')
  const sessions = await Promise.all(times(4, () => openSessionAt(t, port, { headers })))
  const news = (session: string) => socket(port, t).stream({ session, headers })
  for (const session of sessions) for (const _ of times(3, Number)) t.equal((await news(session)).status, 200)
  for (const _ of times(2, Number)) t.equal((await socket(port, t).stream({ path: '/sse', headers })).status, 200)
  for (const _ of times(2, Number))
    t.equal((await stream(t, url, 'subscriptions/listen', LISTEN, { headers })).status, 200)

  const refused = [await news(sessions[0]!), await socket(port, t).stream({ path: '/sse', headers })]

  for (const { status, text, headers } of refused) {
    t.equal(status, 429)
    t.match(headers['retry-after'], /^[1-9]\d*$/)
    await until(() => text !== undefined, 'it was read')
  }
  await refused[0]!.ended
  t.match(JSON.parse(refused[0]!.text), { error: { code: 42900 } })
  t.equal((await stream(t, url, 'subscriptions/listen', LISTEN, { headers })).status, 429)
  t.equal((await socket(port, t).stream({ path: '/sse', headers: as('bob') })).status, 200)
})

t.test('E2: a stream that answers a call is none of them', async t => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const steps = defineTool({
    name: 'steps',
    async handler(_args, { progress }) {
      progress(1)
      await promise
    },
  })
  const { url } = await guardedListening(t, { tools: [steps] })
  const headers = as('alice')
  const meta = { progressToken: 'p' }
  const calls = await Promise.all(
    times(20, () => stream(t, url, 'tools/call', { name: 'steps', arguments: {} }, { headers, meta })),
  )

  const listener = await stream(t, url, 'subscriptions/listen', LISTEN, { headers })

  t.equal(listener.status, 200)
  resolve()
  for (const each of calls) t.ok('result' in (await each.next(1)))
})

t.test('E2: who leaves while it is verified takes no place', async t => {
  const { promise: verified, resolve: goOn } = Promise.withResolvers<void>()
  const came = { count: 0, left: 0 }
  const app = Fastify()
  app.decorateRequest('caller', undefined)
  app.addHook('onRequest', async request => {
    came.count++
    request.raw.socket.on('close', () => came.left++)
    await verified
    request.caller = { subject: 'alice', scopes: [] }
  })
  await app.register(toolrack, { httpSse: true, rateLimit: { max: 1_000_000 } })
  t.teardown(() => {
    app.server.closeAllConnections()
    return app.close()
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const sockets = times(20, () => net.connect(port, '127.0.0.1'))
  for (const each of sockets) each.write('GET /sse HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n')
  await until(() => came.count === 20, 'all came')

  for (const each of sockets) each.destroy()
  await until(() => came.left === 20, 'all left')
  goOn()

  for (const _ of times(16, Number)) t.equal((await socket(port, t).stream({ path: '/sse' })).status, 200)
  t.equal((await socket(port, t).stream({ path: '/sse' })).status, 429)
})

async function gated(t: Parameters<typeof guarded>[0], options: Parameters<typeof guarded>[1] = {}) {
  const { handler, inputSchema, seen, open } = gate()
  t.teardown(open)
  const slow = defineTool({ name: 'slow', inputSchema: inputSchema as never, handler: handler as never })
  const app = await guarded(t, { tools: [slow, filler], ...options })
  return { app, seen, open }
}

const callAs = (app: App, subject: string, name = 'slow') =>
  call(app, 'tools/call', { name, arguments: {} }, { headers: as(subject) })

t.test('calls under way: a subject runs 32, a hundred wait for it, the rest are refused with 429', async t => {
  const { app, seen, open } = await gated(t)

  const calls = times(140, () => callAs(app, 'alice'))
  await until(() => seen.running === 32 && app.logs.text.split('RATE_LIMITED').length === 9, '8 were refused')
  open()
  const replies = await Promise.all(calls)

  t.equal(seen.most, 32)
  t.equal(replies.filter(({ status }) => status === 200).length, 132)
  const refused = replies.filter(({ status }) => status !== 200)
  for (const each of refused) t.match(each, { status: 429, error: { code: 42900 }, headers: { 'retry-after': '1' } })
})

t.test('calls under way: a subject that has all of its share takes no slot and no place from others', async t => {
  const { app, seen } = await gated(t, { limits: { maxConcurrentCalls: 40, maxQueuedCalls: 1 } })
  const hers = times(132, () => callAs(app, 'alice'))
  await until(() => seen.running === 32, 'her share runs')

  const his = await Promise.all(times(8, () => callAs(app, 'bob', 'filler')))

  for (const { status } of his) t.equal(status, 200)
  t.equal((await callAs(app, 'alice', 'filler')).status, 429, 'also for another tool')
  t.equal(hers.length, 132)
})

t.test('calls under way: sessions of a subject share, in each revision', async t => {
  const { handler, inputSchema, seen, open: letGo } = gate()
  t.teardown(letGo)
  const slow = defineTool({ name: 'slow', inputSchema: inputSchema as never, handler: handler as never })
  const { app, port } = await guardedListening(t, { tools: [slow] })
  const headers = as('alice')
  times(132, () => callAs(app, 'alice').catch(() => {}))
  await until(() => seen.running === 32, 'her share runs')
  const session = await openSessionAt(t, port, { headers })
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow', arguments: {} } }

  const refused = await socket(port, t).send({ session, headers, body })

  t.equal(refused.status, 429)
  t.match(JSON.parse(refused.text), { id: 1, error: { code: 42900 } })
})

t.test('calls under way: where nobody is verified there is no share', async t => {
  const { handler, inputSchema, seen, open } = gate()
  const slow = defineTool({ name: 'slow', inputSchema: inputSchema as never, handler: handler as never })
  const app = await build(t, { tools: [slow] })

  const calls = times(100, () => call(app, 'tools/call', { name: 'slow', arguments: {} }))
  await until(() => seen.running === 100, 'all run')
  open()

  for (const { status } of await Promise.all(calls)) t.equal(status, 200)
})

t.test('calls under way: where nobody is verified addresses take turns', async t => {
  const { handler, inputSchema, has, endOne, endAll, running, endsBefore } = oneByOne()
  const slow = defineTool({ name: 'slow', inputSchema: inputSchema as never, handler: handler as never })
  const app = await build(t, {
    tools: [slow],
    limits: { maxConcurrentCalls: 2, maxQueuedCalls: 20 },
    rateLimit: { max: 1_000_000 },
  })
  const callFrom = (who: string, remoteAddress: string) => {
    const { message, headers } = request('tools/call', { name: 'slow', arguments: { who } })
    return app.inject({ method: 'POST', url: '/mcp', headers, payload: JSON.stringify(message), remoteAddress })
  }
  const theirs = times(22, () => callFrom('many', '192.0.2.1'))
  await until(() => running.length === 2, 'all slots are taken')
  await turns()

  const his = callFrom('one', '192.0.2.2')
  await turns()

  t.ok((await endsBefore('one', 'many')) <= 2)
  t.ok(has('one'))
  await endOne('one')
  t.equal((await his).statusCode, 200)
  await endAll()
  const statuses = (await Promise.all(theirs)).map(({ statusCode }) => statusCode)
  t.strictSame(statuses.sort(), [...times(21, () => 200), 503], 'one has made way in the full queue')
})
