import t from 'tap'
import { build } from '../../../support/app.ts'
import { open, session } from '../../../support/client/app-client.ts'
import { initializing } from '../../../support/client/client.ts'
import { tool } from '../../../support/steered-tools.ts'
import { LEGACY_VERSIONS } from '../../../support/wire/legacy.ts'

const usual = { host: 'localhost', 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

for (const revision of LEGACY_VERSIONS) {
  t.test(`initialize: ${revision} is answered with itself`, async t => {
    const { opened } = await session(t, {}, { revision })

    t.equal(opened.result.protocolVersion, revision)
    t.match(opened.result.serverInfo, { name: 'toolrack' })
  })
}

for (const asked of ['2026-07-28', '2099-01-01', '2023-01-01', 'draft', '']) {
  t.test(`initialize: "${asked}" is answered with the newest revision that has a handshake`, async t => {
    const app = await build(t)

    const reply = await app.inject({
      method: 'POST',
      url: '/mcp',
      headers: usual,
      payload: initializing({ revision: asked }),
    })

    t.equal(reply.statusCode, 200)
    t.equal(reply.json().result.protocolVersion, '2025-11-25')
  })
}

t.test('a session stays in the revision of its handshake, whatever header comes later', async t => {
  const client = await session(t, { tools: [tool('echo', () => 'hello')] }, { revision: '2024-10-07' })

  const reply = await client.call('tools/call', { name: 'echo' }, { 'mcp-protocol-version': '2025-11-25' })

  t.strictSame(reply.result, { toolResult: 'hello' })
})

t.test('an unsupported MCP-Protocol-Version is answered 400, whatever is sent', async t => {
  const client = await session(t)
  const odd = { 'mcp-protocol-version': '1999-01-01' }
  const headers = { ...client.headers(odd), host: 'localhost' }

  const post = await client.app.inject({
    method: 'POST',
    url: '/mcp',
    headers,
    payload: { jsonrpc: '2.0', id: 1, method: 'ping' },
  })
  const get = await client.app.inject({ method: 'GET', url: '/mcp', headers })
  const end = await client.app.inject({ method: 'DELETE', url: '/mcp', headers })

  t.strictSame(
    [post, get, end].map(({ statusCode }) => statusCode),
    [400, 400, 400],
  )
  t.strictSame((await client.call('ping')).result, {})
})

t.test('GET and DELETE in the name of a revision without sessions are answered 405', async t => {
  const client = await session(t)
  const headers = { ...client.headers({ 'mcp-protocol-version': '2026-07-28' }), host: 'localhost' }

  for (const method of ['GET', 'DELETE'] as const) {
    const reply = await client.app.inject({ method, url: '/mcp', headers })
    t.equal(reply.statusCode, 405)
    t.equal(reply.headers.allow, 'POST')
  }
})

t.test('a request of 2026-07-28 needs no session, and a session id beside it is ignored', async t => {
  const client = await session(t)
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const headers = { ...usual, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' }
  const payload = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } }

  const reply = await client.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { ...headers, 'mcp-session-id': client.id },
    payload,
  })

  t.equal(reply.json().result.resultType, 'complete')
})

t.test('methods of other revisions are unknown: -32601, with HTTP 200', async t => {
  const client = await session(t)

  for (const method of ['server/discover', 'subscriptions/listen', 'tasks/get', 'nope']) {
    t.match(await client.call(method), { status: 200, error: { code: -32601 } })
  }
})

t.test('sessions of different revisions are served side by side', async t => {
  const app = await build(t, { tools: [tool('echo', () => 'hello')] })

  const sessions = await Promise.all(LEGACY_VERSIONS.map(revision => open(t, app, { revision })))
  const replies = await Promise.all(sessions.map(each => each.callTool('echo')))

  for (const [index, { result }] of replies.entries()) {
    if (LEGACY_VERSIONS[index] === '2024-10-07') t.strictSame(result, { toolResult: 'hello' })
    else t.strictSame(result, { content: [{ type: 'text', text: 'hello' }] })
  }
})

t.test('members of newer revisions in params mean nothing', async t => {
  const client = await session(t, { tools: [tool('echo', () => 'hello')] })

  const reply = await client.callTool('echo', {}, { requestState: 'forged', inputResponses: { a: 1 } })

  t.equal(reply.result.content[0].text, 'hello')
})
