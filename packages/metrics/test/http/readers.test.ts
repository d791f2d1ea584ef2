// Who may read GET /metrics: this machine, whoever has the token, or whoever reaches a port of its own.
import { createServer as createHttp } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import toolrack, { defineTool } from '../../../../src/index.ts'
import { build, call, callTool, listening } from '../../../../test/support/app.ts'
import { freePort } from '../../../../test/support/free-port.ts'

const TOKEN = 'a-token-for-metrics-42'
const fine = defineTool({ name: 'fine', handler: () => 'fine' })
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

interface Reader {
  readonly who: string
  readonly headers?: Record<string, string>
  readonly remoteAddress?: string
}

const HERE: readonly Reader[] = [
  { who: 'this machine' },
  { who: 'this machine by its address', headers: { host: '127.0.0.1:3000' } },
  { who: 'this machine by IPv6', headers: { host: '[::1]:3000' }, remoteAddress: '::1' },
  { who: 'this machine by IPv4 in IPv6', remoteAddress: '::ffff:127.0.0.1' },
]

const ELSEWHERE: readonly Reader[] = [
  { who: 'another machine', remoteAddress: '203.0.113.7' },
  { who: 'another machine that says it is near', remoteAddress: '203.0.113.7', headers: { host: 'localhost' } },
  { who: 'what came by a proxy', headers: { 'x-forwarded-for': '127.0.0.1' } },
  { who: 'what came by a proxy that says so in a standard way', headers: { forwarded: 'for=127.0.0.1' } },
  { who: 'what came by nginx', headers: { 'x-real-ip': '127.0.0.1' } },
  { who: 'what came by a cache', headers: { via: '1.1 cache' } },
  { who: 'what came by a proxy that tells of the host alone', headers: { 'x-forwarded-host': 'localhost' } },
  {
    who: 'a page that gave its name our address, and says that it is a proxy',
    headers: { host: 'evil.example', 'x-forwarded-host': 'localhost' },
  },
  { who: 'a page', headers: { origin: 'http://localhost:8080' } },
  { who: 'a page that gave its name our address', headers: { host: 'evil.example' } },
  { who: 'a page whose name looks near', headers: { host: 'localhost.evil.example' } },
]

async function statusFor(app: Awaited<ReturnType<typeof build>>, { headers, remoteAddress }: Reader) {
  const sent = { method: 'GET' as const, url: '/metrics', headers: { host: 'localhost', ...headers } }
  const reply = await app.inject({ ...sent, ...(remoteAddress !== undefined && { remoteAddress }) })
  const hasMetrics = reply.body.includes('toolrack_')
  if (hasMetrics !== (reply.statusCode === 200)) throw new Error(`${reply.statusCode} with ${reply.body}`)
  return { status: reply.statusCode, headers: reply.headers }
}

for (const trustProxy of [false, '127.0.0.1']) {
  t.test(`metrics: without a token they are for this machine only, with TRUST_PROXY=${trustProxy}`, async t => {
    const app = await build(t, { tools: [fine], trustProxy: trustProxy as string })

    for (const reader of HERE) t.equal((await statusFor(app, reader)).status, 200, reader.who)
    for (const reader of ELSEWHERE) t.equal((await statusFor(app, reader)).status, 403, reader.who)
    t.equal((await statusFor(app, { ...ELSEWHERE[0]!, headers: bearer('undefined') })).status, 403, 'no token is none')
  })
}

t.test('metrics: with a token whoever has it may read them, wherever it is', async t => {
  const app = await build(t, { metrics: { token: TOKEN } })

  for (const reader of [...HERE, ...ELSEWHERE])
    t.equal(
      (await statusFor(app, { ...reader, headers: { ...reader.headers, ...bearer(TOKEN) } })).status,
      200,
      reader.who,
    )
  for (const reader of HERE) t.equal((await statusFor(app, reader)).status, 200, `${reader.who}, without`)
})

t.test('metrics: the scheme of a token is one in either case, as RFC 9110 says', async t => {
  const app = await build(t, { metrics: { token: TOKEN } })

  for (const scheme of ['bearer', 'BEARER']) {
    const reader = { who: scheme, remoteAddress: '203.0.113.7', headers: { authorization: `${scheme} ${TOKEN}` } }
    t.equal((await statusFor(app, reader)).status, 200, scheme)
  }
})

const ALMOST = [
  '',
  TOKEN.slice(0, -1),
  `${TOKEN}1`,
  `${TOKEN} `,
  ` ${TOKEN}`,
  TOKEN.toUpperCase(),
  `${TOKEN.slice(0, -1)}3`,
  `${TOKEN}, ${TOKEN}`,
]

t.test('metrics: what is almost the token is refused, and told how to ask', async t => {
  const app = await build(t, { metrics: { token: TOKEN } })
  const headersOf = [
    ...ALMOST.map(token => bearer(token)),
    { authorization: TOKEN },
    { authorization: `Basic ${TOKEN}` },
    { authorization: `bearer  ${TOKEN}` },
    { 'x-metrics-token': TOKEN },
  ]

  for (const headers of headersOf) {
    const reply = await statusFor(app, { who: 'a stranger', remoteAddress: '203.0.113.7', headers } as Reader)
    t.equal(reply.status, 401, JSON.stringify(headers))
    t.equal(reply.headers['www-authenticate'], 'Bearer realm="metrics"')
  }
})

t.test('metrics: a token in the URL is no token', async t => {
  const app = await build(t, { metrics: { token: TOKEN } })

  const reply = await app.inject({ url: `/metrics?token=${TOKEN}&access_token=${TOKEN}`, remoteAddress: '203.0.113.7' })

  t.equal(reply.statusCode, 401)
})

t.test('metrics: where they are off there are none, whoever asks', async t => {
  const app = await build(t, { metrics: false })

  t.equal((await app.inject({ url: '/metrics', headers: bearer(TOKEN) })).statusCode, 404)
  t.equal(await app.toolrack.metrics(), '')
})

/** A server with metrics on a port of their own. */
async function withPort(t: Test, metrics: { token?: string } = {}) {
  const metricsPort = await freePort()
  const rack = await listening(t, { tools: [fine], metrics: { port: metricsPort, ...metrics } })
  return { ...rack, metricsPort, read: (headers = {}) => fetch(`http://127.0.0.1:${metricsPort}/metrics`, { headers }) }
}

t.test('metrics: with a port of their own they are there, and nowhere else', async t => {
  const { app, port, metricsPort, read } = await withPort(t)
  await callTool(app, 'fine')

  const reply = await read({ 'x-forwarded-for': '203.0.113.7' })

  t.equal(reply.status, 200)
  t.match(reply.headers.get('content-type'), /^text\/plain; version=0\.0\.4/)
  t.match(await reply.text(), 'toolrack_tool_calls_total{tool="fine",outcome="ok"} 1')
  t.equal((await fetch(`http://127.0.0.1:${port}/metrics`)).status, 404)
  for (const path of ['/mcp', '/health', '/'])
    t.equal((await fetch(`http://127.0.0.1:${metricsPort}${path}`)).status, 404, `${path} is not there`)
  t.equal((await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { method: 'POST' })).status, 404)
})

t.test('metrics: a port of their own with a token asks for it', async t => {
  const { read } = await withPort(t, { token: TOKEN })

  t.equal((await read()).status, 401)
  t.equal((await read(bearer(ALMOST[1]!))).status, 401)
  t.equal((await read(bearer(TOKEN))).status, 200)
})

t.test('metrics: close() closes their port', async t => {
  const { app, read } = await withPort(t)
  t.equal((await read()).status, 200)

  await app.close()

  await t.rejects(read())
})

t.test('metrics: a port that is taken stops the start', async t => {
  const taken = createHttp().listen(0, '127.0.0.1')
  t.teardown(() => taken.close())
  await new Promise(resolve => taken.once('listening', resolve))
  const app = await build(t, { metrics: { port: (taken.address() as AddressInfo).port } })

  await t.rejects(app.listen({ host: '127.0.0.1', port: 0 }), { code: 'EADDRINUSE' })
})

t.test('metrics: a host app shows them as it likes, and has no route that it did not ask for', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(toolrack, { tools: [fine] })
  app.get('/inner/metrics', async (_request, reply) => reply.type('text/plain').send(await app.toolrack.metrics()))
  await call(app, 'tools/call', { name: 'fine', arguments: {} })

  t.match((await app.inject('/inner/metrics')).body, 'toolrack_tool_calls_total{tool="fine",outcome="ok"} 1')
  t.equal((await app.inject('/metrics')).statusCode, 404)
})
