// Streams of sessions: limits, readers that stop, peers that vanish, resources that are given back.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { defineResource, defineTool } from '../../../src/index.ts'
import { MAX_STALL_MS, MAX_UNSENT_BYTES } from '../../../src/transport/event-stream.ts'
import type { TestReply } from '../../support/client/reply.ts'
import { inject, socket } from '../../support/client/transport.ts'
import { until, wired } from '../../support/security/hostile.ts'
import { callOf, openSession, openSessionAt, unread, watchAll } from '../../support/security/sessions.ts'
import { callOver } from '../../support/servers/own-process.ts'

const filler = defineTool({ name: 'filler', handler: () => 'x' })
const document = defineResource({ uriTemplate: 'doc:{id}', name: 'doc', handler: () => 'x' })
const urlOf = (port: number) => `http://127.0.0.1:${port}/mcp`

t.test('E2: past the bound of the process a stream of a session is refused, and those that are open stay', async t => {
  const { port, toolrack } = await wired(t, [], { maxStreams: 3 })
  const sessions = await Promise.all(Array.from({ length: 4 }, () => openSessionAt(t, port)))
  const opened: TestReply[] = []
  for (const session of sessions.slice(0, 3)) {
    opened.push(await socket(port, t).stream({ session }))
    await until(() => opened.at(-1)!.events.length > 0, 'it began')
  }

  const refused = await socket(port, t).stream({ session: sessions[3] })
  await refused.ended

  t.equal(refused.status, 503)
  t.ok(Number(refused.headers['retry-after']) >= 1)
  t.match(JSON.parse(refused.text), { error: { code: 50300 } })
  t.equal((await callOver(urlOf(port), 'probe')).body.result.content[0].text, 'alive')
  t.equal(
    (await socket(port, t).send({ session: sessions[3], body: callOf('probe') })).status,
    200,
    'it can still call',
  )
  toolrack.add(filler)
  for (const each of opened) await each.find(({ method }) => method === 'notifications/tools/list_changed')
})

t.test('E2, E6: streams that have just closed take no room from those that come', async t => {
  const { port } = await wired(t, [], { maxStreams: 20 })
  const sessions = await Promise.all(Array.from({ length: 20 }, () => openSessionAt(t, port)))

  for (let round = 0; round < 5; round++) {
    const opened = await Promise.all(sessions.map(session => socket(port, t).stream({ session })))
    t.same([...new Set(opened.map(({ status }) => status))], [200], `round ${round}`)
    for (const each of opened) each.close()
    await sleep(50)
  }
})

t.test('E3: to a session whose reader stops, little is held back: each change once', async t => {
  const { port, toolrack, streams, held } = await wired(t, [document])
  const session = await openSessionAt(t, port)
  const uris = await watchAll(t, port, session, 50)
  const socket = await unread(t, port, session)
  await until(() => streams.size === 1, 'it opened')

  for (let round = 0; round < 20_000; round++) {
    toolrack.resourceUpdated(uris[round % uris.length]!)
    if (round % 50 === 0) await sleep(0)
  }
  for (let round = 0; round < 20; round++) {
    toolrack.add(filler)
    toolrack.remove('filler')
  }
  await sleep(20)
  t.ok(held() > 0 && held() <= MAX_UNSENT_BYTES, `${held()} bytes are held`)

  let text = ''
  socket.setEncoding('utf8').on('data', chunk => (text += chunk))
  socket.resume()
  await until(() => text.includes('tools/list_changed'), 'it caught up')
  await sleep(100)
  t.equal(text.match(/tools\/list_changed/g)!.length, 1)
  t.ok(text.match(/resources\/updated/g)!.length < 20_000)
})

t.test(
  'E3, E4: a reader of a session that stalls is cut after 10 s, its session lives, and others are told',
  async t => {
    let nowMs = 0
    const { app, port, toolrack, streams } = await wired(t, [document], { clock: () => nowMs })
    const [stalling, reading] = [await openSessionAt(t, port), await openSessionAt(t, port)]
    await watchAll(t, port, stalling, 50)
    const uris = await watchAll(t, port, reading, 50)
    const unreadSocket = await unread(t, port, stalling)
    const reader = await socket(port, t).stream({ session: reading })
    await until(() => streams.size === 2, 'both opened')
    for (let round = 0; round < 20_000; round++) {
      toolrack.resourceUpdated(uris[round % uris.length]!)
      if (round % 20 === 0) await sleep(0)
    }

    nowMs = MAX_STALL_MS - 1
    streams.tick()
    await sleep(20)
    t.equal(streams.size, 2)
    nowMs = MAX_STALL_MS
    streams.tick()
    await until(() => streams.size === 1, 'the stalled one was cut')

    t.notOk(reader.hasEnded)
    t.equal((await inject(app).send({ session: stalling, body: callOf('probe') })).status, 200)
    unreadSocket.destroy()
  },
)

t.test('E12: a quiet stream of a session is kept open with comments, which have no id', async t => {
  let nowMs = 0
  const { port, streams } = await wired(t, [], { clock: () => nowMs })
  const listener = await socket(port, t).stream({ session: await openSessionAt(t, port) })
  await until(() => listener.events.length > 0, 'it began')

  for (nowMs of [14_999, 15_000, 16_000, 30_000]) streams.tick()
  await until(() => listener.comments.length === 2, 'two comments came')

  t.equal(listener.events.length, 1)
  t.match(listener.headers, {
    'x-accel-buffering': 'no',
    'cache-control': /no-cache/,
    'content-type': /^text\/event-stream/,
  })
})

const talker = defineTool({
  name: 'talker',
  async handler(_args, { log, signal }) {
    for (let step = 0; step < 40; step++) {
      log.info('x'.repeat(30_000))
      await sleep(2)
    }
    for (let step = 0; step < 50 && !signal.aborted; step++) {
      log.info(`after ${step}`)
      await sleep(5)
    }
    return 'done'
  },
})

t.test('E7: what is told again is not held against its reader, however much it is', async t => {
  const { port } = await wired(t, [talker])
  const session = await openSessionAt(t, port)
  await socket(port, t).send({
    session,
    body: { jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { level: 'debug' } },
  })
  const first = await socket(port, t).stream({ session, body: callOf('talker', {}, 2) })
  await until(() => first.text.length > 1000, 'it began')
  await until(() => first.text.includes('after 0'), 'it said much')
  first.close()
  const start = `${/id: ([\w-]+)\./.exec(first.text)![1]}.0`
  await sleep(100)

  const back = await socket(port, t).stream({ session, headers: { 'last-event-id': start } })
  await back.ended

  t.ok(back.text.length > MAX_UNSENT_BYTES, `${back.text.length} bytes`)
  t.match(back.messages.at(-1), { id: 2, result: { content: [{ text: 'done' }] } })
})

t.test('E3, A14: the answers of a batch arrive together over a stream, however large they are', async t => {
  const large = defineTool({ name: 'large', handler: () => 'x'.repeat(400_000) })
  const { port } = await wired(t, [large])
  const session = await openSessionAt(t, port, { revision: '2025-03-26' })
  const body = Array.from({ length: 20 }, (_, id) => callOf('large', {}, id))

  const got = await socket(port, t).send({ session, body, headers: { accept: 'text/event-stream' } })

  t.same(
    got.messages.map(({ id }) => id),
    body.map(({ id }) => id),
  )
})

t.test('a session that watches resources and is left alone expires like any other', async t => {
  let nowMs = 0
  const sessions = { ttlMs: 90, now: () => nowMs }
  const { app, port, toolrack } = await wired(t, [document], { sessions })
  const [left, listening] = [await openSession(app), await openSessionAt(t, port)]
  for (const session of [left, listening])
    await inject(app).send({
      session,
      body: { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'doc:1' } },
    })
  const stream = await socket(port, t).stream({ session: listening })

  for (let round = 0; round < 10; round++) {
    nowMs += 20
    await sleep(40)
  }

  t.equal((await inject(app).send({ session: left, body: callOf('probe', {}, 2) })).status, 404)
  t.equal(
    (await inject(app).send({ session: listening, body: callOf('probe', {}, 2) })).status,
    200,
    'who listens is not idle',
  )
  toolrack.resourceUpdated('doc:1')
  await stream.find(({ params }) => params?.uri === 'doc:1')
})
