import { mock } from 'node:test'
import t from 'tap'
import { definePrompt } from '../../../../src/index.ts'
import { connected, open, session } from '../../../support/client/app-client.ts'
import { gatedTool, tool } from '../../../support/steered-tools.ts'
import { LEGACY_VERSIONS } from '../../../support/wire/legacy.ts'

const TTL_MS = 60_000
const filler = tool('filler', () => 'x')
const pause = () => new Promise(resolve => setTimeout(resolve, 50))

const CHANGED = { method: 'notifications/tools/list_changed' }

for (const revision of LEGACY_VERSIONS) {
  t.test(`${revision}: a change of the tools is told over the stream`, async t => {
    const client = await connected(t, {}, { revision })
    const stream = await client.listen()

    client.app.toolrack.add(filler)

    t.match(await stream.next(0), CHANGED)
  })
}

t.test('every session that has a stream is told', async t => {
  const first = await connected(t)
  const sessions = [first, await open(t, first.app), await open(t, first.app)]
  const streams = await Promise.all(sessions.map(each => each.listen()))

  first.app.toolrack.add(filler)

  for (const stream of streams) t.match(await stream.next(0), CHANGED)
})

t.test('a session with several streams is told over one of them', async t => {
  const client = await connected(t)
  const streams = [await client.listen(), await client.listen(), await client.listen()]

  client.app.toolrack.add(filler)
  await streams[2]!.next(0)
  await pause()

  t.strictSame(
    streams.map(({ messages }) => messages.length),
    [0, 0, 1],
  )
})

t.test('when the stream that is told closes, the next newest is', async t => {
  const client = await connected(t)
  const streams = [await client.listen(), await client.listen()]
  await Promise.all(streams.map(stream => stream.event(0)))

  streams[1]!.close()
  // When the server sees that it has closed is not known here.
  for (let tries = 0; streams[0]!.messages.length === 0 && tries < 100; tries++) {
    await pause()
    client.app.toolrack.add(filler)
    client.app.toolrack.remove('filler')
  }

  t.match(await streams[0]!.next(0), CHANGED)
})

t.test('what changes while nobody listens is told to the next stream, each list once', async t => {
  const client = await connected(t)
  const { toolrack } = client.app
  for (let turn = 0; turn < 3; turn++) {
    toolrack.add(filler)
    toolrack.remove('filler')
  }
  toolrack.add(definePrompt({ name: 'hello', handler: () => 'x' }))

  const stream = await client.listen()
  await stream.next(1)
  await pause()

  t.strictSame(stream.messages.map(({ method }) => method).sort(), [
    'notifications/prompts/list_changed',
    'notifications/tools/list_changed',
  ])
})

t.test('what was told once is not told to the next stream', async t => {
  const client = await connected(t)
  const first = await client.listen()
  client.app.toolrack.add(filler)
  await first.next(0)
  first.close()
  await first.ended

  const second = await client.listen()
  await second.event(0)
  await pause()

  t.strictSame(second.messages, [])
})

t.test('what changed before a session began is not told to it', async t => {
  const client = await connected(t)
  client.app.toolrack.add(filler)
  const later = await open(t, client.app)

  const stream = await later.listen()
  await stream.event(0)
  await pause()

  t.strictSame(stream.messages, [])
})

t.test('news does not come over the stream of a call', async t => {
  const { gated, open: finish } = gatedTool()
  const client = await connected(t, { tools: [gated] })
  const call = await client.postTool('slow', {}, { _meta: { progressToken: 1 } })
  await call.next(0)

  client.app.toolrack.add(filler)
  finish()
  await call.ended
  const stream = await client.listen()

  t.equal(call.messages.length, 2)
  t.match(await stream.next(0), CHANGED)
})

t.test('no response comes over a stream of news', async t => {
  const client = await connected(t, { tools: [filler] })
  const stream = await client.listen()

  await client.callTool('filler')
  await pause()

  t.strictSame(stream.messages, [])
})

t.test('a session that listens does not expire', async t => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const client = await connected(t, { sessions: { ttlMs: TTL_MS } })
  const stream = await client.listen()

  // So that a machine that stands still takes none of its life.
  const clock = { nowMs: performance.now() }
  const { mock: now } = mock.method(performance, 'now', () => clock.nowMs)
  t.teardown(() => now.restore())
  for (let passedMs = 0; passedMs < 3 * TTL_MS; passedMs += TTL_MS / 6) {
    clock.nowMs += TTL_MS / 6
    mock.timers.tick(TTL_MS / 6)
    await new Promise(setImmediate)
  }

  t.equal(stream.hasEnded, false)
  t.strictSame((await client.call('ping')).result, {})
})

t.test('logging/setLevel: entries of that level and above are sent over the stream of their call', async t => {
  const talk = tool('talk', ({ log }) => {
    for (const level of ['debug', 'info', 'warning', 'emergency'] as const) log[level](level)
  })
  const client = await connected(t, { tools: [talk] })

  const silent = await client.callTool('talk')
  t.strictSame((await client.call('logging/setLevel', { level: 'warning' })).result, {})
  const loud = await client.callTool('talk')

  t.equal(silent.messages.length, 1)
  t.strictSame(
    loud.messages.slice(0, -1).map(({ params }) => params.level),
    ['warning', 'emergency'],
  )
})

t.test('logging/setLevel: an unknown level is answered -32602, and changes nothing', async t => {
  const client = await session(t, { tools: [tool('talk', ({ log }) => log.error('x'))] })
  await client.call('logging/setLevel', { level: 'error' })

  const reply = await client.call('logging/setLevel', { level: 'loud' })

  t.match(reply, { status: 200, error: { code: -32602 } })
  t.equal((await client.callTool('talk')).messages.length, 2)
})

t.test('logging/setLevel: of one session is not of another', async t => {
  const client = await session(t, { tools: [tool('talk', ({ log }) => log.error('x'))] })
  const quiet = await open(t, client.app)

  await client.call('logging/setLevel', { level: 'debug' })

  t.equal((await quiet.callTool('talk')).messages.length, 1)
})
