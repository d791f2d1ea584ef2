// HTTP+SSE, the transport of 2024-11-05: GET /sse, then POST to the address that it names.
import type { Test } from 'tap'
import t from 'tap'
import type { ServerOptions } from '../../../../src/index.ts'
import { build, listening } from '../../../../test/support/app.ts'
import { ABLE, initializing, type Opening } from '../../../../test/support/client/client.ts'
import { sampled, sampling } from '../../../../test/support/legacy/asking.ts'
import { giveUpAtOnce } from '../../../../test/support/legacy/give-up.ts'
import { connect } from '../../../../test/support/legacy/http-sse-client.ts'
import { gatedTool, stuckTool, tool } from '../../../../test/support/steered-tools.ts'

const echo = tool('echo', (_ctx, { text }) => `${text}`)

async function opened(t: Test, options: ServerOptions = {}, opening: Opening = {}) {
  const { revision = '2024-11-05', capabilities = ABLE } = opening
  const { app, url } = await listening(t, { httpSse: true, tools: [echo], ...options })
  const client = await connect(t, url, { revision })
  const { params } = initializing({ revision, capabilities })
  const { result } = await client.ask('initialize', params)
  await client.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  return { app, url, client, result }
}

t.test('without HTTP_SSE there is neither /sse nor /messages', async t => {
  const app = await build(t)

  t.equal((await app.inject({ url: '/sse', headers: { host: 'localhost' } })).statusCode, 404)
  t.equal((await app.inject({ method: 'POST', url: '/messages', headers: { host: 'localhost' } })).statusCode, 404)
})

t.test('GET /sse begins with an endpoint event, an address of the same origin', async t => {
  const { url } = await listening(t, { httpSse: true })

  const client = await connect(t, url)

  t.match(client.stream.headers['content-type'], /^text\/event-stream/)
  t.match(client.stream.events[0]!.data, /^\/messages\?sessionId=[\w-]{32,}$/)
})

t.test('a POST is accepted with 202, and answered over the stream', async t => {
  const { client, result } = await opened(t)

  t.equal(result.protocolVersion, '2024-11-05')
  t.strictSame((await client.ask('ping')).result, {})
  t.match((await client.ask('tools/list')).result.tools, [{ name: 'echo' }])
  t.strictSame((await client.ask('tools/call', { name: 'echo', arguments: { text: 'hi' } })).result, {
    content: [{ type: 'text', text: 'hi' }],
  })
})

for (const revision of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-10-07']) {
  t.test(`a client of ${revision} may use it too`, async t => {
    const { client, result } = await opened(t, {}, { revision })

    t.equal(result.protocolVersion, revision)
    t.ok((await client.ask('tools/call', { name: 'echo', arguments: { text: 'hi' } })).result)
  })
}

t.test('a request before initialize is refused, and so is a second initialize', async t => {
  const { url } = await listening(t, { httpSse: true })
  const client = await connect(t, url)

  t.match((await client.ask('ping')).error, { code: -32600 })
  t.ok((await client.ask('initialize', initializing({ revision: '2024-11-05' }).params)).result)
  t.match((await client.ask('initialize', initializing({ revision: '2024-11-05' }).params)).error, { code: -32600 })
})

t.test('an address that is unknown, malformed or missing is answered 404', async t => {
  const { client } = await opened(t)
  const message = { jsonrpc: '2.0', id: 1, method: 'ping' }

  for (const query of ['?sessionId=unknown', '?sessionId=', '', '?sessionId=a&sessionId=b', '?sessionId[x]=1']) {
    client.address.search = query
    t.equal((await client.post(message)).status, 404)
  }
})

t.test('a body that is no message is answered 400, one that is no JSON 415', async t => {
  const { client } = await opened(t)

  const headers = { 'content-type': 'application/json' }
  for (const body of ['', '{', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', undefined])
    t.equal(
      (await fetch(client.address, { method: 'POST', headers, ...(body !== undefined && { body }) })).status,
      400,
      String(body),
    )
  t.equal((await client.post([1])).status, 400)
  t.equal((await client.post({ id: 1 })).status, 400)
  t.equal((await client.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'content-type': 'text/plain' })).status, 415)
})

t.test('another origin, and another host, is answered 403', async t => {
  const { client, url } = await opened(t)
  const headers = { origin: 'https://evil.example' }

  t.equal((await client.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, headers)).status, 403)
  t.equal((await fetch(new URL('/sse', url), { headers })).status, 403)
})

t.test('what a call says comes before its answer', async t => {
  const talk = tool('talk', ({ progress, log }) => {
    progress(1, 2)
    log.info('half')
    progress(2, 2)
    return 'done'
  })
  const { client } = await opened(t, { tools: [talk] })
  await client.ask('logging/setLevel', { level: 'info' })
  const before = client.stream.messages.length

  await client.ask('tools/call', { name: 'talk', arguments: {}, _meta: { progressToken: 7 } })

  t.strictSame(
    client.stream.messages.slice(before).map(({ method }) => method),
    ['notifications/progress', 'notifications/message', 'notifications/progress', undefined],
  )
})

t.test('a change of the tools is told', async t => {
  const { app, client } = await opened(t)
  const before = client.stream.messages.length

  app.toolrack.remove('echo')

  t.match(await client.stream.next(before), { method: 'notifications/tools/list_changed' })
})

t.test('the client can be asked, and answers with a POST', async t => {
  const asker = tool('asker', async ctx => (await ctx.sample('reply', sampling)).model)
  const { client } = await opened(t, { tools: [asker] })
  const before = client.stream.messages.length

  const call = client.ask('tools/call', { name: 'asker', arguments: {} })
  const { id, method } = await client.stream.next(before)
  const told = await client.post({ jsonrpc: '2.0', id, result: sampled })

  t.equal(method, 'sampling/createMessage')
  t.equal(told.status, 202)
  t.equal((await call).result.content[0].text, 'm')
})

t.test('notifications/cancelled stops a call, which is answered no more', async t => {
  const { stuck, started, aborted } = stuckTool()
  const { client } = await opened(t, { tools: [stuck, echo] })
  await client.post({ jsonrpc: '2.0', id: 'out', method: 'tools/call', params: { name: 'stuck' } })
  await started

  await client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'out' } })

  t.match(await aborted, /cancelled/)
  await client.ask('ping')
  t.equal(client.answerTo('out'), undefined)
})

t.test('of a client that does not come back calls stop, and its address is answered 404', async t => {
  const { stuck, started, aborted } = stuckTool()
  const { client } = await opened(t, { tools: [stuck] })
  await client.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'stuck' } })
  await started

  giveUpAtOnce(t)
  client.stream.close()

  t.match(await aborted, /cancelled/)
  t.equal((await client.post({ jsonrpc: '2.0', id: 2, method: 'ping' })).status, 404)
})

t.test('one client does not hear what another asks', async t => {
  const { client, url } = await opened(t)
  const other = await connect(t, url)
  await other.ask('initialize', initializing({ revision: '2024-11-05' }).params)

  await client.ask('tools/call', { name: 'echo', arguments: { text: 'secret' } })

  t.equal(other.stream.messages.length, 1)
})

t.test('a session of one transport is no session of the other', async t => {
  const { client, url } = await opened(t)
  const id = client.address.searchParams.get('sessionId')!
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-session-id': id,
  }

  const reply = await fetch(url, { method: 'POST', headers, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' })

  t.equal(reply.status, 404)
})

t.test('a shutdown lets calls end with their answer, then the stream', async t => {
  const { gated, started, open } = gatedTool()
  const { app, client } = await opened(t, { tools: [gated], drainMs: 60_000 })
  const call = client.ask('tools/call', { name: 'slow', arguments: {} })
  await started

  const closing = app.close()
  await new Promise(done => setTimeout(done, 20))
  open()

  t.equal((await call).result.content[0].text, 'done')
  await client.stream.ended
  await closing
})
