import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { call, listening, META, request, stream } from '../../support/app.ts'
import type { TestReply } from '../../support/client/reply.ts'
import { rack, until, wired } from '../../support/security/hostile.ts'
import { callOver } from '../../support/servers/own-process.ts'

const LISTEN = { notifications: { toolsListChanged: true } }
const filler = defineTool({ name: 'filler', handler: () => 'x' })

t.test('E2: past the bound of the process a stream is refused, and those that are open stay', async t => {
  const { port, toolrack } = await wired(t, [], { maxStreams: 3 })
  const url = `http://127.0.0.1:${port}/mcp`
  const open: TestReply[] = []
  for (let id = 0; id < 3; id++) open.push(await stream(t, url, 'subscriptions/listen', LISTEN, { id }))
  for (const each of open) await each.next(0)

  const { message, headers } = request('subscriptions/listen', LISTEN, { id: 'fourth' })
  const { host: _, ...rest } = headers
  const refused = await fetch(url, { method: 'POST', headers: rest, body: JSON.stringify(message) })

  t.equal(refused.status, 503)
  t.match(refused.headers.get('retry-after'), /^(?:1[5-9]|[23]\d|4[0-5])$/)
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

const DEBUG = { meta: { [`${META}logLevel`]: 'debug', progressToken: 1 } }

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
