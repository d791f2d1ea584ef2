// What a request says of itself: its version, its metadata, its origin and the host it asks for.
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { META, request, VERSION } from '../../support/app.ts'
import { attack, echoCall, recorder, target } from '../../support/security/probe.ts'
import { attackIn, handshake, NEWEST, OLDER } from '../../support/security/sessions.ts'
import { wireOf } from '../../support/wire/legacy.ts'

t.test('A27: a version that is not served is refused with those that are', async t => {
  const { tool, received } = recorder()
  const app = await target(t, { tools: [tool] })

  for (const version of ['1900-01-01', '2099-01-01', '2024-01-01', 'x', `${VERSION}-rc`]) {
    const body = echoCall().replaceAll(VERSION, version)
    const got = await attack(app, { body, headers: { 'mcp-protocol-version': version } })

    t.match(got, { status: 400, message: { id: 1, error: { code: -32022, data: { requested: version } } } })
    t.strictSame(got.message?.error.data.supported, [VERSION, ...OLDER])
  }
  t.same(received, [])
})

t.test('A28: a request whose _meta lacks the version or the capabilities has invalid params', async t => {
  const app = await target(t, { tools: [recorder().tool] })
  const { message } = request('tools/call', { name: 'echo', arguments: {} }, { id: 1 })
  const version = { [`${META}protocolVersion`]: VERSION }
  const capabilities = { [`${META}clientCapabilities`]: {} }
  const metas = [undefined, null, 'x', [], {}, version, capabilities, { ...version, [`${META}clientCapabilities`]: 1 }]

  for (const _meta of metas) {
    const body = { ...message, params: { ...message.params, _meta } }
    const got = await attack(app, { body })

    t.match(got, { status: 400, message: { id: 1, error: { code: -32602 } } }, JSON.stringify(_meta))
  }
  const without = await attack(app, { body: { jsonrpc: '2.0', id: 1, method: 'tools/call' } })
  t.match(without, { status: 400, message: { id: 1, error: { code: -32602 } } })
})

t.test('A28: what the client says of itself must be what the schema says', async t => {
  const app = await target(t, { tools: [recorder().tool] })
  const wrong = [
    { [`${META}clientInfo`]: 'me' },
    { [`${META}clientInfo`]: { name: 'me' } },
    { [`${META}logLevel`]: 'loud' },
    { [`${META}clientCapabilities`]: { elicitation: true } },
    { progressToken: {} },
    { progressToken: 1.5 },
    { progressToken: 'x'.repeat(2000) },
  ]

  for (const meta of wrong) {
    const { message, headers } = request('tools/call', { name: 'echo', arguments: {} }, { id: 1, meta })
    const got = await attack(app, { body: message, headers })

    t.match(got, { status: 400, message: { id: 1, error: { code: -32602 } } }, JSON.stringify(meta).slice(0, 80))
  }
})

t.test('A28: initialize without a version header opens a session, in the newest revision that has one', async t => {
  const app = await target(t)

  const { status, message } = await attackIn(app, { body: handshake('1999-01-01') })

  t.equal(status, 200)
  t.match(message?.result, { protocolVersion: NEWEST })
  t.doesNotThrow(() => wireOf(NEWEST)(message!, 'initialize'))
})

t.test('A29: a tool that needs what the client cannot do is refused before it asks', async t => {
  const asks = defineTool({
    name: 'echo',
    inputSchema: { type: 'object' },
    handler: (_args, ctx) =>
      ctx.elicit('name', { message: 'Who?', requestedSchema: { type: 'object', properties: {} } }),
  })
  const app = await target(t, { tools: [asks] })

  const got = await attack(app, { body: echoCall() })

  t.equal(got.status, 400)
  t.match(got.message?.error, { code: -32021, data: { requiredCapabilities: { elicitation: {} } } })
})

t.test('A32: only POST is served, and sessions and event ids are ignored', async t => {
  const app = await target(t, { tools: [recorder().tool] })

  for (const verb of ['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD'] as const) {
    const hasBody = verb === 'PUT' || verb === 'PATCH'
    for (const body of hasBody ? [echoCall(), '{', 'x'.repeat(2 ** 21)] : [undefined]) {
      const got = await attack(app, { verb, ...(body !== undefined && { body }) })

      t.match({ status: got.status, allow: got.headers['allow'] }, { status: 405, allow: 'POST' }, verb)
      t.equal(got.message?.error.code, verb === 'HEAD' ? undefined : 40500)
    }
  }
  const got = await attack(app, { body: echoCall(), headers: { 'mcp-session-id': 'abc', 'last-event-id': '7' } })
  t.match(got, { status: 200, message: { result: { content: [{ text: 'x' }] } } })
  t.notOk('mcp-session-id' in got.headers)
})

t.test('A33: an origin that is not allowed gets 403 before its body is read', async t => {
  const { tool, received } = recorder()
  // Other pages of this machine may call what reads: B50.
  const app = await target(t, { tools: [{ ...tool, annotations: { readOnlyHint: true } }] })
  const origins = [
    'https://evil.example',
    'null',
    'http://localhost.evil.example',
    'http://127.0.0.1.nip.io',
    'file://',
    '',
  ]

  for (const origin of origins) {
    const got = await attack(app, { body: '{', headers: { origin } })

    t.match(got, { status: 403, message: { error: { code: 40300 } } }, origin)
    t.notOk(got.message && 'id' in got.message)
    t.notOk('access-control-allow-origin' in got.headers)
  }
  t.same(received, [])
  for (const origin of [undefined, 'http://localhost:8080', 'http://127.0.0.1', 'http://[::1]:3000'])
    t.equal((await attack(app, { body: echoCall(), headers: { origin } })).status, 200, `${origin}`)
})

t.test('A33: a host that is not allowed gets 403, as with DNS rebinding', async t => {
  const { tool, received } = recorder()
  const app = await target(t, { tools: [tool] })
  const hosts = ['evil.example', 'evil.example:3000', 'localhost.evil.example', '127.0.0.1.evil.example', '0.0.0.0']

  for (const host of hosts) {
    const got = await attack(app, { body: echoCall(), headers: { host } })

    t.match(got, { status: 403, message: { error: { code: 40300 } } }, host)
  }
  t.same(received, [])
  for (const host of ['localhost', 'LOCALHOST:3000', '127.0.0.1:9999', '[::1]', '[::1]:3000'])
    t.equal((await attack(app, { body: echoCall(), headers: { host } })).status, 200, host)
})
