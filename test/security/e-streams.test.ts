// Section E of the catalogue: streams, and those who read them slowly or not at all.
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { defineResource, defineTool } from '../../src/index.ts'
import { EventStream, MAX_STALL_MS, MAX_UNSENT_BYTES } from '../../src/transport/sse.ts'
import { call, type Listener, listening, META, readMessages, request, stream } from '../helper.ts'
import { callOver, post, rack, until, wired } from './hostile.ts'

// The slow cases take seconds of real time, so they run beside each other.
t.jobs = 8
t.setTimeout(60_000)

const LISTEN = { notifications: { toolsListChanged: true } }
const filler = defineTool({ name: 'filler', handler: () => 'x' })
const document = defineResource({ uri: 'doc:1', name: 'doc', handler: () => 'x' })

t.test('E2: past the bound of the process a stream is refused, and those that are open stay', async t => {
  const { port, toolrack } = await wired(t, [], { maxStreams: 3 })
  const url = `http://127.0.0.1:${port}/mcp`
  const open: Listener[] = []
  for (let id = 0; id < 3; id++) open.push(await stream(t, url, 'subscriptions/listen', LISTEN, { id }))
  for (const each of open) await each.next(0)

  const { message, headers } = request('subscriptions/listen', LISTEN, { id: 'fourth' })
  const { host: _, ...rest } = headers
  const refused = await fetch(url, { method: 'POST', headers: rest, body: JSON.stringify(message) })

  t.equal(refused.status, 503)
  t.equal(refused.headers.get('retry-after'), '30')
  t.match(await refused.json(), { id: 'fourth', error: { code: 50300 } })
  t.equal((await callOver(url, 'probe')).body.result.content[0].text, 'alive')
  toolrack.add(filler)
  for (const each of open) t.match(await each.next(1), { method: 'notifications/tools/list_changed' })
})

t.test('E2: a stream that is closed makes room for another', async t => {
  const { port } = await wired(t, [], { maxStreams: 1 })
  const url = `http://127.0.0.1:${port}/mcp`
  const first = await stream(t, url, 'subscriptions/listen', LISTEN)
  await first.next(0)

  first.close()
  let status = 0
  await until(async () => {
    const next = await stream(t, url, 'subscriptions/listen', LISTEN)
    status = next.status
    return status === 200
  }, 'the next was let in')

  t.equal(status, 200)
})

const long = (index: number) => `doc:${index}:${'x'.repeat(8000)}`

t.test('E3: to a reader that stops, little is held back: each change once', async t => {
  const { port, toolrack, streams, held } = await wired(t, [document])
  const uris = Array.from({ length: 50 }, (_, index) => long(index))
  const notifications = { toolsListChanged: true, resourceSubscriptions: uris }
  const socket = await post(t, port, 'subscriptions/listen', { notifications }, { id: 1 })
  await until(() => streams.size === 1, 'it opened')

  for (let round = 0; round < 4000; round++) {
    toolrack.resourceUpdated(uris[round % uris.length]!)
    if (round % 50 === 0) await sleep(0)
  }
  for (let round = 0; round < 20; round++) {
    toolrack.add(filler)
    toolrack.remove('filler')
  }
  await sleep(20)
  t.ok(held() > 0 && held() <= MAX_UNSENT_BYTES, `${held()} bytes are held`)

  const received = await drain(socket, text => text.includes('tools/list_changed'))
  const messages = readMessages('text/event-stream', received)
  const updates = messages.filter(({ method }) => method === 'notifications/resources/updated')
  t.equal(messages.filter(({ method }) => method === 'notifications/tools/list_changed').length, 1)
  t.ok(updates.length < 4000, `${updates.length} of 4000 updates`)
  t.equal(
    new Set(updates.slice(-uris.length).map(({ params }) => params.uri)).size,
    uris.length,
    'each is told at last',
  )
})

async function drain(socket: net.Socket, isEnough: (text: string) => boolean): Promise<string> {
  let text = ''
  socket.setEncoding('utf8').on('data', chunk => (text += chunk))
  socket.resume()
  await until(() => isEnough(text), 'enough was read')
  await sleep(100)
  // Chunk sizes of HTTP stand between the lines.
  return text.replace(/\r\n[0-9a-f]+\r\n/g, '')
}

t.test('E3: a reader that stalls is cut after 10 s, one that reads is not', async t => {
  let nowMs = 0
  const { port, toolrack, streams } = await wired(t, [document], { clock: () => nowMs })
  const notifications = { resourceSubscriptions: [long(1)] }
  const stalled = await post(t, port, 'subscriptions/listen', { notifications })
  const reading = await post(t, port, 'subscriptions/listen', { notifications })
  reading.resume()
  const closed = once(stalled, 'close')
  await until(() => streams.size === 2, 'both opened')
  for (let round = 0; round < 3000; round++) {
    toolrack.resourceUpdated(long(1))
    if (round % 20 === 0) await sleep(0)
  }

  nowMs = MAX_STALL_MS - 1
  streams.tick()
  await sleep(20)
  t.equal(streams.size, 2)
  nowMs = MAX_STALL_MS
  streams.tick()
  await until(() => streams.size === 1, 'the stalled one was cut')

  stalled.resume()
  await closed
  t.notOk(reading.destroyed)
})

const DEBUG = { meta: { [`${META}logLevel`]: 'debug', progressToken: 1 } }

t.test('E3: a tool that talks to a reader that stalled is held to a bound, and aborted when it is cut', async t => {
  let nowMs = 0
  const sizes: number[] = []
  const aborted = Promise.withResolvers<string>()
  const spam = defineTool({
    name: 'spam',
    async handler(_args, { log, progress, signal }) {
      signal.addEventListener('abort', () => aborted.resolve(signal.reason.name))
      for (let step = 1; !signal.aborted; step++) {
        log.info('x'.repeat(30_000))
        progress(step, undefined, 'x'.repeat(1000))
        await sleep(step > 1200 ? 1 : 0)
      }
    },
  })
  const { port, streams, held } = await wired(t, [spam], { clock: () => nowMs })
  const look = setInterval(() => sizes.push(held()), 1)
  t.teardown(() => clearInterval(look))
  const socket = await post(t, port, 'tools/call', { name: 'spam', arguments: {} }, DEBUG)
  await until(() => sizes.length > 20 && sizes.slice(-20).every(bytes => bytes > 0), 'the reader lagged')

  nowMs = MAX_STALL_MS
  streams.tick()

  t.equal(await aborted.promise, 'AbortError')
  t.ok(Math.max(...sizes) <= MAX_UNSENT_BYTES, `${Math.max(...sizes)} bytes were held`)
  await until(() => streams.size === 0, 'the stream was forgotten')
  socket.destroy()
})

t.test('E3: a stream that is sent more than it may hold is cut', async t => {
  const server = http.createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const socket = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1').pause()
  socket.on('error', () => {})
  t.teardown(() => socket.destroy())
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  const [, response] = (await once(server, 'request')) as [http.IncomingMessage, http.ServerResponse]
  const events = new EventStream(response, () => 0)
  const frame = JSON.stringify('x'.repeat(1000))
  let most = 0

  for (let sent = 0; sent < 100_000 && !response.destroyed; sent++) {
    events.send(frame)
    most = Math.max(most, response.writableLength)
    if (sent % 100 === 0) await sleep(0)
  }

  t.ok(response.destroyed)
  t.ok(most <= MAX_UNSENT_BYTES + 2 * frame.length, `${most} bytes were held`)
  t.notOk(events.send(frame), 'nothing more is taken')
})

t.test('E3: what is sent at once to a reader that keeps up arrives, however large', async t => {
  const { app, url } = await listening(t, { resources: [document] })
  const uris = Array.from({ length: 60 }, (_, index) => long(index))

  const listener = await stream(t, url, 'subscriptions/listen', { notifications: { resourceSubscriptions: uris } })
  const acknowledged = await listener.next(0)
  for (const uri of uris) app.toolrack.resourceUpdated(uri)
  await listener.next(uris.length)

  t.equal(acknowledged.params.notifications.resourceSubscriptions.length, uris.length)
  t.strictSame(
    listener.messages
      .slice(1)
      .map(({ params }) => params.uri)
      .sort(),
    uris.sort(),
  )
})

t.test('E7: Last-Event-ID is ignored, and no event has an id', async t => {
  const tool = defineTool({
    name: 'steps',
    handler(_args, { progress }) {
      for (let step = 1; step <= 3; step++) progress(step)
      return 'done'
    },
  })
  const app = await rack(t, [tool])
  const { message, headers } = request('tools/call', { name: 'steps', arguments: {} }, DEBUG)

  const send = (more: Record<string, string>) =>
    app.inject({ method: 'POST', url: '/mcp', headers: { ...headers, ...more }, payload: JSON.stringify(message) })
  const plain = await send({})
  const resumed = await send({ 'last-event-id': '2', 'mcp-session-id': 'someone-elses' })

  t.equal(resumed.statusCode, 200)
  t.equal(resumed.body, plain.body)
  t.notOk('mcp-session-id' in resumed.headers)
  for (const line of plain.body.split('\n')) t.match(line, /^(?:data: \{.*\}|)$/)
})

t.test('E7: a listener that comes back with Last-Event-ID starts afresh', async t => {
  const { app, url } = await listening(t, { tools: [filler] })
  const first = await stream(t, url, 'subscriptions/listen', LISTEN)
  await first.next(0)
  app.toolrack.remove('filler')
  await first.next(1)
  first.close()

  const second = await stream(t, url, 'subscriptions/listen', LISTEN, { headers: { 'last-event-id': '1' } })
  await second.next(0)
  app.toolrack.add(filler)
  await second.next(1)

  t.strictSame(
    second.messages.map(({ method }) => method),
    ['notifications/subscriptions/acknowledged', 'notifications/tools/list_changed'],
  )
})

const BREAKING = 'a\nb\r\nc\rdata: {"forged":true}\n\nid: 7\nevent: x\u2028y\u2029z: \u0085'

t.test('E8: text that looks like events is one frame, and is read as it was written', async t => {
  const tool = defineTool({
    name: 'odd',
    sanitize: false,
    handler(_args, { progress }) {
      progress(1, 2, BREAKING)
      return BREAKING
    },
  })
  const { url } = await listening(t, { tools: [tool] })
  const { message, headers } = request('tools/call', { name: 'odd', arguments: {} }, DEBUG)
  const { host: _, ...rest } = headers

  const text = await (await fetch(url, { method: 'POST', headers: rest, body: JSON.stringify(message) })).text()
  const frames = text.split(/\r\n|\n|\r/).filter(line => line !== '')

  t.equal(frames.length, 2)
  t.ok(frames.every(frame => frame.startsWith('data: {')))
  t.equal(JSON.parse(frames[1]!.slice(6)).result.content[0].text, BREAKING)
})

t.test('E8: where only a stream is taken, the result is one frame too', async t => {
  const app = await rack(t, [defineTool({ name: 'odd', sanitize: false, handler: () => BREAKING })])

  const reply = await call(
    app,
    'tools/call',
    { name: 'odd', arguments: {} },
    { headers: { accept: 'text/event-stream' } },
  )

  t.equal(reply.result.content[0].text, BREAKING)
  t.strictSame(reply.notifications, [])
})

const STREAM_HEADERS = {
  'content-type': /^text\/event-stream/,
  'cache-control': /no-cache/,
  'x-accel-buffering': 'no',
  'content-encoding': undefined,
}

t.test('E12: a stream is neither cached, buffered nor compressed', async t => {
  const tool = defineTool({ name: 'steps', handler: (_args, { progress }) => progress(1) })
  const { url } = await listening(t, { tools: [tool] })
  const headers = { 'accept-encoding': 'gzip, br' }

  const listener = await stream(t, url, 'subscriptions/listen', LISTEN, { headers })
  const called = await stream(t, url, 'tools/call', { name: 'steps', arguments: {} }, { ...DEBUG, headers })
  const only = { ...headers, accept: 'text/event-stream' }
  const alone = await stream(t, url, 'tools/call', { name: 'steps', arguments: {} }, { headers: only })

  for (const { headers } of [listener, called, alone]) t.match(headers, STREAM_HEADERS)
})

t.test('E12: a quiet stream is kept open with comments', async t => {
  let nowMs = 0
  const { port, streams } = await wired(t, [], { clock: () => nowMs })
  const listener = await stream(t, `http://127.0.0.1:${port}/mcp`, 'subscriptions/listen', LISTEN)
  await listener.next(0)

  for (nowMs of [14_999, 15_000, 16_000, 30_000]) streams.tick()
  await until(() => listener.comments.length === 2, 'two comments came')
  await sleep(20)

  t.equal(listener.comments.length, 2)
})

/** Sends the text a piece at a time until the server closes: its answer and how long that took. */
async function drip(t: Test, port: number, { at, after, everyMs }: { at: string; after: string; everyMs: number }) {
  const socket = net.connect(port, '127.0.0.1').setEncoding('utf8')
  t.teardown(() => socket.destroy())
  let answer = ''
  socket.on('data', chunk => (answer += chunk)).on('error', () => {})
  const startedMs = performance.now()
  socket.write(at)
  let sent = 0
  const timer = setInterval(() => socket.write(after[sent++ % after.length]!), everyMs)
  await once(socket, 'close')
  clearInterval(timer)
  return { answer, tookMs: performance.now() - startedMs }
}

const HEAD = 'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n'

t.test('E11: headers that come a byte at a time are given up within 7 s', { timeout: 30_000 }, async t => {
  const { port } = await listening(t)

  const { answer, tookMs } = await drip(t, port, { at: HEAD, after: 'x-slow: 1\r\n', everyMs: 500 })

  t.match(answer, /^HTTP\/1\.1 408 /)
  t.ok(tookMs > 4000 && tookMs < 7000, `${tookMs} ms`)
})

t.test('E11: a body that comes a byte at a time is given up within 12 s', { timeout: 30_000 }, async t => {
  const { app, port } = await listening(t)

  const { answer, tookMs } = await drip(t, port, {
    at: `${HEAD}content-length: 1000\r\n\r\n{`,
    after: ' ',
    everyMs: 500,
  })

  t.match(answer, /^HTTP\/1\.1 408 /)
  t.ok(tookMs > 9000 && tookMs < 12_500, `${tookMs} ms`)
  t.strictSame(
    app.logs.lines.filter(({ level }) => level >= 50),
    [],
    'no fault of ours',
  )
})

t.test(
  'E11: a request that never comes is given up too, and idle sockets stop nobody',
  { timeout: 30_000 },
  async t => {
    const { port, url } = await listening(t, { tools: [filler] })
    const sockets = Array.from({ length: 500 }, () => net.connect(port, '127.0.0.1'))
    for (const socket of sockets) socket.on('error', () => {})
    t.teardown(() => {
      for (const socket of sockets) socket.destroy()
    })
    await Promise.all(sockets.map(socket => once(socket, 'connect')))
    const startedMs = performance.now()

    const { body } = await callOver(url, 'filler')

    t.equal(body.result.content[0].text, 'x')
    t.ok(performance.now() - startedMs < 1000)
    await Promise.all(sockets.map(socket => socket.resume() && once(socket, 'close')))
    t.ok(performance.now() - startedMs < 12_500)
  },
)
