// The recent calls: what is kept of a call, and who may see which.
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { MAX_RECENT_CALLS } from '../../../src/observability/recent-calls.ts'
import { Toolrack } from '../../../src/toolrack.ts'
import { type App, call, callTool } from '../../support/app.ts'
import { bearer, guarded } from '../../support/auth/guarded.ts'
import { withConsole } from '../../support/console/app.ts'

const TOOLS = [
  defineTool({
    name: 'word',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    handler: ({ text }) => `the word ${text}`,
  }),
  defineTool({
    name: 'fails',
    handler: () => {
      throw new Error('no')
    },
  }),
]

async function activity(app: App, query = '', headers: Record<string, string> = {}) {
  const reply = await app.inject({ url: `/console/api/activity${query}`, headers })
  return { status: reply.statusCode, headers: reply.headers, body: reply.body, ...reply.json() }
}

t.test('a call is there with its tool, outcome, time and size', async t => {
  const app = await withConsole(t, { tools: TOOLS })
  await callTool(app, 'word', { text: 'a' })
  await callTool(app, 'fails')
  await callTool(app, 'word', { text: 1 })
  await call(app, 'tools/list')

  const { status, headers, calls, scope, stats } = await activity(app)
  t.equal(status, 200)
  t.equal(headers['cache-control'], 'no-store')
  t.equal(scope, 'all')
  t.match(calls, [
    { seq: 1, method: 'tools/call', target: 'word', outcome: 'ok' },
    { seq: 2, method: 'tools/call', target: 'fails', outcome: 'tool_error' },
    { seq: 3, method: 'tools/call', target: 'word', outcome: 'invalid_arguments' },
    { seq: 4, method: 'tools/list', outcome: 'ok' },
  ])
  for (const { at, durationMs, bytes } of calls) {
    t.equal(new Date(at).toISOString(), at)
    t.ok(durationMs >= 0 && bytes > 0)
  }
  t.match(stats, { underWay: 0, queued: 0, memoryBytes: Number, uptimeS: Number, now: /Z$/ })
})

t.test('nothing of it has arguments or results', async t => {
  const app = await withConsole(t, { tools: TOOLS })
  await callTool(app, 'word', { text: 'canary' })

  t.notMatch((await activity(app)).body, /canary|the word/)
})

t.test('names that clients choose are masked, cleaned and cut', async t => {
  const secret = `sk-${'a1'.repeat(20)}`
  const app = await withConsole(t, { tools: TOOLS })
  await call(app, 'tools/call', { name: `${secret} \u001b[31m` })
  await call(app, 'tools/call', { name: 'x'.repeat(1000) })
  await call(app, 'resources/read', { uri: `doc:${'y'.repeat(1000)}?token=${secret}` }).catch(() => {})

  const { calls, body } = await activity(app)
  t.notMatch(body, secret)
  t.notMatch(body, /\\u001b/)
  t.equal(calls[1].target.length, 129)
  for (const { target = '' } of calls) t.ok(target.length <= 501)
})

t.test('a reader asks for what is new, and gets all if the process has begun again', async t => {
  const app = await withConsole(t, { tools: TOOLS })
  for (let i = 0; i < 3; i++) await callTool(app, 'word')
  const seqs = async (query: string) => (await activity(app, query)).calls.map(({ seq }: { seq: number }) => seq)

  t.strictSame(await seqs(''), [1, 2, 3])
  t.strictSame(await seqs('?after=2'), [3])
  t.strictSame(await seqs('?after=3'), [])
  t.strictSame(await seqs('?after=900'), [1, 2, 3])
  for (const after of ['-1', 'x', '', '1e3', '99999999999999999', '1&after=2'])
    t.equal((await app.inject(`/console/api/activity?after=${after}`)).statusCode, 400, after)
})

t.test(`the last ${MAX_RECENT_CALLS} are kept`, async t => {
  const app = await withConsole(t, { tools: TOOLS, rateLimitMax: 1_000_000 })
  for (let i = 0; i < MAX_RECENT_CALLS + 5; i++) await callTool(app, 'word')

  const { calls } = await activity(app)
  t.equal(calls.length, MAX_RECENT_CALLS)
  t.equal(calls[0].seq, 6)
  t.equal(calls.at(-1).seq, MAX_RECENT_CALLS + 5)
})

t.test('what is asked of the console itself is not among the calls', async t => {
  const app = await withConsole(t, { tools: TOOLS })
  await app.inject('/console/')
  await app.inject('/console/config.json')
  await app.inject('/console/api/activity?after=x')
  await app.inject({ url: '/console/api/activity', headers: { origin: 'https://evil.example' } })

  t.strictSame((await activity(app)).calls, [])
})

t.test('with access control a caller sees its own calls, and all with toolrack:observe', async t => {
  const app = await guarded(t, { scopeHierarchy: 'admin>toolrack:observe' })
  const as = (sub: string, scope = '') => bearer(scope, { sub })
  for (const [sub, times] of [['alice', 2] as const, ['bob', 1] as const])
    for (let i = 0; i < times; i++) await callTool(app, 'free', {}, { headers: as(sub) })
  const seen = async (headers: Record<string, string>) => {
    const { scope, calls } = await activity(app, '', headers)
    return [scope, ...calls.map(({ caller }: { caller: string }) => caller)]
  }

  t.strictSame(await seen(as('alice')), ['own', 'alice', 'alice'])
  t.strictSame(await seen(as('bob', 'read')), ['own', 'bob'])
  t.strictSame(await seen(as('carol')), ['own'])
  t.strictSame(await seen(as('carol', 'toolrack:observe')), ['all', 'alice', 'alice', 'bob'])
  t.strictSame(await seen(as('carol', 'admin')), ['all', 'alice', 'alice', 'bob'], 'by the hierarchy')
  const alike = bearer('', { sub: 'alice', iss: 'https://other.example' })
  t.strictSame(await seen(alike), ['own'], 'the same subject of another issuer')
  t.equal((await app.inject('/console/api/activity')).statusCode, 401)
})

t.test('without the console no calls are kept', async t => {
  const app = await withConsole(t, { tools: TOOLS, console: false })

  t.equal(Toolrack.runtime(app.toolrack).recentCalls, undefined)
})
