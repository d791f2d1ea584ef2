// In an app that speaks HTTP/2 every door works as it does over HTTP/1.1.
import t, { type Test } from 'tap'
import { defineTool } from '../../../src/index.ts'
import { request } from '../../support/app.ts'
import { until } from '../../support/eventually.ts'
import { type Http2Client, http2Client } from '../../support/http2.ts'

const steps = defineTool({
  name: 'steps',
  inputSchema: { type: 'object' },
  handler(_args, ctx) {
    ctx.progress(1)
    return 'done'
  },
})
const large = defineTool({ name: 'large', handler: () => 'x'.repeat(300_000) })
const tools = [steps, large]
const added = { name: 'added', description: 'd', handler: () => 'x' }

const POST = { ':method': 'POST', ':path': '/mcp' }

/** A correct request of 2026-07-28, without the header that HTTP/2 replaces. */
function modern(method: string, params: Record<string, unknown> = {}, meta: object = {}) {
  const { message, headers } = request(method, params, { meta, headers: { host: undefined } })
  return [{ ...POST, ...headers }, JSON.stringify(message)] as const
}

const OLDER = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
}
const rpc = (method: string, params: object = {}, id = 1) => JSON.stringify({ jsonrpc: '2.0', id, method, params })

async function openSession({ send }: Http2Client) {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const { headers } = await send({ ...POST, ...OLDER }, rpc('initialize', params))
  return { ...OLDER, 'mcp-session-id': headers['mcp-session-id'] }
}

t.test('2026-07-28: calls, progress, large results, subscriptions', async t => {
  const client = await http2Client(t, { tools })

  const called = await client.send(...modern('tools/call', { name: 'steps', arguments: {} }))
  const talked = await client.send(...modern('tools/call', { name: 'steps', arguments: {} }, { progressToken: 1 }))
  const big = await client.send(...modern('tools/call', { name: 'large', arguments: {} }))
  const listener = client.open(...modern('subscriptions/listen', { notifications: { toolsListChanged: true } }))
  await listener.until(/acknowledged/)
  client.app.toolrack.add(added)

  t.match(called, { status: 200, text: /"text":"done"/ })
  t.match(talked, { headers: { 'content-type': 'text/event-stream' }, text: /progress".*"done"/s })
  t.equal(JSON.parse(big.text).result.content[0].text.length, 300_000)
  t.match(await listener.until(/list_changed/), /list_changed/)
  t.equal(client.logs.text, '')
})

t.test('2025-11-25: sessions, their streams, calls without one, batches', async t => {
  const client = await http2Client(t, { tools })
  const session = await openSession(client)

  const listener = client.open({ ':method': 'GET', ':path': '/mcp', ...session })
  await listener.until(/retry/)
  client.app.toolrack.add(added)
  const progress = rpc('tools/call', { name: 'steps', _meta: { progressToken: 1 } })
  const inSession = await client.send({ ...POST, ...session }, progress)
  const without = await client.send({ ...POST, ...OLDER }, progress)
  const older = { ...POST, ...OLDER, 'mcp-protocol-version': '2025-03-26' }
  const batch = await client.send(older, `[${rpc('ping', {}, 1)},${rpc('ping', {}, 2)}]`)

  t.match(await listener.until(/list_changed/), /list_changed/)
  for (const { headers, text } of [inSession, without]) {
    t.equal(headers['content-type'], 'text/event-stream')
    t.match(text, /progress".*"done"/s)
  }
  t.match(JSON.parse(batch.text), [{ id: 1 }, { id: 2 }])
  t.equal((await client.send({ ':method': 'DELETE', ':path': '/mcp', ...session })).status, 204)
  t.equal(client.logs.text, '')
})

t.test('HTTP+SSE', async t => {
  const client = await http2Client(t, { tools, httpSse: true })
  const stream = client.open({ ':method': 'GET', ':path': '/sse', accept: 'text/event-stream' })
  const [, address] = /data: (\S+)/.exec(await stream.until(/data: \S+\n/))!
  const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'test', version: '1' } }

  const sent = await client.send(
    { ':method': 'POST', ':path': address, 'content-type': 'application/json' },
    rpc('initialize', params),
  )

  t.equal(sent.status, 202)
  t.match(await stream.until(/serverInfo/), /"protocolVersion":"2024-11-05"/)
  t.equal(client.logs.text, '')
})

t.test('plain HTTP, the page and the console', async t => {
  const client = await http2Client(t, { tools, plainHttp: true, console: true })
  const get = (path: string, accept = '*/*') => client.send({ ':method': 'GET', ':path': path, accept })
  const call = (accept: string) =>
    client.send({ ':method': 'POST', ':path': '/tools/steps', 'content-type': 'application/json', accept }, '{}')

  t.match(await call('text/plain'), { status: 200, text: 'done' })
  t.match(await call('text/event-stream'), { status: 200, text: /event: progress.*event: result/s })
  for (const path of ['/tools', '/openapi.json', '/console/config.json']) t.equal((await get(path)).status, 200, path)
  t.match(await get('/mcp', 'text/html'), { status: 200, text: /^<!doctype html>/ })
  t.equal(client.logs.text, '')
})

t.test('what is refused is refused as it is over HTTP/1.1, and the connection stays', async t => {
  const client = await http2Client(t, { tools, limits: { maxBodyBytes: 1024 } })
  const [headers, body] = modern('tools/list')
  const refusals: [over: object, body: string, status: number][] = [
    [{ 'content-type': 'text/plain' }, body, 415],
    [{ 'content-encoding': 'gzip' }, body, 415],
    [{ accept: 'text/html' }, body, 406],
    [{ origin: 'https://evil.example' }, body, 403],
    [{ ':authority': 'evil.example' }, body, 403],
    [{ ':method': 'PUT' }, body, 405],
    [{}, '{', 400],
    [{}, modern('tools/list', { pad: 'x'.repeat(2000) })[1], 413],
  ]

  for (const [over, sent, status] of refusals) {
    const heard = await client.send({ ...headers, ...over }, sent)
    t.equal(heard.status, status, JSON.stringify(over))
    t.type(JSON.parse(heard.text).error.code, 'number')
    // The id of a request is found where its body may be read.
    if (status === 415 || status === 406) t.equal(JSON.parse(heard.text).id, JSON.parse(body).id)
  }
  t.equal((await client.send(headers, body)).status, 200)
})

/** A call that runs until its client has left. */
async function leaving(t: Test, leave: (client: Http2Client, signal: Promise<void>) => Promise<void>) {
  const { promise: aborted, resolve } = Promise.withResolvers<void>()
  const waits = defineTool({
    name: 'waits',
    inputSchema: { type: 'object' },
    async handler(_args, ctx) {
      ctx.progress(1)
      await new Promise<void>(done => ctx.signal.addEventListener('abort', () => done()))
      resolve()
    },
  })
  await leave(await http2Client(t, { tools: [waits] }), aborted)
}

t.test('a client that resets its stream has left: its call stops', async t => {
  await leaving(t, async (client, aborted) => {
    const call = client.open(...modern('tools/call', { name: 'waits', arguments: {} }, { progressToken: 1 }))
    await call.until(/progress/)
    call.stream.close()
    await aborted
  })
  await leaving(t, async (client, aborted) => {
    const plain = client.open(...modern('tools/call', { name: 'waits', arguments: {} }))
    await new Promise(resolve => plain.stream.once('ready', resolve))
    plain.stream.close()
    await aborted
  })
})

t.test('a stream that its client resets is open no longer', async t => {
  const client = await http2Client(t, { tools, metrics: true })
  const streams = async () => /^toolrack_streams (\d+)/m.exec(await client.app.toolrack.metrics())?.[1]
  const listener = client.open(...modern('subscriptions/listen', { notifications: { toolsListChanged: true } }))
  await listener.until(/acknowledged/)
  t.equal(await streams(), '1')

  listener.stream.close()

  await until(async () => (await streams()) === '0', 'the server has let it go')
})

t.test('a body that its client gives up counts no longer', async t => {
  const client = await http2Client(t, { tools, metrics: true })
  const bytes = async () => Number(/^toolrack_body_bytes (\d+)/m.exec(await client.app.toolrack.metrics())?.[1])
  const [headers] = modern('tools/list')
  const { stream } = client.open(headers, undefined, { isBegun: true })
  stream.write('x'.repeat(50_000))
  await until(async () => (await bytes()) > 0, 'the body has begun to come')

  stream.close()

  await until(async () => (await bytes()) === 0, 'nothing of it is kept')
})
