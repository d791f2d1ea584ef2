// What a client can put where a session, an event or a stream is named.
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { inject, socket } from '../../support/client/transport.ts'
import { until } from '../../support/security/hostile.ts'
import { assertAlive } from '../../support/security/probe.ts'
import {
  assertServed,
  attackIn,
  callOf,
  handshake,
  inSession,
  NEWEST,
  OLDER,
  openSession,
  openSessionAt,
} from '../../support/security/sessions.ts'
import { assertUnharmed, open as serve, talk } from '../../support/security/socket.ts'

const ODD = [
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'undefined', 'null', '0', '*', '..', '[object Object]'],
  ...['%5f%5fproto%5f%5f', "' OR 1=1", 'x'.repeat(8000), 'a, a', ',', '"', '\u00e9\u00ff', '\ttab', '-', '==', '{}'],
]

t.test('B23: a session id of any shape that is not ours is one that does not exist', async t => {
  const { app, session } = await inSession(t)
  const near = [session.slice(0, -1), `${session}=`, session.toLowerCase(), session.toUpperCase(), `${session}, x`]

  for (const id of [...ODD, ...near]) {
    for (const verb of ['POST', 'GET', 'DELETE'] as const) {
      const body = verb === 'POST' ? callOf('echo') : undefined
      const got = await attackIn(app, { session: id, method: verb, body })
      t.match(
        { status: got.status, code: got.message?.error?.code },
        { status: 404, code: 40400 },
        `${verb} ${id.slice(0, 40)}`,
      )
      t.notMatch(got.text, id.length > 3 ? id.slice(0, 100) : 'never', 'and is not repeated')
    }
  }
  await assertServed(app, session)
})

t.test('B23: an id that is empty names no session', async t => {
  const { app, session } = await inSession(t)

  for (const verb of ['POST', 'GET', 'DELETE'] as const) {
    const got = await attackIn(app, { session: '', method: verb, body: verb === 'POST' ? callOf('echo') : undefined })
    t.ok(got.status === 404 || got.status === 400, `${verb} ${got.status}`)
  }
  await assertServed(app, session)
})

t.test('A34, B23: over the wire an id that comes twice, or is too long, reaches no session', async t => {
  const { app, port, received } = await serve(t, { sessions: { mode: 'required' } })
  const session = await openSession(app)
  const body = JSON.stringify(callOf('echo'))
  const raw = (lines: string[], first = 'POST /mcp HTTP/1.1') =>
    `${[first, 'host: localhost', 'accept: application/json, text/event-stream', 'content-type: application/json', `content-length: ${first.startsWith('POST') ? body.length : 0}`, ...lines].join('\r\n')}\r\n\r\n${first.startsWith('POST') ? body : ''}`
  const cases: [string[], number][] = [
    [[`mcp-session-id: ${session}`, `mcp-session-id: ${session}`], 404],
    [[`mcp-session-id: ${session}`, `MCP-SESSION-ID: x`], 404],
    [[`mcp-session-id: x`, `Mcp-Session-Id: ${session}`], 404],
    [[`mcp-session-id: ${'x'.repeat(20_000)}`], 431],
    [[`mcp-session-id: ${session}\0`], 400],
    [[`mcp-session-id: \xc3\xa9`], 404],
    [[`__proto__: ${session}`, `constructor: ${session}`], 400],
    [[`last-event-id: ${'x'.repeat(20_000)}`, `mcp-session-id: ${session}`], 431],
  ]

  for (const [lines, status] of cases) {
    for (const verb of ['POST', 'GET', 'DELETE']) {
      const heard = await talk(port, raw(lines, `${verb} /mcp HTTP/1.1`), 1)
      t.match(heard.responses, [{ status }], JSON.stringify([verb, lines.join().slice(0, 60)]))
      await assertUnharmed(app, heard)
    }
  }
  t.same(received, [])
  const spaced = await talk(port, raw([`mcp-session-id:  ${session}\t`]), 1)
  t.match(spaced.responses, [{ status: 200 }], 'space around a header is no part of it')
  await assertServed(app, session)
})

const steps = defineTool({
  name: 'steps',
  handler(_args, { progress }) {
    progress(1)
    return 'done'
  },
})
const withProgress = { ...callOf('steps'), params: { name: 'steps', arguments: {}, _meta: { progressToken: 1 } } }

t.test('E7: a Last-Event-ID of any shape that is not ours is a fresh start', async t => {
  const { app, port } = await serve(t, { tools: [steps] })
  const session = await openSessionAt(t, port)
  const past = await socket(port, t).stream({ session, body: withProgress })
  await past.ended
  const own = past.events.at(-1)!.id!.split('.')[0]!
  const odd = [
    '',
    '1',
    '0.0',
    'x.1',
    '.',
    '..1',
    `${own}`,
    `${own}.`,
    `${own}.-1`,
    `${own}.1.2`,
    `${own}.1e3`,
    `${own}.1, ${own}.1`,
  ]
  const worse = [
    '__proto__.1',
    'constructor.1',
    `${'x'.repeat(64)}.1`,
    `${'x'.repeat(12_000)}.1`,
    `${own}.${'9'.repeat(400)}`,
  ]

  for (const id of [...odd, ...worse]) {
    const stream = await socket(port, t).stream({ session, headers: { 'last-event-id': id } })
    t.equal(stream.status, 200, id.slice(0, 40))
    await until(() => stream.events.length > 0, 'it began')
    t.notOk(stream.hasEnded)
    t.same(stream.messages, [], 'and nothing is replayed')
    t.notOk(stream.events[0]!.id?.startsWith(own))
    stream.close()
    await assertAlive(app)
  }
})

t.test('E7: a number past the end, or with zeros before it, replays nothing twice', async t => {
  const { port } = await serve(t, { tools: [steps] })
  const session = await openSessionAt(t, port)
  const past = await socket(port, t).stream({ session, body: withProgress })
  await past.ended
  const own = past.events.at(-1)!.id!.split('.')[0]!

  for (const id of ['999999999999999', '3', '0003']) {
    const stream = await socket(port, t).stream({ session, headers: { 'last-event-id': `${own}.${id}` } })
    await stream.ended
    t.same(
      stream.events.filter(({ data }) => data !== ''),
      [],
      id,
    )
  }
})

t.test('A27: a version that a session did not settle on changes nothing; one that there is not is refused', async t => {
  const { app } = await inSession(t)

  for (const revision of OLDER) {
    const session = await openSession(app, revision)
    for (const other of OLDER) {
      const got = await attackIn(
        app,
        { session, body: callOf('echo'), headers: { 'mcp-protocol-version': other } },
        revision,
      )
      t.equal(got.status, 200)
      t.equal('toolResult' in got.message!.result, revision === '2024-10-07', `${revision} with ${other}`)
    }
    for (const verb of ['GET', 'POST', 'DELETE'] as const) {
      const body = verb === 'POST' ? callOf('echo') : undefined
      const got = await attackIn(app, {
        session,
        method: verb,
        body,
        headers: { 'mcp-protocol-version': '1999-01-01' },
      })
      t.match({ status: got.status, code: got.message?.error?.code }, { status: 400, code: -32022 }, verb)
    }
    await assertServed(app, session)
  }
})

t.test('A27: a modern request that names a session gets nothing of it, and does not end it', async t => {
  const { app, session } = await inSession(t)

  for (const verb of ['GET', 'DELETE'] as const) {
    const got = await attackIn(app, { session, method: verb, headers: { 'mcp-protocol-version': '2026-07-28' } })
    t.match({ status: got.status, allow: got.headers['allow'] }, { status: 405, allow: 'POST' })
  }
  const opening = await attackIn(app, { session, body: handshake(), headers: { 'mcp-protocol-version': '2026-07-28' } })
  t.equal(opening.status, 400)
  await assertServed(app, session)
})

t.test('an initialize within a session opens another, and leaves the first as it was', async t => {
  const { app, session } = await inSession(t, NEWEST, {}, { elicitation: {} })

  const got = await inject(app).send({ session, body: handshake('2024-11-05') })

  t.equal(got.status, 200)
  t.not(got.headers['mcp-session-id'], session)
  t.match(got.message?.result, { protocolVersion: '2024-11-05' })
  await assertServed(app, session)
})
