// Messages of sessions: wrong ids, and methods that do not exist.
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { inject } from '../../support/client/transport.ts'
import { assertServed, attackIn, callOf, inSession, OLDER, openSession } from '../../support/security/sessions.ts'

const echoOf = (id: unknown, message = `m${id}`) => ({ ...callOf('echo', { message }), id })

t.test('A13: the same ids in two sessions, in flight at once, are answered each with its own', async t => {
  const gate = Promise.withResolvers<void>()
  const waits = defineTool({
    name: 'waits',
    inputSchema: { type: 'object' },
    async handler(args) {
      await gate.promise
      return `${args['who']} ${JSON.stringify(args['id'])}`
    },
  })
  const { app } = await inSession(t, '2025-11-25', { tools: [waits] })
  const sessions = await Promise.all(Array.from({ length: 10 }, (_, index) => openSession(app, OLDER[index % 5])))
  const ids = [0, 1, '1', '', '__proto__', 'x'.repeat(1024)]
  const calls = sessions.flatMap((session, who) =>
    ids.map(async id => ({
      who,
      id,
      got: await inject(app).send({ session, body: callOf('waits', { who, id }, id) }),
    })),
  )
  await new Promise(resolve => setTimeout(resolve, 50))
  gate.resolve()

  for (const { who, id, got } of await Promise.all(calls)) {
    const { result } = got.message!
    t.equal(got.message?.id, id)
    t.equal(result.toolResult ?? result.content[0].text, `${who} ${JSON.stringify(id)}`)
  }
})

t.test('A12, A13: an id that is none is refused, and one that is under way is not begun twice', async t => {
  const { app, session, received } = await inSession(t)

  for (const id of [null, 1.5, true, {}, [], 2 ** 53, 'x'.repeat(1025)]) {
    const got = await attackIn(app, { session, body: echoOf(id) })
    t.match({ status: got.status, code: got.message?.error?.code }, { status: 400, code: -32600 }, JSON.stringify(id))
  }
  t.same(received, [])
  const hangs = defineTool({
    name: 'hangs',
    handler: (_args, { signal }) => new Promise(end => signal.addEventListener('abort', end)),
  })
  app.toolrack.add(hangs)
  const first = inject(app).send({ session, body: callOf('hangs', {}, 'same') })
  const second = await attackIn(app, { session, body: callOf('echo', { message: 'x' }, 'same') })
  t.match(second.message, { error: { code: -32600 } })
  await inject(app).send({
    session,
    body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'same' } },
  })
  t.match(await first, { text: '' }, 'a cancelled request is not answered')
  t.equal((await inject(app).send({ session, body: callOf('echo', { message: 'x' }, 'same') })).status, 200)
})

t.test('A19 to A23: methods and messages that are none are refused as without a session', async t => {
  const { app, received } = await inSession(t)

  for (const revision of OLDER) {
    const session = await openSession(app, revision)
    for (const method of [
      '__proto__',
      'constructor',
      'server/discover',
      'subscriptions/listen',
      'tools/Call',
      'x'.repeat(5000),
    ])
      t.match(await attackIn(app, { session, body: { ...echoOf(1), method } }, revision), {
        message: { id: 1, error: { code: -32601 } },
      })
    for (const body of ['{', '42', 'null', '"x"', '{}', '[', '', '{"jsonrpc":"2.0","id":1}', Buffer.from([0xff, 0xfe])])
      t.equal((await attackIn(app, { session, body }, revision)).status, 400, String(body))
    for (const method of ['notifications/x', '__proto__', 'tools/call', 'initialize', 'notifications/initialized'])
      t.match(await attackIn(app, { session, body: { jsonrpc: '2.0', method } }, revision), { status: 202, text: '' })
    await assertServed(app, session)
  }
  t.same(received, [])
})
