// Readers that stop reading.
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { defineResource, defineTool } from '../../../src/index.ts'
import { MAX_STALL_MS, MAX_UNSENT_BYTES, SseResponse } from '../../../src/transport/event-stream.ts'
import { listening, META, readMessages, stream } from '../../support/app.ts'
import { post, until, wired } from '../../support/security/hostile.ts'
import { callOver } from '../../support/servers/own-process.ts'

const filler = defineTool({ name: 'filler', handler: () => 'x' })
const document = defineResource({ uri: 'doc:1', name: 'doc', handler: () => 'x' })

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
  const events = new SseResponse(response, () => 0, undefined)
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

/** More than the buffers of both kernels may grow to, which they do where large answers were read before. */
const LARGE = 64_000_000

const STREAM_RATHER = { accept: 'text/event-stream, application/json' }

for (const [what, more, headers] of [
  ['JSON', {}, {}],
  ['a stream', { progressToken: 1 }, {}],
  ['a stream of one', {}, STREAM_RATHER],
] as const) {
  t.test(`E3: a reader that stops in the middle of an answer as ${what} has 10 s from then on`, async t => {
    const tool = defineTool({
      name: 'large',
      handler(_args, { progress }) {
        progress(1)
        return 'x'.repeat(LARGE)
      },
    })
    const { app, port, url } = await listening(t, { tools: [tool], limits: { maxResultBytes: 2 * LARGE } })
    const sockets: net.Socket[] = []
    app.server.on('connection', socket => sockets.push(socket))
    const meta = { [`${META}logLevel`]: 'error', ...more }

    for (let count = 0; count < 3; count++)
      await post(t, port, 'tools/call', { name: 'large', arguments: {} }, { meta, headers })
    await until(() => sockets.filter(({ timeout }) => timeout === MAX_STALL_MS).length > 0, 'a reader was given a time')
    const stalled = sockets.find(({ timeout }) => timeout === MAX_STALL_MS)
    stalled?.emit('timeout')

    t.ok(stalled?.destroyed)
    t.equal((await callOver(url, 'large', {}, { headers: { accept: 'application/json' } })).status, 200)
    t.not(sockets.at(-1)?.timeout, MAX_STALL_MS, 'who reads is not hurried')
  })
}
