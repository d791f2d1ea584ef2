// What is refused before it is dispatched leaves one line as well, whoever refuses it.
import Fastify from 'fastify'
import t from 'tap'
import toolrack from '../../../../src/index.ts'
import { jsonLines, request } from '../../../../test/support/app.ts'
import { audited, newLines, TOOLS } from '../../../../test/support/audited.ts'
import { bearer, guarded } from '../../../../test/support/auth/guarded.ts'
import { session } from '../../../../test/support/client/app-client.ts'
import { tool } from '../../../../test/support/steered-tools.ts'

const { message, headers } = request('tools/call', { name: 'fine', arguments: { a: 1 } })
const payload = JSON.stringify(message)
const POST = { method: 'POST', url: '/mcp', headers, payload } as const

const REFUSALS: [string, object, object][] = [
  ['another origin', { headers: { ...headers, origin: 'https://evil.example' } }, { outcome: 'denied', status: 403 }],
  ['another host', { headers: { ...headers, host: 'evil.example' } }, { outcome: 'denied', status: 403 }],
  [
    'another media type',
    { headers: { ...headers, 'content-type': 'text/plain' } },
    { outcome: 'refused', status: 415, requestBytes: payload.length, method: undefined, verb: 'POST' },
  ],
  ['no JSON', { payload: '{' }, { outcome: 'refused', kind: 'PARSE_ERROR', status: 400, requestBytes: 1 }],
  [
    'too large',
    { payload: `"${'x'.repeat(1024 * 1024)}"` },
    { outcome: 'refused', kind: 'BODY_TOO_LARGE', status: 413 },
  ],
  [
    'a header that is not the body',
    { headers: { ...headers, 'mcp-name': 'other' } },
    {
      outcome: 'refused',
      kind: 'HEADER_MISMATCH',
      method: 'tools/call',
      tool: 'fine',
      arguments: ['a'],
      verb: undefined,
    },
  ],
  [
    'a session that there is not',
    {
      headers: { host: 'localhost', 'content-type': 'application/json', 'mcp-session-id': 'x'.repeat(32) },
      payload: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    },
    { outcome: 'refused', kind: 'SESSION_NOT_FOUND', status: 404, method: 'ping' },
  ],
  ['another verb', { method: 'PUT' }, { outcome: 'refused', kind: 'METHOD_NOT_ALLOWED', status: 405, verb: 'PUT' }],
  ['another path', { url: '/x?token=canary' }, { outcome: 'refused', kind: 'NOT_FOUND', status: 404 }],
]

t.test('audit: each refusal leaves one line', async t => {
  const app = await audited(t)
  const lines = newLines(app)

  for (const [name, over, expected] of REFUSALS) {
    const { statusCode, body } = await app.inject({ ...POST, ...over })
    const found = lines()
    t.equal(found.length, 1, name)
    t.match(found[0], { msg: 'audit', status: statusCode, address: '127.0.0.1', ...expected }, name)
    t.equal(found[0].responseBytes, Buffer.byteLength(body), name)
  }
})

t.test('audit: without a token or with a wrong one a call is denied; too many are limited', async t => {
  const app = await guarded(t, { rateLimit: { max: 60 } })
  const lines = newLines(app)

  await app.inject(POST)
  await app.inject({ ...POST, headers: { ...headers, authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' } })
  for (let n = 0; n < 60; n++) await app.inject({ ...POST, headers: { ...headers, authorization: `Bearer a.b.${n}` } })

  const found = lines()
  t.equal(found.length, 62)
  t.match(found[0], { outcome: 'denied', kind: 'UNAUTHENTICATED', status: 401, subject: undefined })
  t.match(found[1], { outcome: 'denied', status: 401 })
  t.match(found.at(-1), { outcome: 'limited', kind: 'RATE_LIMITED', status: 429 })
})

t.test('audit: a caller that asks too often is limited, by name', async t => {
  const app = await guarded(t, { rateLimit: { max: 1 } })
  const mine = { ...headers, ...bearer() }

  for (let n = 0; n < 2; n++)
    await app.inject({
      ...POST,
      headers: { ...mine, 'mcp-name': 'free' },
      payload: payload.replace('"fine"', '"free"'),
    })

  t.match(app.audit.lines, [{ outcome: 'ok' }, { outcome: 'limited', subject: 'alice', status: 429 }])
})

t.test('audit: a batch leaves a line for each of its requests, with its own size', async t => {
  const echo = tool('echo', () => 'x')
  const client = await session(t, { tools: [echo], rateLimit: { max: 5 } }, { revision: '2025-03-26' })
  const lines = newLines(client.app)
  const entry = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: {} } })
  const note = { jsonrpc: '2.0', method: 'notifications/whatever' }

  await client.send([entry(1), { jsonrpc: '2.0', id: 2 }, entry(3), entry(4), note])

  const found = lines()
  // Whichever ends first.
  t.strictSame(found.map(({ method, outcome, kind }) => [method, outcome, kind].join(' ')).sort(), [
    ' refused INVALID_REQUEST',
    'notifications/whatever limited RATE_LIMITED',
    'tools/call limited RATE_LIMITED',
    'tools/call ok ',
    'tools/call ok ',
  ])
  t.equal(found.find(({ outcome }) => outcome === 'ok').requestBytes, JSON.stringify(entry(1)).length)
})

t.test('audit: the end of a session leaves a line', async t => {
  const client = await session(t)
  const lines = newLines(client.app)

  await client.end()
  await client.end()

  t.match(lines(), [
    { verb: 'DELETE', outcome: 'ok', status: 204 },
    { verb: 'DELETE', outcome: 'refused', status: 404 },
  ])
})

t.test(
  'audit: in an app that is there nothing is written, unless it says where; what it refuses itself is there too',
  async t => {
    const { lines, stream } = jsonLines()
    const app = Fastify()
    app.addHook('onRequest', async request => {
      if (request.headers['x-banned'] !== undefined)
        throw Object.assign(new Error('banned'), { statusCode: 403, code: 'BANNED' })
    })
    await app.register(toolrack, { tools: TOOLS, audit: { stream } })
    t.teardown(() => app.close())

    await app.inject({ ...POST, headers: { ...headers, 'x-banned': '1' } })
    await app.inject(POST)

    t.match(lines, [
      { outcome: 'refused', kind: 'BANNED', status: 403 },
      { outcome: 'ok', tool: 'fine' },
    ])
  },
)
