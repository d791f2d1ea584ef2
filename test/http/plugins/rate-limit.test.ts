// How many requests a client may send, and who is one client.
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { ConfigError, createServer, toolrack } from '../../../src/index.ts'
import { type App, build, request } from '../../support/app.ts'
import { merged } from '../../support/merged.ts'
import { assertWire } from '../../support/wire/modern.ts'

const { message, headers } = request('server/discover', {}, { id: 7 })

async function knock(
  app: App,
  remoteAddress = '127.0.0.1',
  more: Record<string, string> = {},
  payload = JSON.stringify(message),
) {
  const response = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { ...headers, ...more },
    payload,
    remoteAddress,
  })
  return { status: response.statusCode, headers: response.headers, message: assertWire(response.json()) }
}

/** How many of these pass, one after the other. */
async function passing(knocks: (() => ReturnType<typeof knock>)[]): Promise<number> {
  let passed = 0
  for (const each of knocks) if ((await each()).status === 200) passed++
  return passed
}

const limited = (t: Test, max: number, options = {}) => build(t, merged({ rateLimit: { max } }, options))

t.test('past the limit a request gets 429 with code 42900, whole seconds in Retry-After and no id', async t => {
  const app = await limited(t, 2)
  await knock(app)
  await knock(app)

  const refused = await knock(app)

  t.match(refused, { status: 429, message: { jsonrpc: '2.0', error: { code: 42900 } } })
  t.notOk('id' in refused.message, 'the body was not read')
  t.match(refused.headers['retry-after'], /^[1-9]\d*$/)
  t.ok(Number(refused.headers['retry-after']) <= 60, 'no more than the window')
})

t.test('the limit is exact, also for requests that come at once', async t => {
  const app = await limited(t, 20)

  const replies = await Promise.all(Array.from({ length: 70 }, () => knock(app)))

  t.equal(replies.filter(({ status }) => status === 200).length, 20)
  t.equal(replies.filter(({ status }) => status === 429).length, 50)
})

t.test('Retry-After is at least a second, and after it there is room again', async t => {
  const app = await limited(t, 1, { rateLimit: { timeWindow: 20 } })
  let refused = await knock(app)
  // Two that a busy machine keeps apart are in two windows.
  for (let tries = 0; refused.status === 200 && tries < 1000; tries++) refused = await knock(app)
  t.equal(refused.headers['retry-after'], '1')

  const deadlineMs = Date.now() + 30_000
  while ((await knock(app)).status === 429 && Date.now() < deadlineMs)
    await new Promise(resolve => setImmediate(resolve))

  t.ok(Date.now() < deadlineMs)
})

t.test('what is refused is counted as well, whatever it is refused for', async t => {
  const app = await limited(t, 5)
  const attempts = [
    () => knock(app, undefined, {}, '{'),
    () => knock(app, undefined, {}, '[]'),
    () => knock(app, undefined, { 'content-type': 'text/plain' }),
    () => knock(app, undefined, { 'mcp-method': 'tools/call' }),
    () =>
      app.inject({ method: 'GET', url: '/mcp', headers }).then(({ statusCode }) => ({ status: statusCode }) as never),
  ]

  t.equal(await passing(attempts), 0)

  t.equal((await knock(app)).status, 429)
})

t.test('one client leaves the budget of another alone', async t => {
  const app = await limited(t, 1)

  t.equal((await knock(app, '192.0.2.1')).status, 200)
  t.equal((await knock(app, '192.0.2.1')).status, 429)
  t.equal((await knock(app, '192.0.2.2')).status, 200)
})

t.test('the addresses of one IPv6 /64 are one client, those of the next are not', async t => {
  const app = await limited(t, 3)
  const same = Array.from({ length: 20 }, (_, index) => () => knock(app, `2001:db8:0:1::${index.toString(16)}:1`))

  t.equal(await passing(same), 3)
  t.equal((await knock(app, '2001:db8:0:2::1')).status, 200)
})

t.test('an IPv4 address is the same client when it comes mapped into IPv6', async t => {
  const app = await limited(t, 1)

  t.equal((await knock(app, '192.0.2.1')).status, 200)
  t.equal((await knock(app, '::ffff:192.0.2.1')).status, 429)
  t.equal((await knock(app, '::ffff:192.0.2.2')).status, 200)
})

const forwarded = (...addresses: string[]) => ({ 'x-forwarded-for': addresses.join(', ') })

t.test('X-Forwarded-For is ignored where no proxy is trusted', async t => {
  const app = await limited(t, 3)
  const rotated = Array.from({ length: 20 }, (_, index) => () => knock(app, '127.0.0.1', forwarded(`192.0.2.${index}`)))

  t.equal(await passing(rotated), 3)
})

const warnings = (app: App) => app.logs.lines.filter(({ level, peer }) => level === 40 && peer !== undefined)

for (const [name, value] of Object.entries({ 'X-Forwarded-For': '192.0.2.1', Forwarded: 'for=192.0.2.1' })) {
  t.test(`where ${name} arrives and no proxy is trusted, the log says once what to set`, async t => {
    const app = await limited(t, 100)
    await knock(app)
    t.strictSame(warnings(app), [])

    for (let sent = 0; sent < 5; sent++) await knock(app, '10.9.8.7', { [name.toLowerCase()]: value })
    await knock(app, '10.9.8.6', { host: 'evil.example', [name.toLowerCase()]: value })

    t.match(warnings(app), [{ header: name, peer: '10.9.8.7', hint: /TRUST_PROXY/ }])
    t.equal(warnings(app).length, 1)
  })
}

t.test('it is said where tokens are refused, and before anybody is', async t => {
  const app = await build(t, { jwt: { secret: 'a secret of the tests, and long enough' } })

  t.equal((await knock(app, '10.9.8.7', forwarded('192.0.2.1'))).status, 401)

  t.equal(warnings(app).length, 1)
})

t.test('where a proxy is trusted nothing is said of it', async t => {
  const app = await limited(t, 100, { trustProxy: ['10.0.0.0/8'] })

  await knock(app, '10.9.8.7', forwarded('192.0.2.1'))

  t.strictSame(warnings(app), [])
})

t.test('nor in an app that trusts a proxy by its own settings', async t => {
  const lines: string[] = []
  const logger = { level: 'warn', stream: { write: (line: string) => void lines.push(line) } }
  for (const trustProxy of ['10.0.0.0/8', false]) {
    const app = Fastify({ logger, trustProxy })
    t.teardown(() => app.close())
    await app.register(toolrack)
    const payload = JSON.stringify(message)
    const sent = { headers: { ...headers, ...forwarded('192.0.2.1') }, payload, remoteAddress: '10.9.8.7' }
    await app.inject({ method: 'POST', url: '/mcp', ...sent })
    t.equal(lines.filter(line => line.includes('TRUST_PROXY')).length, trustProxy === false ? 1 : 0)
  }
})

t.test('behind a trusted proxy the address that it adds counts, not what the client made up', async t => {
  const app = await limited(t, 1, { trustProxy: ['127.0.0.1', '10.0.0.0/8'] })
  const from = (...addresses: string[]) => knock(app, '127.0.0.1', forwarded(...addresses))

  t.equal((await from('192.0.2.1')).status, 200)
  t.equal((await from('192.0.2.2')).status, 200)
  t.equal((await from('192.0.2.1')).status, 429)
  t.equal((await from('203.0.113.9', '192.0.2.1')).status, 429, 'an address in front makes no new client')
  t.equal((await from('192.0.2.1', '10.1.2.3')).status, 429, 'two proxies')
  t.equal((await knock(app, '198.51.100.1', forwarded('192.0.2.3'))).status, 200)
  t.equal((await knock(app, '198.51.100.1', forwarded('192.0.2.4'))).status, 429, 'not from a proxy of ours')
})

t.test('trustProxy takes addresses and blocks only: all else lets a client mint its own address', async t => {
  for (const trustProxy of [true, 1, 'true', '1', 2, 'loopback', '*', '0.0.0.0/0', '::/0', ['127.0.0.1', '1'], [], ''])
    await t.rejects(createServer({ trustProxy: trustProxy as never }), ConfigError, JSON.stringify(trustProxy))
  for (const trustProxy of [false, '127.0.0.1', ['127.0.0.1', '10.0.0.0/8'], ['::1'], 'fd00::/8'])
    await t.resolves(build(t, { trustProxy: trustProxy as never }), JSON.stringify(trustProxy))
})

t.test('X-Forwarded-Host does not pass the host check where no proxy is trusted', async t => {
  const app = await limited(t, 10)

  t.equal((await knock(app, '127.0.0.1', { host: 'evil.example', 'x-forwarded-host': 'localhost' })).status, 403)
  t.equal((await knock(app, '127.0.0.1', { 'x-forwarded-host': 'evil.example' })).status, 200)
})
