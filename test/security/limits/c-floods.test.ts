// Floods of refused requests, of many messages at once, and of clients that come once.
import { once } from 'node:events'
import net from 'node:net'
import t from 'tap'
import type { LimitDecision } from '../../../src/state/limits.ts'
import { MemoryLimits } from '../../../src/state/memory-limits.ts'
import { type App, build, listening, request, stream } from '../../support/app.ts'
import { guarded } from '../../support/security/callers.ts'
import { until } from '../../support/security/hostile.ts'
import { assertWire } from '../../support/wire/modern.ts'

const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

async function statuses(app: App, count: number, sent: { method: 'GET' | 'POST' | 'PUT'; url: string }) {
  const headers = { host: 'localhost', accept: 'text/event-stream', 'mcp-protocol-version': '2026-07-28' }
  const replies = await Promise.all(times(count, () => app.inject({ ...sent, headers })))
  for (const reply of replies.filter(({ statusCode }) => statusCode === 429)) {
    if (!/^[1-9]\d*$/.test(String(reply.headers['retry-after']))) throw new Error('no Retry-After')
    if (assertWire(reply.json()).error?.code !== 42900) throw new Error(reply.body)
  }
  return replies.map(({ statusCode }) => statusCode)
}

const FLOODS = [
  { method: 'GET', url: '/wp-login.php', status: 404 },
  { method: 'POST', url: '/health', status: 404 },
  { method: 'GET', url: '/mcp', status: 405 },
  { method: 'PUT', url: '/mcp', status: 405 },
] as const

for (const { status, ...sent } of FLOODS) {
  t.test(`C7: ${sent.method} ${sent.url} is refused with ${status}, and past the limit with 429`, async t => {
    const app = await build(t, { rateLimit: { max: 10 } })

    const got = await statuses(app, 30, sent)

    t.equal(got.filter(each => each === status).length, 10)
    t.equal(got.filter(each => each === 429).length, 20)
  })
}

t.test('C7: so is a request without a token', async t => {
  const app = await guarded(t, { rateLimit: { max: 10 } })

  const got = await statuses(app, 30, { method: 'POST', url: '/mcp' })

  t.equal(got.filter(each => each === 401).length, 10)
  t.equal(got.filter(each => each === 429).length, 20)
})

t.test('C7: unknown paths and the endpoint are one budget of an address; its health is no part of it', async t => {
  const app = await build(t, { rateLimit: { max: 10 } })
  await statuses(app, 10, { method: 'GET', url: '/nowhere' })
  const { message, headers } = request('server/discover')
  const knock = (remoteAddress: string) =>
    app.inject({ method: 'POST', url: '/mcp', headers, payload: JSON.stringify(message), remoteAddress })

  t.equal((await knock('127.0.0.1')).statusCode, 429)
  t.equal((await knock('192.0.2.1')).statusCode, 200)
  t.equal((await app.inject('/health')).statusCode, 200)
})

t.test('C8: of a hundred requests in one packet each is counted', async t => {
  const { port } = await listening(t, { rateLimit: { max: 30 } })
  const { message, headers } = request('server/discover')
  const body = JSON.stringify(message)
  const head = Object.entries({ ...headers, 'content-length': String(body.length) })
  const one = `POST /mcp HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
  const socket = net.connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  let text = ''
  socket.setEncoding('utf8').on('data', chunk => (text += chunk))

  socket.write(one.repeat(100))
  const count = (status: number) => text.split(`HTTP/1.1 ${status} `).length - 1
  await until(() => count(200) + count(429) === 100, 'all were answered')

  t.equal(count(200), 30)
})

t.test('C8: of a hundred streams each is counted', async t => {
  const { url } = await listening(t, { rateLimit: { max: 30 } })

  const opened = await Promise.all(
    times(100, () => stream(t, url, 'subscriptions/listen', { notifications: { toolsListChanged: true } })),
  )

  t.equal(opened.filter(({ status }) => status === 200).length, 30)
  t.equal(opened.filter(({ status }) => status === 429).length, 70)
})

t.test('C11: of a million keys none that is at its limit is forgotten', async t => {
  const limits = new MemoryLimits(() => 1000)
  const rule = { max: 2, windowMs: 60_000 }
  const take = (key: string) => (limits.take(key, rule) as LimitDecision).isAllowed
  times(2, () => take('blocked'))
  times(2, () => take('refused'))

  for (let index = 0; index < 1_000_000; index++) {
    take(`address ${index}`)
    if (index % 100_000 === 0) take('refused')
  }

  t.notOk(take('blocked'), 'nobody asked for it meanwhile')
  t.notOk(take('refused'))
  t.ok(take('address 0') && take('address 0'), 'long forgotten')
  t.ok(take('address 999999') && !take('address 999999'), 'remembered')
})
