// Several messages in one body: only 2025-03-26 allows them.
import t from 'tap'
import { META, request } from '../../support/app.ts'
import { inject } from '../../support/client/transport.ts'
import { attack } from '../../support/security/probe.ts'
import { attackIn, BATCHES, callOf, handshake, inSession, OLDER, openSession } from '../../support/security/sessions.ts'

const echo = (id: unknown, message: unknown = `m${id}`) => ({ ...callOf('echo', { message }), id })
const many = (count: number) => Array.from({ length: count }, (_, index) => echo(index))

t.test('A14: a batch is refused in every revision but 2025-03-26, whatever the header says', async t => {
  const { app, received } = await inSession(t)

  for (const revision of OLDER.filter(each => each !== BATCHES)) {
    const session = await openSession(app, revision)
    for (const version of [undefined, revision, BATCHES]) {
      for (const body of [[echo(1)], [], [[]], [null], many(21)]) {
        const got = await attackIn(app, { session, body, headers: { 'mcp-protocol-version': version } }, revision)
        t.match({ status: got.status, code: got.message?.error?.code }, { status: 400, code: -32600 })
        t.notOk(got.message && 'id' in got.message)
      }
    }
  }
  t.same(received, [])
})

t.test('A14: a batch that claims a modern revision is refused, by header and by each entry', async t => {
  const { app, session, received } = await inSession(t, BATCHES)
  const { message, headers } = request('tools/call', { name: 'echo', arguments: {} }, { id: 1 })

  for (const body of [[message], [], [[]], [message, echo(2)]]) {
    const got = await attack(app, { body, headers: { ...headers, 'mcp-session-id': session } })
    t.match(got, { status: 400, message: { error: { code: -32600 } } })
  }
  for (const _meta of [message.params._meta, { [`${META}clientInfo`]: {} }, { [`${META}clientCapabilities`]: {} }]) {
    const body = [{ ...echo(1), params: { ...echo(1).params, _meta } }, echo(2)]
    const got = await attackIn(app, { session, body }, BATCHES)
    t.match(got.messages, [
      { id: 1, error: { code: -32600 } },
      { id: 2, result: {} },
    ])
  }
  t.same(received, ['m2', 'm2', 'm2'])
})

t.test('A14: 20 entries are served, 21 are refused as a whole, and so is a batch of nothing', async t => {
  const { app, session, received } = await inSession(t, BATCHES)

  const full = await attackIn(app, { session, body: many(20) }, BATCHES)
  t.same(
    full.messages.map(({ id }) => id),
    Array.from({ length: 20 }, (_, index) => index),
  )
  t.equal(received.length, 20)
  for (const body of [many(21), many(1000), []]) {
    const got = await attackIn(app, { session, body }, BATCHES)
    t.match({ status: got.status, code: got.message?.error?.code }, { status: 400, code: -32600 })
  }
  t.equal(received.length, 20)
})

t.test('A14: without a session a batch is as long as in one, and is none in other revisions', async t => {
  const { app, received } = await inSession(t, BATCHES)

  for (const version of OLDER.filter(each => each >= '2025' && each !== BATCHES)) {
    const got = await attackIn(app, { body: many(2), headers: { 'mcp-protocol-version': version } }, version)
    t.match({ status: got.status, code: got.message?.error?.code }, { status: 400, code: -32600 })
  }
  const none = await attackIn(app, { body: many(21) }, BATCHES)
  t.match(none, { status: 400, message: { error: { code: -32600 } } })
  t.same(received, [])

  const all = await attackIn(app, { body: many(20) }, BATCHES)
  t.equal(all.messages.length, 20)
})

t.test('A14: in a session that is not known, or without one where it is required, a batch is not read', async t => {
  const { app, received } = await inSession(t, BATCHES, { sessions: { mode: 'required' } })

  const none = await attackIn(app, { body: many(21) }, BATCHES)
  const unknown = await attackIn(app, { session: 'x'.repeat(32), body: many(2) }, BATCHES)
  const opening = await attackIn(app, { body: [handshake(BATCHES)] }, BATCHES)

  t.match(none, { status: 400, message: { error: { code: -32600 } } })
  t.match(unknown, { status: 404, message: { error: { code: 40400 } } })
  t.match(opening, { status: 400, message: { error: { code: -32600 } } })
  t.notOk('mcp-session-id' in opening.headers)
  t.same(received, [])
})

/** What a single POST of it is refused with; in a batch, its entry is. */
const WRONG: [unknown, number][] = [
  [null, -32600],
  [42, -32600],
  ['x', -32600],
  [[], -32600],
  [[echo(9)], -32600],
  [{}, -32600],
  [{ ...echo(9), jsonrpc: '1.0' }, -32600],
  [{ ...echo(9), id: null }, -32600],
  [{ ...echo(9), id: 1.5 }, -32600],
  [{ ...echo(9), id: {} }, -32600],
  [{ ...echo(9), id: 'x'.repeat(1025) }, -32600],
  [{ ...echo(9), params: [] }, -32600],
  [{ ...echo(9), Method: 'x' }, -32600],
  [{ ...echo(9), result: {} }, -32600],
  [{ ...handshake(BATCHES), id: 9 }, -32600],
  [{ ...echo(9), method: '__proto__' }, -32601],
  [{ ...echo(9), method: 'server/discover' }, -32601],
  [{ ...echo(9), method: 'subscriptions/listen' }, -32601],
  [{ ...echo(9), params: { name: '__proto__' } }, -32602],
  [{ ...echo(9), params: { name: 7 } }, -32602],
  [{ ...echo(9), params: { name: 'probe', arguments: { n: '7' } } }, -32602],
]

t.test('A14: each entry is checked like a message of its own, and what is wrong with one harms no other', async t => {
  const { app, session, received } = await inSession(t, BATCHES)

  for (const [wrong, code] of WRONG) {
    const got = await attackIn(app, { session, body: [echo('a'), wrong, echo('b')] }, BATCHES)

    t.equal(got.status, 200)
    t.match(got.messages, [{ id: 'a', result: {} }, { error: { code } }, { id: 'b', result: {} }])
  }
  t.equal(received.length, 2 * WRONG.length)
  const all = await attackIn(app, { session, body: WRONG.slice(0, 20).map(([wrong]) => wrong) }, BATCHES)
  t.equal(all.messages.length, 20)
  t.ok(all.messages.every(({ error }) => error !== undefined))
  t.notOk('mcp-session-id' in all.headers)
})

t.test('A14: the bounds of a message are those of the whole batch', async t => {
  const { app, session, received } = await inSession(t, BATCHES)
  const wide = Array.from({ length: 20 }, (_, index) => echo(index, Array(600).fill(0)))
  const deep = `[${JSON.stringify(echo(1)).replace('"m1"', `${'['.repeat(64)}${']'.repeat(64)}`)}]`

  for (const body of [wide, deep, `[${JSON.stringify(echo(1))},]`, '['.repeat(100_000), '[{"id":1,"id":2}]']) {
    const got = await attackIn(app, { session, body }, BATCHES)
    t.equal(got.status, 400)
    t.ok(got.text.length < 1024)
  }
  t.same(received, [])
})

t.test('A14: entries with the same id are answered each with its own', async t => {
  const { app, session } = await inSession(t, BATCHES)

  const got = await attackIn(
    app,
    { session, body: Array.from({ length: 20 }, (_, index) => echo(1, `e${index}`)) },
    BATCHES,
  )

  t.same(
    got.messages.map(({ result }) => result.content[0].text),
    Array.from({ length: 20 }, (_, index) => `e${index}`),
  )
  t.ok(got.messages.every(({ id }) => id === 1))
})

t.test('A14: a batch cancels its own entries only, and is answered with what is left', async t => {
  const hangs = { name: 'hangs', handler: () => new Promise(() => {}) }
  const { app, session } = await inSession(t, BATCHES, { tools: [hangs] })
  const other = await openSession(app, BATCHES)
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } }

  const elsewhere = await inject(app).send({ session: other, body: [cancel, echo(1)] })
  const got = await inject(app).send({ session, body: [callOf('hangs', {}, 5), echo(6), cancel] })

  t.match(elsewhere.messages, [{ id: 1 }])
  t.match(got.messages, [{ id: 6, result: {} }])
  t.equal(got.messages.length, 1)
  t.match(
    await inject(app).send({ session, body: [callOf('hangs', {}, 7), { ...cancel, params: { requestId: 7 } }] }),
    {
      status: 202,
      text: '',
    },
  )
})

t.test(
  'A14: a client that takes a stream only gets each answer as an event, one that takes JSON one array',
  async t => {
    const { app, session } = await inSession(t, BATCHES)

    const streamed = await inject(app).send({ session, body: many(20), headers: { accept: 'text/event-stream' } })
    const json = await inject(app).send({ session, body: many(20), headers: { accept: 'application/json' } })

    for (const got of [streamed, json]) t.equal(got.messages.length, 20)
    t.match(streamed.headers['content-type'], /^text\/event-stream/)
    t.match(json.headers['content-type'], /^application\/json/)
  },
)
