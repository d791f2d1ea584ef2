// How a call can end, and what its one line says.
import t from 'tap'
import { definePrompt, defineResource, defineTool } from '../../../../src/index.ts'
import { call, listening, request, stream } from '../../../../test/support/app.ts'
import { audited, newLines, TOOLS } from '../../../../test/support/audited.ts'
import { bearer, guarded } from '../../../../test/support/auth/guarded.ts'
import { session } from '../../../../test/support/client/app-client.ts'
import { until } from '../../../../test/support/security/hostile.ts'

const CASES: [string, object, object][] = [
  ['fine', {}, { outcome: 'ok', kind: undefined }],
  ['strict', { x: 1 }, { outcome: 'isError', kind: 'invalid_arguments', arguments: ['x'] }],
  ['fails', {}, { outcome: 'isError', kind: 'tool_error' }],
  ['says', {}, { outcome: 'isError', kind: 'tool_error' }],
  ['wrong', {}, { outcome: 'isError', kind: 'invalid_output' }],
  ['slow', {}, { outcome: 'timed_out', kind: 'timed_out' }],
  ['confirms', {}, { outcome: 'unconfirmed', kind: 'unconfirmed' }],
  ['nothing', {}, { outcome: 'refused', kind: 'UNKNOWN_TOOL', tool: 'nothing' }],
]

t.test('audit: each call leaves one line that says how it ended', async t => {
  const app = await audited(t)
  const lines = newLines(app)

  for (const [name, args, expected] of CASES) {
    const reply = await call(app, 'tools/call', { name, arguments: args })
    const found = lines()
    t.equal(found.length, 1, name)
    t.match(found[0], { msg: 'audit', method: 'tools/call', tool: name, address: '127.0.0.1', ...expected })
    const { result, error } = reply
    t.equal(found[0].responseBytes, Buffer.byteLength(JSON.stringify({ jsonrpc: '2.0', id: reply.id, result, error })))
  }
})

t.test(
  'audit: a line has time, duration, sizes and the id of the request; no log line at all has arguments',
  async t => {
    const app = await audited(t)
    const { message, headers } = request('tools/call', { name: 'fine', arguments: { a: 1, b: { c: 2 } } })
    const payload = JSON.stringify(message)

    await app.inject({ method: 'POST', url: '/mcp', headers, payload })

    const [line] = app.audit.lines
    t.match(line, { arguments: ['a', 'b'], requestBytes: payload.length, status: undefined, traceId: undefined })
    t.ok(Math.abs(line.time - Date.now()) < 60_000 && line.durationMs >= 0 && typeof line.requestId === 'string')
    t.ok(app.logs.lines.some(({ msg, requestId }) => msg === 'served' && requestId === line.requestId))
  },
)

t.test('audit: a tool that may be called too rarely is limited; one that asks has not ended', async t => {
  const app = await audited(t)

  for (const name of ['rare', 'rare']) await call(app, 'tools/call', { name, arguments: {} })
  await call(app, 'tools/call', { name: 'asks', arguments: {} }, { capabilities: { elicitation: { form: {} } } })

  t.match(
    app.audit.lines.map(({ outcome, kind }) => [outcome, kind]),
    [
      ['ok', undefined],
      ['limited', 'limited'],
      ['input_required', 'input_required'],
    ],
  )
})

for (const scopeDenial of ['challenge', 'result'] as const) {
  t.test(`audit: a call without its scopes is denied, told by ${scopeDenial}, with who asked`, async t => {
    const app = await guarded(t, { scopes: { denial: scopeDenial } })
    const headers = bearer('', { client_id: 'agent' })

    await call(app, 'tools/call', { name: 'closed', arguments: {} }, { headers })

    t.equal(app.audit.lines.length, 1)
    const who = { subject: 'alice', client: 'agent', issuer: 'https://as.example', address: undefined }
    t.match(app.audit.lines[0], { outcome: 'denied', kind: 'INSUFFICIENT_SCOPE', tool: 'closed', ...who })
    t.equal(app.audit.lines[0].status, scopeDenial === 'challenge' ? 403 : undefined)
  })
}

t.test('audit: a client that leaves, and one that cancels in a session', async t => {
  let running = Promise.withResolvers<void>()
  const handler = () => {
    running.resolve()
    return new Promise<never>(() => {})
  }
  const wait = defineTool({ name: 'wait', handler })
  const { app, url } = await listening(t, { tools: [wait] })
  const { message, headers } = request('tools/call', { name: 'wait', arguments: {} })
  const leaving = new AbortController()
  const { host: _, ...rest } = headers
  const left = fetch(url, { method: 'POST', headers: rest, body: JSON.stringify(message), signal: leaving.signal })
  await running.promise
  leaving.abort()
  await t.rejects(left)
  await until(() => app.audit.lines.length > 0, 'its line')
  t.match(app.audit.lines, [{ outcome: 'cancelled', kind: 'client-left', tool: 'wait' }])

  running = Promise.withResolvers<void>()
  const client = await session(t, { tools: [wait] })
  const answered = client.send(client.request('tools/call', { name: 'wait' }, 'x'))
  await running.promise
  await client.notify('notifications/cancelled', { requestId: 'x' })
  await answered
  const lines = client.app.audit.lines.filter(({ tool }) => tool === 'wait')
  t.match(lines, [{ outcome: 'cancelled', kind: 'cancelled' }])
  t.equal(lines.length, 1)
})

t.test('audit: other methods leave one line too, with what they name', async t => {
  const hangs = definePrompt({ name: 'hangs', handler: () => new Promise<string>(() => {}) })
  const app = await audited(t, {
    limits: { toolTimeout: 20 },
    prompts: [definePrompt({ name: 'greet', arguments: [{ name: 'who' }], handler: () => 'hi' }), hangs],
    resources: [defineResource({ uri: 'file:///data/2026/prices.csv', name: 'doc', handler: () => 'x' })],
  })
  const lines = newLines(app)
  const one = async (method: string, params: Record<string, unknown>) => {
    await call(app, method, params)
    const found = lines()
    t.equal(found.length, 1, method)
    return found[0]
  }

  t.match(await one('tools/list', {}), { method: 'tools/list', outcome: 'ok', tool: undefined })
  const greeted = await one('prompts/get', { name: 'greet', arguments: { who: 'x' } })
  t.match(greeted, { prompt: 'greet', arguments: ['who'], outcome: 'ok' })
  t.match(await one('prompts/get', { name: 'hangs' }), { prompt: 'hangs', outcome: 'timed_out' })
  t.match(await one('resources/read', { uri: 'file:///data/2026/prices.csv' }), { uri: 'file:///data/2026/prices.csv' })
  t.match(await one('resources/read', { uri: 'doc:none' }), { uri: 'doc:none', kind: 'RESOURCE_NOT_FOUND' })
  t.match(await one('no/such', {}), { method: 'no/such', outcome: 'refused', kind: 'METHOD_NOT_FOUND', status: 404 })
})

t.test('audit: what is left open is noted when it opens', async t => {
  const { app, url } = await listening(t, { tools: TOOLS })

  const listener = await stream(t, url, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  await listener.next(0)

  t.match(app.audit.lines, [{ method: 'subscriptions/listen', outcome: 'streaming', responseBytes: undefined }])
})
