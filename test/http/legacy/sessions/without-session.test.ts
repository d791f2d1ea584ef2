// Requests of 2025-03-26 to 2025-11-25 that name no session, as hosted clients send them after
// discovery.
// Spec 2025-11-25: basic/transports, "Session Management" and "Protocol Version Header".
import t, { type Test } from 'tap'
import { defineResource, type ServerOptions } from '../../../../src/index.ts'
import { bearer, guarded } from '../../../support/auth/guarded.ts'
import { connected, open, session } from '../../../support/client/app-client.ts'
import type { Opening } from '../../../support/client/client.ts'
import { textOf } from '../../../support/client/reply.ts'
import type { Headers } from '../../../support/client/transport.ts'
import { form } from '../../../support/legacy/asking.ts'
import { begin, callAsTask, taskTool, untilStatus, withJob } from '../../../support/legacy/tasking.ts'
import { gatedTool, stuckTool, tool } from '../../../support/steered-tools.ts'

const WITHOUT: Headers = { 'mcp-session-id': undefined }
const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26']
const BATCHES = { revision: '2025-03-26' }
const REQUIRED = { status: 400, error: { code: -32600, message: /^Session required: .*Mcp-Session-Id/ } }

const echo = tool('echo', (_ctx, { text }) => `${text}`)
const note = defineResource({ uri: 'memory://note', name: 'note', handler: () => 'a note' })

/** A client that has dropped its session after the handshake. */
async function dropped(t: Test, options: ServerOptions = {}, opening?: Opening) {
  const client = await session(t, options, opening)
  await client.end()
  return client
}

for (const revision of REVISIONS) {
  t.test(`${revision}: a request that needs no session is served without one`, async t => {
    const client = await dropped(t, { tools: [echo], resources: [note] }, { revision })
    const ask = (method: string, params?: object) => client.call(method, params, WITHOUT)

    t.strictSame((await ask('ping')).result, {})
    t.match((await ask('tools/list')).result, { tools: [{ name: 'echo' }] })
    t.equal(textOf(await ask('tools/call', { name: 'echo', arguments: { text: 'hi' } })), 'hi')
    t.match((await ask('resources/list')).result, { resources: [{ uri: 'memory://note' }] })
    t.match((await ask('resources/read', { uri: 'memory://note' })).result, { contents: [{ text: 'a note' }] })
    t.match((await ask('resources/templates/list')).result, { resourceTemplates: [] })
    t.match((await ask('nope')).error, { code: -32601 })
  })
}

t.test('the revision is that of MCP-Protocol-Version, and without it 2025-03-26', async t => {
  const titled = tool('titled', () => 'x', { title: 'A title' })
  const client = await session(t, { tools: [titled] })
  const list = async (version: string | undefined) =>
    (await client.call('tools/list', {}, { ...WITHOUT, 'mcp-protocol-version': version })).result.tools[0].title

  t.equal(await list('2025-11-25'), 'A title')
  t.equal(await list('2025-06-18'), 'A title')
  t.equal(await list('2025-03-26'), undefined)
  t.equal(await list(undefined), undefined)
})

for (const version of ['2024-11-05', '2024-10-07']) {
  t.test(`${version}: its pages know no request without a session, which is refused`, async t => {
    const client = await session(t)

    t.match(await client.call('ping', {}, { ...WITHOUT, 'mcp-protocol-version': version }), REQUIRED)
  })
}

t.test('what changes a session is refused without one, whatever its params are', async t => {
  const client = await session(t, { resources: [note] })
  const calls = [
    ['logging/setLevel', { level: 'info' }],
    ['logging/setLevel', {}],
    ['resources/subscribe', { uri: 'memory://note' }],
    ['resources/subscribe', { uri: 'memory://nope' }],
    ['resources/unsubscribe', { uri: 'memory://note' }],
  ] as const

  for (const [method, params] of calls) {
    const reply = await client.call(method, params, WITHOUT)
    t.match(reply, REQUIRED)
    t.match(reply.error.message, method)
  }
})

t.test('GET and DELETE need a session', async t => {
  const { app } = await session(t)

  for (const method of ['GET', 'DELETE'] as const) {
    const headers = { host: 'localhost', accept: 'text/event-stream', 'last-event-id': 'abc.1' }
    t.equal((await app.inject({ method, url: '/mcp', headers })).statusCode, 400)
  }
})

t.test('a notification is accepted, and an answer is refused: nobody has asked', async t => {
  const client = await session(t)
  const noted = await client.send({ jsonrpc: '2.0', method: 'notifications/initialized' }, WITHOUT)

  t.strictSame([noted.status, noted.text], [202, ''])
  t.match(await client.send({ jsonrpc: '2.0', id: 'q', result: {} }, WITHOUT), REQUIRED)
})

t.test('an answer without the session of its question reaches nobody', async t => {
  const asks = tool('asks', ctx => ctx.elicit('name', form('name')))
  const client = await connected(t, { tools: [asks] })
  const stream = await client.postTool('asks')
  const { id } = await stream.next(0)
  const answer = { jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'Eve' } } }

  t.match(await client.send(answer, WITHOUT), REQUIRED)
  await client.send({ ...answer, result: { action: 'decline' } })

  t.match((await stream.last()).result.content[0].text, /decline/)
})

t.test('a tool that asks gets the answer of a client that can be asked nothing, and runs once', async t => {
  let runs = 0
  const asks = tool('asks', ctx => {
    runs++
    return ctx.elicit('name', form('name'))
  })
  const client = await session(t, { tools: [asks] })

  const { result } = await client.call('tools/call', { name: 'asks', arguments: {} }, WITHOUT)

  t.match(result, { isError: true, content: [{ text: /elicitation\.form/ }] })
  t.equal(runs, 1)
})

t.test('progress comes over the stream of the POST, whose events cannot be resumed', async t => {
  const talk = tool('talk', ({ progress, log }) => {
    log.error({}, 'loud')
    progress(1)
    return 'done'
  })
  const client = await connected(t, { tools: [talk] })
  await client.call('logging/setLevel', { level: 'debug' })

  const params = { name: 'talk', arguments: {}, _meta: { progressToken: 'p' } }
  const stream = await client.post(client.request('tools/call', params), WITHOUT)
  await stream.ended

  t.match(stream.messages, [
    { method: 'notifications/progress', params: { progressToken: 'p' } },
    { result: { content: [{ text: 'done' }] } },
  ])
  t.equal(stream.messages.length, 2, 'no log message: the level belongs to a session')
  t.ok(stream.events.every(({ id }) => id === undefined))
})

t.test('a client that takes only an event stream gets one', async t => {
  const client = await session(t, { tools: [echo] })

  const reply = await client.call('ping', {}, { ...WITHOUT, accept: 'text/event-stream' })

  t.match(reply.headers['content-type'], /^text\/event-stream/)
  t.strictSame(reply.result, {})
})

t.test('a client that leaves cancels its call', async t => {
  const { stuck, started, aborted } = stuckTool()
  const client = await connected(t, { tools: [stuck] })
  const params = { name: 'stuck', arguments: {}, _meta: { progressToken: 1 } }
  const stream = await client.post(client.request('tools/call', params), WITHOUT)
  await started

  stream.close()

  t.match(await aborted, /left/)
})

t.test('notifications/cancelled without a session cancels no call: neither of a session, nor without', async t => {
  const { gated, started, open: finish } = gatedTool()
  const client = await session(t, { tools: [gated] })
  const request = { ...client.request('tools/call', { name: 'slow' }, 'same') }
  const own = client.send(request)
  await started
  const other = client.send(request, WITHOUT)
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'same' } }

  t.equal((await client.send(cancelled, WITHOUT)).status, 202)
  finish()

  t.equal(textOf(await own), 'done')
  t.equal(textOf(await other), 'done')
})

t.test('two clients may use one id at once: each gets its own answer', async t => {
  const { gated, started, open: finish } = gatedTool()
  const client = await session(t, { tools: [gated, echo] })
  const first = client.send(client.request('tools/call', { name: 'slow' }, 1), WITHOUT)
  await started
  const params = { name: 'echo', arguments: { text: 'second' } }
  const second = await client.send(client.request('tools/call', params, 1), WITHOUT)
  finish()

  t.equal(textOf(second), 'second')
  t.equal(textOf(await first), 'done')
})

t.test('2025-03-26: a batch is served, each entry for itself', async t => {
  const client = await session(t, { tools: [echo] }, BATCHES)
  const reply = await client.send(
    [
      client.request('tools/call', { name: 'echo', arguments: { text: 'a' } }, 1),
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      client.request('logging/setLevel', { level: 'info' }, 2),
      { jsonrpc: '2.0', id: 3, method: 7 },
      client.request('ping', {}, 4),
    ],
    WITHOUT,
  )

  t.ok(Array.isArray(JSON.parse(reply.text)))
  t.match(reply.messages, [{ id: 1, result: {} }, { id: 2, error: { code: -32600 } }, { id: 3, error: {} }, { id: 4 }])
})

t.test('2025-03-26: a batch of notifications is accepted, one with an answer or a handshake is refused', async t => {
  const client = await session(t, { tools: [echo] }, BATCHES)
  const noted = { jsonrpc: '2.0', method: 'notifications/initialized' }
  const send = (batch: object[]) => client.send(batch, WITHOUT)

  t.strictSame([(await send([noted, noted])).status, (await send([noted])).text], [202, ''])
  t.match(await send([noted, { jsonrpc: '2.0', id: 1, result: {} }]), REQUIRED)
  t.match((await send([])).status, 400)
  t.match((await send(Array.from({ length: 21 }, () => noted))).status, 400)
})

t.test('2025-03-26: the calls of a batch end when its client leaves, without a warning of Node', async t => {
  const warnings: Error[] = []
  const onWarning = (warning: Error) => void warnings.push(warning)
  process.on('warning', onWarning)
  t.teardown(() => process.off('warning', onWarning))
  let running = 0
  const { promise: allAborted, resolve } = Promise.withResolvers<void>()
  const stuck = tool('stuck', ({ signal, progress }) => {
    running++
    progress(1)
    signal.addEventListener('abort', () => --running === 0 && resolve())
    return new Promise(() => {})
  })
  const client = await connected(t, { tools: [stuck] }, BATCHES)
  const params = { name: 'stuck', arguments: {}, _meta: { progressToken: 1 } }
  const batch = Array.from({ length: 20 }, (_, id) => client.request('tools/call', params, id))
  const stream = await client.post(batch, WITHOUT)
  await stream.next(19)

  stream.close()
  await allAborted

  t.equal(running, 0)
  t.same(warnings, [])
})

t.test('2025-03-26: the calls of a batch end with the server', async t => {
  const { stuck, started, aborted } = stuckTool()
  const client = await connected(t, { tools: [stuck], drainMs: 50 }, BATCHES)
  const sent = client.send([client.request('tools/call', { name: 'stuck', arguments: {} }, 1)], WITHOUT)
  await started

  await client.app.close()

  t.match(await aborted, /shutting down/)
  t.match((await sent).messages, [{ id: 1 }])
})

t.test('2025-03-26: each message of a batch counts for the rate limit', async t => {
  // The handshake and its notification count, too.
  const client = await session(t, { tools: [echo], rateLimit: { max: 4 } }, BATCHES)
  const batch = [1, 2, 3].map(id => client.request('ping', {}, id))

  const reply = await client.send(batch, WITHOUT)

  t.match(reply.messages, [
    { id: 1, result: {} },
    { id: 2, result: {} },
    { id: 3, error: { code: 42900 } },
  ])
  t.equal((await client.call('ping', {}, WITHOUT)).status, 429)
})

t.test('a call is audited, and counted by its revision, as one of a session', async t => {
  const client = await dropped(t, { tools: [echo] })
  const before = client.app.audit.lines.length

  await client.call('tools/call', { name: 'echo', arguments: { text: 'x' } }, WITHOUT)
  await client.call('logging/setLevel', { level: 'info' }, WITHOUT)

  t.match(client.app.audit.lines.slice(before), [
    { method: 'tools/call', tool: 'echo', outcome: 'ok' },
    { method: 'logging/setLevel', outcome: 'refused', kind: 'SESSION_REQUIRED', status: 400 },
  ])
  const metrics = await client.app.inject({ url: '/metrics', headers: { host: 'localhost' } })
  t.match(metrics.body, 'toolrack_requests_total{method="tools/call",revision="2025-11-25",outcome="ok"} 1')
})

t.test('with access control, a request without a session needs the token and the scopes of its tool', async t => {
  const app = await guarded(t, { tools: [tool('secret', () => 'x', { scopes: ['admin'] }), echo] })
  const call = (name: string, over: Headers) => {
    const headers = { host: 'localhost', accept: 'application/json', 'content-type': 'application/json', ...over }
    const payload = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: { text: 'x' } } }
    return app.inject({ method: 'POST', url: '/mcp', headers: headers as Record<string, string>, payload })
  }

  t.equal((await call('echo', {})).statusCode, 401)
  t.equal((await call('echo', bearer('read'))).statusCode, 200)
  t.equal((await call('secret', bearer('read'))).statusCode, 403)
})

t.test('a task without a session is for whoever knows its id, and is in no list', async t => {
  const client = await withJob(t, () => 'done')
  const { result } = await callAsTask(client, 'job', {}, {}, WITHOUT)
  const { taskId } = result.task

  const done = await client.call('tasks/result', { taskId }, WITHOUT)

  t.equal(textOf(done), 'done')
  t.equal((await client.call('tasks/get', { taskId }, WITHOUT)).result.status, 'completed')
  t.match((await client.call('tasks/list', {}, WITHOUT)).error, { code: -32600, message: /verified caller/ })
})

t.test('a task of a session is not found without it', async t => {
  const client = await withJob(t, () => 'done')
  const { taskId } = await begin(client, 'job')
  await untilStatus(client, taskId, 'completed')

  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
    t.match((await client.call(method, { taskId }, WITHOUT)).error, { code: -32602, message: /Task not found/ })
})

t.test('a task of a verified caller is found with a session and without', async t => {
  const app = await guarded(t, { tools: [taskTool('job', () => 'done')] })
  const alice = bearer('read')
  const client = await open(t, app, { headers: alice })

  const { result } = await callAsTask(client, 'job', {}, {}, { ...alice, ...WITHOUT })
  const { taskId } = result.task

  t.equal(textOf(await client.call('tasks/result', { taskId }, alice)), 'done')
  const list = (await client.call('tasks/list', {}, { ...alice, ...WITHOUT })).result
  t.match(list.tasks, [{ taskId }])
  t.match((await client.call('tasks/get', { taskId }, { ...bearer('read', { sub: 'bob' }), ...WITHOUT })).error, {
    code: -32602,
  })
})

t.test('while the server drains, a request without a session is told to come back', async t => {
  const { gated, started, open: finish } = gatedTool()
  const client = await connected(t, { tools: [gated] })
  const stream = client.post(client.request('tools/call', { name: 'slow', arguments: {} }), WITHOUT)
  await started
  const closing = client.app.close()

  const headers = client.headers(WITHOUT)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const late = await fetch(`http://127.0.0.1:${(client.app.server.address() as { port: number } | null)?.port}/mcp`, {
    method: 'POST',
    headers,
    body,
  }).catch(error => error)
  finish()

  t.ok(late instanceof Error || late.status === 503)
  t.equal((await (await stream).last()).result.content[0].text, 'done')
  await closing
})

t.test('SESSIONS=required: what needs no session is refused without one, too', async t => {
  const client = await session(t, { tools: [echo], sessions: { mode: 'required' } }, BATCHES)

  t.match(await client.call('tools/list', {}, WITHOUT), REQUIRED)
  t.match(await client.send([client.request('ping')], WITHOUT), REQUIRED)
  t.strictSame((await client.call('ping')).result, {})
})
