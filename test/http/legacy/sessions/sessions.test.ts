import t from 'tap'
import { build } from '../../../support/app.ts'
import { open, session } from '../../../support/client/app-client.ts'
import { initializing } from '../../../support/client/client.ts'
import { movableClock } from '../../../support/clock.ts'
import { gatedTool, stuckTool, tool } from '../../../support/steered-tools.ts'

const echo = tool('echo', () => 'hello')
const usual = { host: 'localhost', 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

t.test('initialize answers with Mcp-Session-Id, which is visible ASCII and hard to guess', async t => {
  const app = await build(t)

  const ids = await Promise.all(Array.from({ length: 50 }, async () => (await open(t, app)).id))

  t.equal(new Set(ids).size, 50)
  for (const id of ids) t.match(id, /^[\x21-\x7e]{32,}$/)
})

t.test('SESSIONS=required: a request without Mcp-Session-Id is answered 400', async t => {
  const { app } = await session(t, { sessions: { mode: 'required' } })

  const reply = await app.inject({ method: 'POST', url: '/mcp', headers: usual, payload: ping })

  t.equal(reply.statusCode, 400)
  t.match(reply.json(), { id: 1, error: { code: -32600, message: /Mcp-Session-Id/ } })
})

t.test('SESSIONS=required: a notification, an answer, a GET and a DELETE without it are answered 400', async t => {
  const { app } = await session(t, { sessions: { mode: 'required' } })
  const said = [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 1, result: {} },
  ]

  for (const payload of said) {
    t.equal((await app.inject({ method: 'POST', url: '/mcp', headers: usual, payload })).statusCode, 400)
  }
  for (const method of ['GET', 'DELETE'] as const) {
    t.equal((await app.inject({ method, url: '/mcp', headers: { host: 'localhost' } })).statusCode, 400)
  }
})

t.test('an unknown session is answered 404, whatever is sent', async t => {
  const { app } = await session(t)
  const headers = { ...usual, 'mcp-session-id': 'nobody-knows-this-one' }

  const post = await app.inject({ method: 'POST', url: '/mcp', headers, payload: ping })
  const get = await app.inject({ method: 'GET', url: '/mcp', headers })
  const end = await app.inject({ method: 'DELETE', url: '/mcp', headers })

  t.match(post.json(), { id: 1, error: { code: 40400 } })
  t.strictSame(
    [post, get, end].map(({ statusCode }) => statusCode),
    [404, 404, 404],
  )
})

t.test('DELETE ends a session, and from then on it is answered 404', async t => {
  const client = await session(t)

  const ended = await client.end()

  t.equal(ended.status, 204)
  t.equal(ended.text, '')
  t.equal((await client.call('ping')).status, 404)
  t.equal((await client.end()).status, 404)
})

t.test('DELETE of one session leaves the others', async t => {
  const first = await session(t)
  const second = await open(t, first.app)

  await first.end()

  t.strictSame((await second.call('ping')).result, {})
})

t.test('a session that nobody uses expires, and is answered 404', async t => {
  const clock = movableClock(t)
  const client = await session(t, { sessions: { ttlMs: 1000 } })

  clock.forward(1001)

  t.equal((await client.call('ping')).status, 404)
})

t.test('initialize opens a new session even where it names an old one', async t => {
  const first = await session(t)

  const second = await open(t, first.app, { headers: { 'mcp-session-id': first.id } })

  t.not(second.id, first.id)
  t.strictSame((await first.call('ping')).result, {})
})

t.test('an initialize that is refused opens no session', async t => {
  const app = await build(t)
  const send = (params: object) =>
    app.inject({ method: 'POST', url: '/mcp', headers: usual, payload: { ...initializing(), params } })
  const { params } = initializing()

  const replies = [
    await send({}),
    await send({ ...params, capabilities: 7 }),
    await send({ ...params, clientInfo: undefined }),
    await send({ ...params, _meta: { progressToken: {} } }),
  ]

  for (const reply of replies) {
    t.match(reply.json(), { error: { code: -32602 } })
    t.notOk('mcp-session-id' in reply.headers)
  }
})

t.test('ping is answered with an empty result', async t => {
  const client = await session(t)

  t.strictSame((await client.call('ping')).result, {})
})

t.test('a notification or an answer that nothing waits for is accepted with 202 and no body', async t => {
  const client = await session(t)

  const replies = [
    await client.notify('notifications/initialized'),
    await client.notify('notifications/roots/list_changed'),
    await client.notify('notifications/cancelled', { requestId: 'unknown' }),
    await client.notify('notifications/cancelled', { requestId: {} }),
    await client.notify('notifications/nobody-knows'),
    await client.send({ jsonrpc: '2.0', id: 'unasked', result: {} }),
    await client.send({ jsonrpc: '2.0', id: 7, error: { code: 1, message: 'no' } }),
  ]

  for (const { status, text } of replies) t.strictSame([status, text], [202, ''])
})

t.test('a second request with the id of one that is under way is refused, and the first goes on', async t => {
  const gate = gatedTool()
  const client = await session(t, { tools: [gate.gated, echo] })

  const first = client.send(client.request('tools/call', { name: 'slow' }, 'same'))
  await gate.started
  const second = await client.send(client.request('tools/call', { name: 'echo' }, 'same'))
  gate.open()

  t.match(second, { status: 400, error: { code: -32600 } })
  t.equal((await first).result.content[0].text, 'done')
})

t.test('HEAD, PUT and PATCH are answered 405, and Allow says what is there', async t => {
  const client = await session(t)

  for (const method of ['HEAD', 'PUT', 'PATCH'] as const) {
    const reply = await client.app.inject({ method, url: '/mcp', headers: { ...client.headers(), host: 'localhost' } })
    t.equal(reply.statusCode, 405)
    t.equal(reply.headers.allow, 'POST, GET, DELETE')
  }
})

t.test('DELETE stops a call under way, which is answered no more', async t => {
  const { stuck, started, aborted } = stuckTool()
  const client = await session(t, { tools: [stuck] })
  const call = client.callTool('stuck')
  await started

  await client.end()

  t.match(await call, { status: 200, messages: [] })
  t.match(await aborted, /cancelled/)
})

t.test('where a client takes JSON only, a call whose session ends is answered 202', async t => {
  const { stuck, started } = stuckTool()
  const client = await session(t, { tools: [stuck] })
  const call = client.call('tools/call', { name: 'stuck' }, { accept: 'application/json' })
  await started

  await client.end()

  t.match(await call, { status: 202, text: '' })
})
