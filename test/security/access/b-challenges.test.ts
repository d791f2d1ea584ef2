// What a 401 tells a caller without a token: the scopes of this request, as far as its headers say,
// and nothing about what else is served.
import t from 'tap'
import { defineTool, type Visible } from '../../../src/index.ts'
import { type App, request } from '../../support/app.ts'
import { guarded, METADATA, TOOLS } from '../../support/auth/guarded.ts'
import { OLDER } from '../../support/security/sessions.ts'

const PLAIN = `Bearer resource_metadata="${METADATA}"`
const needing = (scopes: string) => `${PLAIN}, scope="${scopes}"`
const sentinel = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`

interface Asked {
  readonly verb?: 'GET' | 'POST' | 'DELETE'
  readonly url?: string
  readonly headers: Record<string, string>
  readonly payload?: string
}

async function refused(app: App, { verb = 'POST', url = '/mcp', headers, payload }: Asked) {
  const { statusCode, headers: got, body } = await app.inject({ method: verb, url, headers, payload })
  return { status: statusCode, challenge: got['www-authenticate'], body, length: got['content-length'] }
}

/** The challenge to a request of the newest revision, whose body is never read. */
async function challengeTo(app: App, method: string, params = {}, headers: Record<string, string | undefined> = {}) {
  const { status, challenge } = await refused(app, { ...request(method, params, { headers }), payload: '{' })
  return status === 401 ? challenge : status
}

t.test('B1: a request without a token is told the scopes of what it names, and no others', async t => {
  const app = await guarded(t)

  t.equal(await challengeTo(app, 'tools/call', { name: 'closed' }), needing('read'))
  t.equal(await challengeTo(app, 'tools/call', { name: 'doubly' }), needing('read write'))
  t.equal(await challengeTo(app, 'prompts/get', { name: 'closed' }), needing('read'))
  t.equal(await challengeTo(app, 'resources/read', { uri: 'doc:closed' }), needing('read'))
  t.equal(await challengeTo(app, 'resources/read', { uri: 'item:7' }), needing('read'))
  t.equal(await challengeTo(app, 'tools/call', {}, { 'mcp-name': sentinel('closed') }), needing('read'))
})

t.test('B1: a request with a token that is refused is told the same', async t => {
  const app = await guarded(t)

  const challenge = await challengeTo(app, 'tools/call', { name: 'doubly' }, { authorization: 'Bearer x' })

  t.match(
    challenge,
    /^Bearer error="invalid_token", error_description="[^"]+", resource_metadata="[^"]+", scope="read write"$/,
  )
})

t.test('B1: discovery, lists and subscriptions need no scope, so their challenge names none', async t => {
  const app = await guarded(t)
  const methods = ['server/discover', 'tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']

  for (const method of [...methods, 'subscriptions/listen', 'completion/complete'])
    t.equal(await challengeTo(app, method), PLAIN, method)
})

t.test('B1: what is added and taken away while it runs changes what is told', async t => {
  const app = await guarded(t)
  app.toolrack.add(defineTool({ name: 'late', scopes: ['late'], handler: () => '' }))
  const before = await challengeTo(app, 'tools/call', { name: 'late' })
  app.toolrack.remove('late')

  t.equal(before, needing('late'))
  t.equal(await challengeTo(app, 'tools/call', { name: 'late' }), PLAIN)
})

// Who guesses a name learns what any token would be told (403), and nothing where there is no scope to ask for.
t.test(
  'B20: without a token an open tool, one that is refused and one that never was are the same byte for byte',
  async t => {
    const bad = { name: 'refused', scopes: ['x'], inputSchema: { $ref: 'https://evil.example' }, handler: () => '' }
    const app = await guarded(t, { tools: TOOLS })
    t.throws(() => app.toolrack.add(bad), { name: 'RegistrationError' })
    const answer = (name: string) => refused(app, { ...request('tools/call', { name }), payload: '{' })
    const never = await answer('neverwas')

    t.match(never, { status: 401, challenge: PLAIN })
    for (const name of ['free', 'refused', '__proto__', 'constructor', 'toString'])
      t.strictSame(await answer(name), never, name)
  },
)

t.test('B20: a tool that a rule hides from strangers is an unknown one before there is a token', async t => {
  const isAdmin: Visible = (_tool, caller) => caller!.subject === 'admin'
  const secret = defineTool({ name: 'secret', scopes: ['project:x'], visible: isAdmin, handler: () => '' })
  const beta = defineTool({ name: 'beta', scopes: ['beta'], handler: () => '' })
  const app = await guarded(t, { tools: [...TOOLS, secret, beta], visible: ({ name }) => name !== 'beta' })

  for (const authorization of [undefined, 'Bearer x']) {
    const answer = (name: string) =>
      refused(app, { ...request('tools/call', { name }, { headers: { authorization } }) })
    const never = await answer('neverwas')
    for (const name of ['secret', 'beta']) t.strictSame(await answer(name), never, name)
  }
  t.equal(await challengeTo(app, 'tools/call', { name: 'closed' }), needing('read'), 'others as before')
  t.notOk(
    app.logs.lines.some(({ msg }) => msg?.startsWith('tool hidden')),
    'strangers do not fill the log',
  )
})

t.test('B20: nothing that a client keeps here is looked up for a caller without a token', async t => {
  const app = await guarded(t)

  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
    t.equal(await challengeTo(app, method, { taskId: 'closed' }), PLAIN, method)
})

t.test('headers that do not say what is asked for name no scope', async t => {
  const app = await guarded(t)
  const told = (headers: Record<string, string | undefined>) =>
    challengeTo(app, 'tools/call', { name: 'closed' }, headers)

  for (const version of [undefined, '', ...OLDER, '2026-07-29', '__proto__'])
    t.equal(await told({ 'mcp-protocol-version': version }), PLAIN, `${version}`)
  for (const method of [undefined, '', 'TOOLS/CALL', 'tools/list', 'constructor', 'tools/call, tools/call'])
    t.equal(await told({ 'mcp-method': method }), PLAIN, `${method}`)
  for (const name of [undefined, '', 'Closed', '=?base64?!!?=', '=?base64?Y2xvc2Vk', 'clos\u00e9d'])
    t.equal(await told({ 'mcp-name': name }), PLAIN, `${name}`)
})

t.test('a session says only in its body what it asks for, which is not read', async t => {
  const app = await guarded(t, { httpSse: true })
  const headers = {
    host: 'localhost',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const payload = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'closed' } })

  for (const asked of [
    { headers, payload },
    { headers: { ...headers, 'mcp-session-id': 'x', 'mcp-protocol-version': '2025-11-25' }, payload },
    { verb: 'GET', headers },
    { verb: 'DELETE', headers },
  ] as const)
    t.match(await refused(app, asked), { status: 401, challenge: PLAIN }, JSON.stringify(asked))
  for (const asked of [
    { verb: 'GET', url: '/sse', headers },
    { url: '/messages?sessionId=x', headers, payload },
  ] as const) {
    const challenge = PLAIN.replace(/\/mcp"$/, '/sse"')
    t.match(await refused(app, asked), { status: 401, challenge }, JSON.stringify(asked))
  }
})
