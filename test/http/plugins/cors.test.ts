// What a page may send and read, and what its browser asks before it sends.
import t from 'tap'
import { type App, build, request } from '../../support/app.ts'

const { message, headers } = request('server/discover')

function knock(app: App, more: Record<string, string> = {}) {
  return app.inject({ method: 'POST', url: '/mcp', headers: { ...headers, ...more }, payload: JSON.stringify(message) })
}

function preflight(app: App, more: Record<string, string> = {}, url = '/mcp') {
  const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' }
  const from = { host: 'localhost', origin: 'http://localhost:8080' }
  return app.inject({ method: 'OPTIONS', url, headers: { ...from, ...asked, ...more } })
}

const names = (list: unknown) =>
  String(list)
    .split(', ')
    .map(name => name.toLowerCase())

t.test('a page of this machine may call, and read what it needs', async t => {
  const reply = await knock(await build(t), { origin: 'http://localhost:8080' })

  t.equal(reply.statusCode, 200)
  t.equal(reply.headers['access-control-allow-origin'], 'http://localhost:8080')
  t.match(reply.headers['vary'], /\bOrigin\b/)
  const exposed = names(reply.headers['access-control-expose-headers'])
  for (const name of ['www-authenticate', 'retry-after', 'mcp-session-id', 'mcp-protocol-version'])
    t.ok(exposed.includes(name))
  t.notOk('access-control-allow-credentials' in reply.headers)
})

t.test('a page may also read that it called too often, and for how long', async t => {
  const app = await build(t, { rateLimit: { max: 1 } })
  await knock(app)

  const reply = await knock(app, { origin: 'http://localhost:8080' })

  t.equal(reply.statusCode, 429)
  t.equal(reply.headers['access-control-allow-origin'], 'http://localhost:8080')
  t.ok(names(reply.headers['access-control-expose-headers']).includes('retry-after'))
})

t.test('what a page sends wrongly is refused readably', async t => {
  const app = await build(t)

  for (const [name, value] of [
    ['content-type', 'text/plain'],
    ['mcp-method', 'nope'],
    ['accept', 'text/html'],
  ] as const) {
    const reply = await knock(app, { origin: 'http://localhost:8080', [name]: value })
    t.equal(reply.headers['access-control-allow-origin'], 'http://localhost:8080')
    t.ok(reply.statusCode >= 400)
  }
})

t.test('preflight: the methods and headers of the protocol are allowed', async t => {
  const reply = await preflight(await build(t))

  t.equal(reply.statusCode, 204)
  t.equal(reply.body, '')
  t.equal(reply.headers['access-control-allow-origin'], 'http://localhost:8080')
  t.match(reply.headers['access-control-allow-methods'], /\bPOST\b/)
  t.match(reply.headers['access-control-max-age'], /^\d+$/)
  const allowed = names(reply.headers['access-control-allow-headers'])
  for (const name of ['content-type', 'accept', 'authorization', 'mcp-protocol-version', 'mcp-method', 'mcp-name'])
    t.ok(allowed.includes(name), name)
  for (const name of ['traceparent', 'tracestate', 'baggage']) t.ok(allowed.includes(name), name)
})

t.test('preflight: the paths of HTTP+SSE answer it as the endpoint does', async t => {
  const app = await build(t, { httpSse: true, jwt: { secret: 'x'.repeat(32) } })

  for (const url of ['/sse', '/messages']) {
    const reply = await preflight(app, { 'access-control-request-headers': 'authorization' }, url)
    t.equal(reply.statusCode, 204, url)
    t.equal(reply.headers['access-control-allow-origin'], 'http://localhost:8080')
    t.ok(names(reply.headers['access-control-allow-headers']).includes('authorization'))
  }
})

t.test('preflight: headers that mirror parameters are allowed by name, others are not', async t => {
  const app = await build(t)
  const asked =
    "mcp-method, Mcp-Param-Region,mcp-param-a.b'c,  MCP-PARAM-X-1 , x-evil, mcp-param-, mcp-param-a b, mcp-param-ä, ,"

  const reply = await preflight(app, { 'access-control-request-headers': asked })

  const allowed = names(reply.headers['access-control-allow-headers'])
  for (const name of ['mcp-param-region', "mcp-param-a.b'c", 'mcp-param-x-1']) t.ok(allowed.includes(name), name)
  t.equal(allowed.filter(name => name.startsWith('mcp-param-')).length, 3)
  t.notOk(allowed.some(name => name.includes('evil') || name === '*' || name === ''))
})

t.test('preflight: another origin or host gets 403 and no leave', async t => {
  const app = await build(t)

  const cases: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { host: 'evil.example' },
  ]

  for (const more of cases) {
    const reply = await preflight(app, more)
    t.equal(reply.statusCode, 403)
    t.notOk('access-control-allow-origin' in reply.headers)
    t.notOk('access-control-allow-headers' in reply.headers)
  }
})
