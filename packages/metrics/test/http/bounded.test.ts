// What clients make up never becomes a label, and what they say of themselves is in none.
import type { FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'
import t from 'tap'
import { serveMessage as serveRequest } from '../../../../src/dispatch.ts'
import { definePrompt, defineResource, defineTool } from '../../../../src/index.ts'
import type { Log } from '../../../../src/request/exchange.ts'
import { type App, build, call, META, request } from '../../../../test/support/app.ts'
import { bearer, guarded } from '../../../../test/support/auth/guarded.ts'
import { open } from '../../../../test/support/client/app-client.ts'
import { nextId } from '../../../../test/support/client/client.ts'
import { fakeExchange } from '../../../../test/support/fakes.ts'
import { keysOf, parseSeries, seriesOf, textOf, valueIn } from '../../../../test/support/metrics/series.ts'
import { assembled, NO_RECORDERS } from '../../../../test/support/runtime.ts'
import { createMetrics } from '../../src/metrics.ts'

const fine = defineTool({ name: 'fine', inputSchema: { type: 'object' }, handler: () => 'fine' })
const NO_LIMITS = { rateLimit: { max: 1_000_000 }, logLevel: 'silent' } as const

/** Of one process every series is there from the first scrape, or not at all, but for those of its own work. */
const OWN = /^(?:toolrack|mcp)_/
const ownSeries = async (app: App) => keysOf((await seriesOf(app)).filter(({ name }) => OWN.test(name)))

const INVENTED: readonly ((word: string) => ReturnType<typeof request>)[] = [
  word => request('tools/call', { name: word, arguments: {} }),
  word => request('tools/call', { name: 'fine', arguments: { [word]: word } }, { meta: { [word]: word } }),
  word => request(word),
  word => request(`tools/${word}`),
  word => request('prompts/get', { name: word }),
  word => request('resources/read', { uri: `doc:${word}` }),
  word => request('tasks/get', { taskId: word }),
  word => request('tools/list', {}, { meta: { [`${META}protocolVersion`]: word } }),
  word => request('tools/list', {}, { headers: { 'mcp-protocol-version': word } }),
  word => request('tools/list', {}, { headers: { 'mcp-method': word } }),
  word => request('tools/list', {}, { headers: { origin: `https://${word}.example` } }),
  word => request('tools/list', {}, { headers: { host: `${word}.example` } }),
  word => request('initialize', { protocolVersion: word, capabilities: {}, clientInfo: { name: word, version: word } }),
]

async function invent(app: App, words: readonly string[]): Promise<void> {
  for (const word of words) {
    for (const make of INVENTED) {
      const { message, headers } = make(word)
      await app.inject({ method: 'POST', url: '/mcp', headers, payload: JSON.stringify(message) })
    }
  }
}

const wordsFrom = (first: number, count: number) => Array.from({ length: count }, (_, n) => `invented${first + n}`)

t.test('metrics: names, methods and versions that are made up add no series', async t => {
  const app = await build(t, { tools: [fine], ...NO_LIMITS })
  await invent(app, [...wordsFrom(0, 2), '__proto__', 'constructor', 'a"} 1\nb{c="'])
  const before = await ownSeries(app)

  await invent(app, wordsFrom(100, 150))

  t.strictSame(await ownSeries(app), before)
  t.notMatch(await textOf(app), /invented|__proto__|constructor/)
  t.ok((await valueIn(app, 'toolrack_tool_calls_total', { tool: 'fine', outcome: 'ok' }))! >= 150)
})

const MADE_UP: readonly ((word: string) => { method: string; params: Record<string, unknown> })[] = [
  word => ({ method: 'tools/call', params: { name: word, arguments: {} } }),
  word => ({ method: 'tools/call', params: { name: 'fine', arguments: { [word]: word } } }),
  word => ({ method: word, params: {} }),
  word => ({ method: 'prompts/get', params: { name: word } }),
  word => ({ method: 'tasks/get', params: { taskId: word } }),
]

t.test('metrics: nor do 100,000 of them', async t => {
  const metrics = createMetrics({ mask: text => text, tenantClaim: undefined })
  const silent = pino({ level: 'silent' }) as unknown as FastifyBaseLogger
  const runtime = assembled('test', silent, undefined, undefined, { ...NO_RECORDERS, metrics })
  runtime.code.add([fine])
  const log: Log = { debug() {}, info() {}, warn() {}, error() {}, isLevelEnabled: () => false }
  const serve = async (first: number, count: number) => {
    for (let n = first; n < first + count; n++)
      await serveRequest(fakeExchange({ ...MADE_UP[n % MADE_UP.length]!(`invented${n}`), log }), runtime)
  }
  const series = async () => keysOf(parseSeries(await runtime.metrics.text()).filter(({ name }) => OWN.test(name)))
  await serve(0, MADE_UP.length)
  const before = await series()

  await serve(100, 100_000)

  t.strictSame(await series(), before)
  const calls = parseSeries(await runtime.metrics.text()).filter(({ name }) => name === 'toolrack_tool_calls_total')
  t.strictSame(calls, [{ name: 'toolrack_tool_calls_total', labels: { tool: 'fine', outcome: 'ok' }, value: 20_001 }])
})

t.test('metrics: nor does what sessions make up', async t => {
  const app = await build(t, { tools: [fine], ...NO_LIMITS })
  const client = await open(t, app)
  const post = async (word: string) => {
    for (const method of [word, `notifications/${word}`])
      await app.inject({
        method: 'POST',
        url: '/mcp',
        headers: { host: 'localhost', ...client.headers({ 'mcp-protocol-version': '2025-11-25' }) },
        payload: JSON.stringify({ jsonrpc: '2.0', id: nextId(), method }),
      })
    await client.callTool(word)
    await app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { host: 'localhost', ...client.headers({ 'mcp-session-id': word }) },
      payload: JSON.stringify({ jsonrpc: '2.0', id: nextId(), method: 'ping' }),
    })
  }
  await post('invented')
  const before = await ownSeries(app)

  for (const word of wordsFrom(0, 100)) await post(word)

  t.strictSame(await ownSeries(app), before)
  t.notMatch(await textOf(app), /invented/)
})

t.test(
  'metrics: a tool that is taken away keeps what it has counted, and its name is invented from then on',
  async t => {
    const app = await build(t, { tools: [fine], ...NO_LIMITS })
    await call(app, 'tools/call', { name: 'fine', arguments: {} })
    app.toolrack.remove('fine')

    await call(app, 'tools/call', { name: 'fine', arguments: {} })

    t.equal(await valueIn(app, 'toolrack_tool_calls_total', { tool: 'fine' }), 1)
  },
)

t.test('metrics: none names a subject, an address, an argument, a session or a URI', async t => {
  const app = await guarded(t, {
    tools: [fine, defineTool({ name: 'fails', handler: () => Promise.reject(new Error('hushhush')) })],
    prompts: [definePrompt({ name: 'greet', arguments: [{ name: 'who' }], handler: () => 'hi' })],
    resources: [defineResource({ uriTemplate: 'item:{id}', name: 'items', handler: () => 'x' })],
  })
  const headers = bearer('', { sub: 'hushhush', client_id: 'hushhush', jti: 'hushhush' })
  const client = await open(t, app, { headers })

  await call(app, 'tools/call', { name: 'fine', arguments: { hushhush: 'hushhush' } }, { headers })
  await call(app, 'tools/call', { name: 'fails' }, { headers })
  await call(app, 'prompts/get', { name: 'greet', arguments: { who: 'hushhush' } }, { headers })
  await call(app, 'resources/read', { uri: 'item:hushhush' }, { headers })
  await app.inject({ method: 'POST', url: '/mcp', remoteAddress: '203.0.113.7', headers: { host: 'localhost' } })

  const text = await textOf(app)
  for (const secret of ['hushhush', 'alice', client.id, '127.0.0.1', '203.0.113.7', 'as.example', 'item:'])
    t.notOk(text.includes(secret), secret)
  t.ok(text.includes('gen_ai_tool_name="fails"'), 'all of it was counted')
})
