// What another caller can do with the id of a session, at every door.
import t from 'tap'
import { inject, socket } from '../../support/client/transport.ts'
import {
  ALICE,
  assertHers,
  BOB,
  ELICITS,
  host,
  isQuestion,
  isUnknown,
  OTHERS,
  steps,
} from '../../support/security/hosted.ts'
import { callOf, OLDER, openSessionAt } from '../../support/security/sessions.ts'

t.test('B23: to everybody else a session is one that does not exist, by POST, GET and DELETE alike', async t => {
  const { app, port } = await host(t)
  const session = await openSessionAt(t, port, { headers: ALICE })
  const listener = await socket(port, t).stream({ session, headers: ALICE })
  const unknown = await inject(app).send({ session: 'x'.repeat(32), headers: BOB, body: callOf('whose') })

  for (const headers of OTHERS) {
    const called = await inject(app).send({ session, headers, body: callOf('whose') })
    t.equal(called.text, unknown.text, 'word for word')
    for (const body of [callOf('whose'), [callOf('whose')], { jsonrpc: '2.0', method: 'notifications/initialized' }])
      isUnknown(t, await inject(app).send({ session, headers, body }), 'POST')
    isUnknown(t, await socket(port, t).send({ method: 'GET', session, headers }), 'GET')
    isUnknown(t, await inject(app).send({ session, method: 'DELETE', headers }), 'DELETE')
  }

  await assertHers(t, port, session)
  app.toolrack.remove('steps')
  await listener.find(({ method }) => method === 'notifications/tools/list_changed')
  t.notOk(listener.hasEnded)
})

t.test('B23: a session that is named by the query is not named at all', async t => {
  const { app, port } = await host(t)
  const session = await openSessionAt(t, port, { headers: ALICE })
  const names = ['Mcp-Session-Id', 'mcp-session-id', 'sessionId', 'session_id']

  for (const name of names) {
    const url = `/mcp?${name}=${session}`
    for (const headers of [ALICE, BOB]) {
      for (const verb of ['GET', 'DELETE', 'POST'] as const) {
        const got = await inject(app).send({
          path: url,
          method: verb,
          headers: { accept: 'text/event-stream, application/json', ...headers },
          ...(verb === 'POST' && { body: callOf('whose') }),
        })
        const found = { status: got.status, code: got.message?.error?.code }
        // A call needs no session, and so gets nothing of hers.
        t.match(found, verb === 'POST' ? { status: 200 } : { status: 400, code: -32600 }, `${verb} ${url}`)
      }
    }
  }
  await assertHers(t, port, session)
})

t.test('B23: with a session of his own, bob gets nothing of what alice has', async t => {
  const { app, port } = await host(t)
  const hers = await openSessionAt(t, port, { headers: ALICE })
  const his = await openSessionAt(t, port, { headers: BOB })
  const body = { ...callOf('steps'), params: { name: 'steps', arguments: {}, _meta: { progressToken: 1 } } }
  const first = await socket(port, t).send({ session: hers, headers: ALICE, body })
  const ids = first.events.flatMap(({ id }) => id ?? [])
  t.ok(ids.length >= 2)

  for (const id of [...ids, ids[0]!.replace(/\d+$/, '0')]) {
    const stolen = await socket(port, t).stream({ session: his, headers: { ...BOB, 'last-event-id': id } })
    t.equal(stolen.status, 200, 'it begins afresh')
    app.toolrack.remove('steps')
    app.toolrack.add(steps)
    await stolen.find(({ method }) => method === 'notifications/tools/list_changed')
    t.notMatch(stolen.text, /secret|done/)
    t.notOk(
      stolen.events.some(event => event.id?.startsWith(ids[0]!.split('.')[0]!)),
      'on a stream of its own',
    )
    stolen.close()
    for (const headers of [BOB, {}])
      isUnknown(
        t,
        await socket(port, t).send({
          method: 'GET',
          session: hers,
          headers: { ...headers, 'last-event-id': id },
        }),
        'Last-Event-ID',
      )
  }

  const own = await socket(port, t).stream({ session: hers, headers: { ...ALICE, 'last-event-id': ids[0]! } })
  await own.find(({ result }) => result)
  await own.ended
  t.match(own.messages.at(-1), { id: 1, result: { content: [{ text: 'done' }] } })
})

t.test('B23: what alice is asked, bob cannot answer, nor can he cancel what she called', async t => {
  const { app, port } = await host(t)
  const hers = await openSessionAt(t, port, { headers: ALICE, capabilities: ELICITS })
  const his = await openSessionAt(t, port, { headers: BOB, capabilities: ELICITS })
  const asking = await socket(port, t).stream({ session: hers, headers: ALICE, body: callOf('ask', {}, 7) })
  const calling = await socket(port, t).stream({ session: hers, headers: ALICE, body: callOf('slow', {}, 8) })
  const { id } = await asking.find(isQuestion)
  const forged = { jsonrpc: '2.0', id, result: { action: 'accept', content: { word: 'forged' } } }
  const cancel = (requestId: unknown) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })

  for (const body of [forged, cancel(7), cancel(8), { jsonrpc: '2.0', id, error: { code: 1, message: 'forged' } }]) {
    for (const headers of OTHERS) isUnknown(t, await inject(app).send({ session: hers, headers, body }), 'her session')
    t.equal(
      (await inject(app).send({ session: his, headers: BOB, body })).status,
      202,
      'his own: heard, and nobody waits for it',
    )
  }
  t.notOk(asking.hasEnded)
  t.notOk(calling.hasEnded)

  const right = { ...forged, result: { action: 'accept', content: { word: 'hers' } } }
  t.equal((await inject(app).send({ session: hers, headers: ALICE, body: right })).status, 202)
  t.match(await asking.find(({ result }) => result), {
    id: 7,
    result: { content: [{ text: 'alice: {"word":"hers"}' }] },
  })
  t.equal((await inject(app).send({ session: hers, headers: ALICE, body: cancel(8) })).status, 202)
  await calling.ended
})

t.test('B23: in every revision with a handshake', async t => {
  const { app, port } = await host(t)

  for (const revision of OLDER) {
    const session = await openSessionAt(t, port, { headers: ALICE, revision })
    isUnknown(t, await inject(app).send({ session, headers: BOB, body: callOf('whose') }), revision)
    isUnknown(t, await inject(app).send({ session, headers: BOB, method: 'DELETE' }), revision)
    isUnknown(t, await inject(app).send({ session, headers: BOB, body: [callOf('whose')] }), revision)
    t.equal((await inject(app).send({ session, headers: ALICE, body: callOf('whose') })).status, 200)
  }
})

t.test('B23: a session of nobody is not that of somebody who is verified', async t => {
  const { app, port } = await host(t)
  const session = await openSessionAt(t, port)

  isUnknown(t, await inject(app).send({ session, headers: ALICE, body: callOf('whose') }), 'alice')
  isUnknown(t, await inject(app).send({ session, headers: ALICE, method: 'DELETE' }), 'alice')
  t.match(await inject(app).send({ session, body: callOf('whose') }), { status: 200 })
})

t.test('B23: a session that its owner has ended is gone for her too, with all that it had under way', async t => {
  const { app, port } = await host(t)
  const session = await openSessionAt(t, port, { headers: ALICE, capabilities: ELICITS })
  const listener = await socket(port, t).stream({ session, headers: ALICE })
  const asking = await socket(port, t).stream({ session, headers: ALICE, body: callOf('ask', {}, 7) })
  const { id } = await asking.find(isQuestion)

  t.equal((await inject(app).send({ session, headers: ALICE, method: 'DELETE' })).status, 204)

  await listener.ended
  await asking.ended
  const answer = { jsonrpc: '2.0', id, result: { action: 'decline' } }
  for (const body of [callOf('whose'), answer])
    isUnknown(t, await inject(app).send({ session, headers: ALICE, body }), 'POST')
  isUnknown(t, await inject(app).send({ session, headers: ALICE, method: 'DELETE' }), 'DELETE')
})
