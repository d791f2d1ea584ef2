// HTTP+SSE, the transport of 2024-11-05: streams of another caller, floods, and readers that stop.
import t, { type Test } from 'tap'
import { inject, socket } from '../../support/client/transport.ts'
import { giveUpAtOnce } from '../../support/legacy/give-up.ts'
import { ALICE, BOB, ELICITS, host, isUnknown, OTHERS } from '../../support/security/hosted.ts'
import { until } from '../../support/security/hostile.ts'
import { callOf } from '../../support/security/sessions.ts'

t.test('B23: over HTTP+SSE the stream of another is one that does not exist', async t => {
  const { app, port } = await host(t, { httpSse: true })
  const stream = await socket(port, t).stream({ path: '/sse', headers: ALICE })
  await until(() => stream.events.length > 0, 'the endpoint was named')
  const url = stream.events[0]!.data
  const sessionId = url.split('=')[1]!
  const send = (headers: Record<string, string>, body: object, to = url) =>
    inject(app).send({ path: to, headers, body })
  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2024-11-05', capabilities: ELICITS, clientInfo: { name: 'x', version: '1' } },
  }

  for (const headers of OTHERS) isUnknown(t, await send(headers, hello), 'initialize')
  t.equal((await send(ALICE, hello)).status, 202)
  for (const headers of OTHERS) isUnknown(t, await send(headers, callOf('whose', {}, 2)), 'call')
  for (const headers of [ALICE, BOB]) {
    isUnknown(
      t,
      await inject(app).send({ session: sessionId, headers, body: callOf('whose') }),
      'its id opens no other door',
    )
    isUnknown(t, await inject(app).send({ session: sessionId, headers, method: 'DELETE' }), 'nor ends it there')
    isUnknown(
      t,
      await send({ ...headers, 'mcp-session-id': sessionId }, callOf('whose'), '/messages'),
      'nor by a header',
    )
  }
  t.equal((await send(ALICE, callOf('whose', {}, 3))).status, 202)
  t.match(await stream.find(({ id }) => id === 3), { result: { content: [{ text: 'alice' }] } })
  t.same(
    stream.messages.map(({ id }) => id),
    [1, 3],
  )
})

const hello = (protocolVersion = '2024-11-05') => ({
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion, capabilities: ELICITS, clientInfo: { name: 'x', version: '1' } },
})

async function connect(t: Test, port: number) {
  const stream = await socket(port, t).stream({ path: '/sse' })
  await until(() => stream.events.length > 0, 'the endpoint was named')
  return { stream, url: stream.events[0]!.data }
}

t.test('A: a session id of any shape that is not ours is refused, and so is a second handshake', async t => {
  const { app, port } = await host(t, { httpSse: true })
  const { stream, url } = await connect(t, port)
  const id = url.split('=')[1]!
  const odd = [
    '',
    '__proto__',
    'constructor',
    id.slice(1),
    `${id}x`,
    id.toUpperCase() === id ? 'x' : id.toUpperCase(),
    'x'.repeat(8000),
  ]

  for (const each of [
    ...odd.map(other => `?sessionId=${other}`),
    `?sessionId=${id}&sessionId=${id}`,
    `?SessionId=${id}`,
    `?sessionId[]=${id}`,
    '',
  ])
    isUnknown(t, await inject(app).send({ path: `/messages${each}`, body: hello() }), each.slice(0, 40))
  for (const body of [callOf('whose', {}, 1), hello(), { ...hello(), id: 2 }, callOf('whose', {}, 3)])
    t.equal((await inject(app).send({ path: url, body })).status, 202)
  for (const body of ['{', [hello()], [], 42, null, { jsonrpc: '2.0', id: null, method: 'ping' }])
    t.equal(
      (await inject(app).send({ path: url, body: typeof body === 'string' ? body : JSON.stringify(body) })).status,
      400,
    )

  await stream.find(({ id: of }) => of === 3)
  t.match(stream.messages, [
    { id: 1, error: { code: -32600, message: /initialize/ } },
    { id: 'hello', result: {} },
    { id: 2, error: { code: -32600, message: /begun already/ } },
    { id: 3, result: {} },
  ])
  t.equal(stream.messages.length, 4)
})

t.test('E7: an unknown Last-Event-ID brings nothing back, and a client that stays away is forgotten', async t => {
  const { app, port } = await host(t, { httpSse: true })
  const { stream, url } = await connect(t, port)
  await inject(app).send({ path: url, body: hello('2025-11-25') })
  await stream.find(({ id }) => id === 'hello')

  giveUpAtOnce(t)
  stream.close()
  await until(async () => (await inject(app).send({ path: url, body: callOf('whose') })).status === 404, 'it is gone')
  const again = await socket(port, t).stream({ path: '/sse', headers: { 'last-event-id': '1' } })
  await until(() => again.events.length > 0, 'the endpoint was named')
  t.same(again.messages, [])
  t.not(again.events[0]!.data, url)
})

t.test('E10: what a call under way still says when its stream is gone reaches nobody else', async t => {
  const { app, port } = await host(t, { httpSse: true })
  for (let round = 0; round < 50; round++) {
    const { stream, url } = await connect(t, port)
    await inject(app).send({ path: url, body: hello() })
    await inject(app).send({ path: url, body: callOf('slow', {}, 1) })
    await inject(app).send({ path: url, body: callOf('ask', {}, 2) })
    stream.close()
  }
  const { stream, url } = await connect(t, port)
  await inject(app).send({ path: url, body: hello() })
  await inject(app).send({ path: url, body: callOf('whose', {}, 3) })

  await stream.find(({ id }) => id === 3)
  t.same(
    stream.messages.map(({ id }) => id),
    ['hello', 3],
  )
})
