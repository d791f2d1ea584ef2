// How many requests pass, and to which client each is counted.
import t, { type Test } from 'tap'
import { ConfigError, createServer, defineTool } from '../../../src/index.ts'
import { type App, build, request } from '../../support/app.ts'
import { as, forged, guarded } from '../../support/security/callers.ts'
import { assertWire } from '../../support/wire/modern.ts'

interface Knock {
  remoteAddress?: string
  headers?: Record<string, string>
  method?: string
  params?: Record<string, unknown>
}

async function knock(
  app: App,
  { remoteAddress = '192.0.2.1', headers, method = 'server/discover', params }: Knock = {},
) {
  const sent = request(method, params)
  const response = await app.inject({
    method: 'POST',
    url: '/mcp',
    remoteAddress,
    headers: { ...sent.headers, ...headers },
    payload: JSON.stringify(sent.message),
  })
  const message = assertWire(response.json())
  if (response.statusCode === 429) {
    const retryAfter = String(response.headers['retry-after'])
    if (!/^[1-9]\d*$/.test(retryAfter)) throw new Error(`Retry-After: ${retryAfter}`)
    if (message.error?.code !== 42900) throw new Error(`429 with ${JSON.stringify(message)}`)
  }
  return { status: response.statusCode, message }
}

const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

/** How many of each status. */
function tally(replies: { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

t.test('C1: of the limit and fifty more at once, exactly the limit passes', async t => {
  const app = await guarded(t, { rateLimit: { max: 40 } })

  const replies = await Promise.all(times(90, () => knock(app, { headers: as('alice') })))

  t.strictSame(tally(replies), { 200: 40, 429: 50 })
})

t.test('C2: a subject is one client from five addresses and with five tokens, and leaves others alone', async t => {
  const app = await guarded(t, { rateLimit: { max: 5 } })
  const from = (index: number, subject: string) =>
    knock(app, { remoteAddress: `192.0.2.${index}`, headers: as(subject) })

  const hers = await Promise.all(times(10, index => from(index, 'alice')))

  t.strictSame(tally(hers), { 200: 5, 429: 5 })
  t.equal((await from(1, 'bob')).status, 200, 'also from an address of hers')
})

const counted = (name: string) =>
  defineTool({ name, rateLimit: { max: 2, timeWindow: '1 minute' }, handler: () => 'x' })

const callOf = (app: App, name: string, headers: Record<string, string>) =>
  knock(app, { method: 'tools/call', params: { name, arguments: {} }, headers })

t.test('C3: the limit of a tool is the limit of that tool alone, for each subject', async t => {
  const app = await guarded(t, { tools: [counted('a'), counted('b')] })
  const isRefused = async (name: string, subject: string) =>
    (await callOf(app, name, as(subject))).message.result?.isError === true

  t.strictSame(await Promise.all(times(4, () => isRefused('a', 'alice'))), [false, false, true, true])
  t.notOk(await isRefused('b', 'alice'))
  t.notOk(await isRefused('a', 'bob'))
  t.match((await callOf(app, 'a', as('alice'))).message.result, {
    content: [{ text: /^a allows 2 calls in 60 s; retry in \d+ s$/ }],
  })
})

t.test('C3: another method, path or spelling of a tool is no other bucket', async t => {
  const app = await build(t, { rateLimit: { max: 6 }, tools: [counted('a')] })
  const paths = ['/mcp?x=1', '/MCP', '/mcp/']
  const post = async (url: string) => app.inject({ method: 'POST', url, remoteAddress: '192.0.2.1' })

  for (const url of paths) await post(url)
  await knock(app)
  await knock(app, { method: 'tools/list' })
  await callOf(app, 'A', {})

  t.equal((await callOf(app, 'a', {})).status, 429)
  for (const url of paths) t.equal((await post(url)).statusCode, 429, url)
})

t.test('C4: forged tokens count by address, whoever they name, and shut out nobody', async t => {
  const app = await guarded(t, { rateLimit: { max: 60 } })

  const replies = await Promise.all(times(80, index => knock(app, { headers: forged(`s${index}`) })))

  t.strictSame(tally(replies), { 401: 60, 429: 20 })
  t.equal((await knock(app, { headers: as('new') })).status, 200, 'a good token is looked at')
  t.equal((await knock(app, { headers: forged('x'), remoteAddress: '192.0.2.2' })).status, 401)
})

t.test('C4: who was verified before is served, however many forged tokens its address sends', async t => {
  const app = await guarded(t)
  const headers = as('alice')
  await knock(app, { headers })

  await Promise.all(times(80, index => knock(app, { headers: forged(`s${index}`) })))

  t.equal((await knock(app, { headers })).status, 200)
})

t.test('C4: where fewer requests are allowed, fewer forged tokens are', async t => {
  const app = await guarded(t, { rateLimit: { max: 10 } })

  const replies = await Promise.all(times(20, () => knock(app, { headers: forged('x') })))

  t.strictSame(tally(replies), { 401: 10, 429: 10 })
})

t.test('C4: requests without a token count by address', async t => {
  const app = await guarded(t, { rateLimit: { max: 10 } })

  const replies = await Promise.all(times(30, () => knock(app)))

  t.strictSame(tally(replies), { 401: 10, 429: 20 })
})

const forwarded = (...addresses: string[]) => ({ 'x-forwarded-for': addresses.join(', ') })

t.test('C5: X-Forwarded-For makes no client where no proxy is trusted', async t => {
  const app = await build(t, { rateLimit: { max: 3 } })

  const replies = await Promise.all(times(30, index => knock(app, { headers: forwarded(`198.51.100.${index}`) })))

  t.strictSame(tally(replies), { 200: 3, 429: 27 })
})

t.test('C5: behind a proxy the rightmost address that is not a proxy counts', async t => {
  const app = await build(t, { rateLimit: { max: 3 }, trustProxy: '10.0.0.0/8' })
  const by = (...addresses: string[]) => knock(app, { remoteAddress: '10.0.0.1', headers: forwarded(...addresses) })

  const rotated = await Promise.all(times(30, index => by(`198.51.100.${index}`, '192.0.2.7', '10.0.0.2')))

  t.strictSame(tally(rotated), { 200: 3, 429: 27 })
  t.equal((await by('192.0.2.7', '192.0.2.8')).status, 200)
})

t.test('C5: the port that some proxies add makes no client of each connection', async t => {
  const app = await build(t, { rateLimit: { max: 3 }, trustProxy: '10.0.0.0/8' })
  const by = (address: string) => knock(app, { remoteAddress: '10.0.0.1', headers: forwarded(address) })

  const replies = await Promise.all(times(10, index => by(`192.0.2.7:${1000 + index}`)))

  t.strictSame(tally(replies), { 200: 3, 429: 7 })
})

t.test('C5: a proxy that is trusted whoever it is stops the start', async t => {
  for (const trustProxy of [true, 1, 'true', '1', '0.0.0.0/0'])
    await t.rejects(createServer({ trustProxy: trustProxy as never }), ConfigError, JSON.stringify(trustProxy))
})

t.test('C6: a /64 of IPv6 is one client; IPv4 that is mapped into IPv6 is the same as itself', async t => {
  const app = await build(t, { rateLimit: { max: 5 } })
  const from = (remoteAddress: string) => knock(app, { remoteAddress })

  const same = await Promise.all(times(100, index => from(`2001:db8::${index.toString(16)}:1`)))

  t.strictSame(tally(same), { 200: 5, 429: 95 })
  t.equal((await from('2001:db8:0:1::1')).status, 200)
  const mapped = await Promise.all(times(10, index => from(index % 2 === 0 ? '1.2.3.4' : '::ffff:1.2.3.4')))
  t.strictSame(tally(mapped), { 200: 5, 429: 5 })
})

function clockOf(t: Test, start = Date.now()) {
  const clock = { nowMs: start }
  const { now } = Date
  Date.now = () => clock.nowMs
  t.teardown(() => {
    Date.now = now
  })
  return clock
}

t.test('C9: the clock of the machine steps, and neither locks anybody out nor lets anybody pass', async t => {
  const app = await build(t, { rateLimit: { max: 3 } })
  const clock = clockOf(t)
  for (const _ of times(2, Number)) await knock(app)

  clock.nowMs -= 3_600_000
  t.equal((await knock(app)).status, 200)
  t.equal((await knock(app)).status, 429)
  clock.nowMs += 7_200_000

  t.equal((await knock(app)).status, 429)
})
