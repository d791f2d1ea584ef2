// The recent calls: what is kept of a call, and who may see which.
import t, { type Test } from 'tap'
import { defineTool, type ServerOptions } from '../../../../../src/index.ts'
import { type App, call, callTool } from '../../../../../test/support/app.ts'
import { keysFile, testKey } from '../../../../../test/support/auth/api-keys.ts'
import { bearer, guarded } from '../../../../../test/support/auth/guarded.ts'
import { withConsole } from '../../../../../test/support/console/app.ts'
import { MAX_RECENT_CALLS } from '../../../src/activity/recent-calls.ts'

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
    { seq: Number, method: 'tools/call', target: 'word', outcome: 'ok' },
    { method: 'tools/call', target: 'fails', outcome: 'tool_error' },
    { method: 'tools/call', target: 'word', outcome: 'invalid_arguments' },
    { method: 'tools/list', outcome: 'ok' },
  ])
  for (const { at, durationMs, bytes } of calls) {
    t.equal(new Date(at).toISOString(), at)
    t.ok(durationMs >= 0 && bytes > 0)
  }
  t.match(stats, { underWay: 0, queued: 0, memoryBytes: Number, uptimeS: Number, now: /Z$/ })
})

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

t.test('a page that opens gets the figures of the last 15 minutes, in buckets of 5 s', async t => {
  const app = await withConsole(t, { tools: TOOLS })
  for (let i = 0; i < 3; i++) await callTool(app, 'word', { text: 'a' })
  await callTool(app, 'fails')
  await call(app, 'tools/list')

  const { figures, stats } = await activity(app)
  t.match(figures, { stepS: 5, sum: { calls: 4, errors: 1, p50Ms: Number, p95Ms: Number } })
  for (const column of ['calls', 'errors', 'p50Ms', 'p95Ms', 'running', 'waiting', 'memoryBytes'])
    t.equal(figures[column].length, 180, column)
  t.equal(sum(figures.calls), 4)
  t.equal(sum(figures.errors), 1)
  const untilMs = Date.parse(stats.now) - Date.parse(figures.from)
  t.ok(untilMs >= 179 * 5000 && untilMs < 180 * 5000, 'up to now')
  t.match(figures.tools, [
    { name: 'word', calls: 3, errors: 0 },
    { name: 'fails', calls: 1, errors: 1 },
  ])
})

t.test('figures may be of one tool, of fewer minutes, and of all methods', async t => {
  const app = await withConsole(t, { tools: TOOLS })
  await callTool(app, 'word', { text: 'a' })
  await callTool(app, 'fails')
  await call(app, 'tools/list')
  const figures = async (query: string) => (await activity(app, query)).figures

  t.match((await figures('?tool=fails')).sum, { calls: 1, errors: 1 })
  t.match((await figures('?tool=unknown')).sum, { calls: 0, errors: 0, p50Ms: null, p95Ms: null })
  t.match((await figures('?methods=all')).sum, { calls: 3, errors: 1 })
  t.equal((await figures('?minutes=5')).calls.length, 60)
  for (const query of ['minutes=0', 'minutes=16', 'minutes=x', 'minutes=5&minutes=5', 'tool=a&tool=b'])
    t.equal((await app.inject(`/console/api/activity?${query}`)).statusCode, 400, query)
})

t.test('names that nothing serves have no figures of their own', async t => {
  const app = await withConsole(t, { tools: TOOLS })
  for (let i = 0; i < 3; i++) await callTool(app, `unknown_${i}`).catch(() => {})

  const { figures } = await activity(app)
  t.strictSame(figures.tools, [])
  t.equal(figures.sum.calls, 3)
})

t.test('what the console asks by itself is left out, and what its user calls is not', async t => {
  const app = await withConsole(t, { tools: TOOLS })
  const headers = { 'toolrack-client': 'console' }
  await call(app, 'tools/list', {}, { headers })
  await callTool(app, 'word', { text: 'a' }, { headers })

  const { calls, figures } = await activity(app, '?methods=all')
  t.strictSame(
    calls.map(({ method }: { method: string }) => method),
    ['tools/call'],
  )
  t.equal(figures.sum.calls, 1)
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
  t.match(calls[1].target, /^x{128}… sha256:[0-9a-f]{32}$/)
  for (const { target = '' } of calls) t.ok(target.length <= 541)
})

t.test('a reader asks for what is new, and gets all if the process has begun again', async t => {
  const app = await withConsole(t, { tools: TOOLS })
  for (let i = 0; i < 3; i++) await callTool(app, 'word')
  const seqs = async (query: string): Promise<number[]> =>
    (await activity(app, query)).calls.map(({ seq }: { seq: number }) => seq)
  const all = await seqs('')
  const [first, second, third] = all as [number, number, number]

  t.ok(first < second && second < third && all.length === 3)
  t.strictSame(await seqs(`?after=${second}`), [third])
  t.strictSame(await seqs(`?after=${third}`), [])
  t.strictSame(await seqs(`?after=${third + 1}`), all)
  for (const after of ['-1', 'x', '', '1e3', '99999999999999999', '1&after=2'])
    t.equal((await app.inject(`/console/api/activity?after=${after}`)).statusCode, 400, after)
})

t.test(`the last ${MAX_RECENT_CALLS} are kept`, async t => {
  const app = await withConsole(t, { tools: TOOLS, rateLimit: { max: 1_000_000 } })
  for (let i = 0; i < 5; i++) await callTool(app, 'word')
  const [, , , , fifth] = (await activity(app)).calls
  for (let i = 0; i < MAX_RECENT_CALLS; i++) await callTool(app, 'word')

  const { calls } = await activity(app)
  const seqs: number[] = calls.map(({ seq }: { seq: number }) => seq)
  t.equal(calls.length, MAX_RECENT_CALLS)
  t.ok(seqs[0]! > fifth.seq, 'the first five are gone')
  t.strictSame(
    seqs.toSorted((a, b) => a - b),
    seqs,
    'the oldest first',
  )
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
  const app = await guarded(t, { scopes: { hierarchy: 'admin>toolrack:observe' } })
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

const TENANTS = {
  jwt: { claims: { tenant: 'tenant' } },
  tenantClaim: 'tenant',
  scopes: { hierarchy: 'admin>toolrack:observe' },
}

/** A server with a call of alice in two tenants, of bob in one, and of somebody without a tenant. */
async function withTenants(t: Test, options: ServerOptions = TENANTS) {
  const app = await guarded(t, options)
  const as = (sub: string, tenant: unknown, scope = '') => bearer(scope, { sub, tenant })
  const callers = [
    ['alice', 'acme'],
    ['alice', 'globex'],
    ['bob', 'acme'],
    ['erin', undefined],
    ['frank', undefined],
  ] as const
  for (const [sub, tenant] of callers) await callTool(app, 'free', {}, { headers: as(sub, tenant) })
  const look = (sub: string, tenant: unknown, scope = '', query = '') => activity(app, query, as(sub, tenant, scope))
  const seen = async (...who: Parameters<typeof look>) => {
    const { scope, calls } = await look(...who)
    return [scope, ...calls.map(({ caller }: { caller: string }) => caller)]
  }
  return { app, look, seen }
}

const EVERYBODY = ['all', 'alice', 'alice', 'bob', 'erin', 'frank']

t.test('B33: with TENANT_CLAIM toolrack:observe sees its tenant, and toolrack:observe:all sees all', async t => {
  const { seen } = await withTenants(t)

  t.strictSame(await seen('alice', 'acme'), ['own', 'alice'], 'her calls of one tenant')
  t.strictSame(await seen('carol', 'acme', 'toolrack:observe'), ['tenant', 'alice', 'bob'])
  t.strictSame(await seen('carol', 'globex', 'toolrack:observe'), ['tenant', 'alice'])
  t.strictSame(await seen('carol', 'other', 'toolrack:observe'), ['tenant'])
  t.strictSame(await seen('carol', 'acme', 'admin'), ['tenant', 'alice', 'bob'], 'by the hierarchy')
  t.strictSame(await seen('ops', undefined, 'toolrack:observe:all'), EVERYBODY)
  t.strictSame(await seen('ops', 'acme', 'toolrack:observe toolrack:observe:all'), EVERYBODY)
})

t.test('B33: figures are of the calls that the reader sees, and have no load of others', async t => {
  const { look } = await withTenants(t)
  const read = async (...who: Parameters<typeof look>) => {
    const { figures } = await look(...who)
    return [figures.sum.calls, sum(figures.calls), figures.tools[0]?.calls, 'running' in figures]
  }

  t.strictSame(await read('alice', 'acme'), [1, 1, 1, false])
  t.strictSame(await read('carol', 'acme', 'toolrack:observe'), [2, 2, 2, false])
  t.strictSame(await read('carol', 'other', 'toolrack:observe'), [0, 0, undefined, false])
  t.strictSame(await read('ops', undefined, 'toolrack:observe:all'), [5, 5, 5, true])
  t.equal((await look('alice', 'acme', '', '?tool=free')).figures.sum.calls, 1)
})

t.test('B33: who is of no tenant sees its own calls, since nobody says that others of none belong to it', async t => {
  const { seen } = await withTenants(t)

  t.strictSame(await seen('erin', undefined, 'toolrack:observe'), ['own', 'erin'])
  t.strictSame(await seen('carol', '', 'toolrack:observe'), ['tenant'], 'an empty name is one')
})

t.test('who sees all can tell a subject of two tenants apart', async t => {
  const { look } = await withTenants(t)
  const tenants = (calls: readonly { tenant?: string }[]) => calls.map(({ tenant }) => tenant)

  const all = await look('ops', undefined, 'toolrack:observe:all')
  t.strictSame(tenants(all.calls), ['acme', 'globex', 'acme', undefined, undefined])
  const { calls } = await (await withTenants(t, { jwt: { claims: { tenant: 'tenant' } } })).look(
    'ops',
    'acme',
    'toolrack:observe',
  )
  t.strictSame(tenants(calls), Array(5).fill(undefined), 'without TENANT_CLAIM there are none')
})

t.test('SCOPE_HIERARCHY may put a scope above toolrack:observe:all', async t => {
  const { seen } = await withTenants(t, {
    ...TENANTS,
    scopes: { ...TENANTS.scopes, hierarchy: 'admin>toolrack:observe:all>toolrack:observe' },
  })

  t.strictSame(await seen('ops', 'acme', 'admin'), EVERYBODY)
})

t.test('without TENANT_CLAIM both scopes see all', async t => {
  const { seen } = await withTenants(t, { jwt: { claims: { tenant: 'tenant' } } })

  for (const scope of ['toolrack:observe', 'toolrack:observe:all'])
    t.strictSame(await seen('ops', 'acme', scope), EVERYBODY)
  t.strictSame(await seen('alice', 'acme'), ['own', 'alice', 'alice'])
})

t.test('B33: no number tells one tenant how much others do', async t => {
  const { app, look } = await withTenants(t)
  const lookers = [
    ['carol', 'acme', 'toolrack:observe'],
    ['alice', 'acme', ''],
    ['erin', undefined, 'toolrack:observe'],
  ] as const
  const [last] = (await look('ops', undefined, 'toolrack:observe:all')).calls.slice(-1)

  for (const [sub, tenant, scope] of lookers) {
    const { stats, calls } = await look(sub, tenant, scope)
    t.strictSame(Object.keys(stats).sort(), ['now', 'uptimeS'])
    for (const { seq, at } of calls) t.ok(Math.abs(seq / 1000 - Date.parse(at)) < 60_000, 'a time, and no count')
    const past = await look(sub, tenant, scope, `?after=${last.seq - 1}`)
    t.strictSame(past.calls, calls, 'nor does it tell when the last call of others was')
  }
  t.match((await look('ops', undefined, 'toolrack:observe:all')).stats, { underWay: 0, memoryBytes: Number })
  const config = await app.inject('/console/config.json')
  t.notMatch(config.body, /acme|globex/)
})

t.test('B33: a tenant is the same for its users and its API keys', async t => {
  const [acme, globex] = ['acme', 'globex'].map(tenant => testKey({ claims: { tenant } }))
  const { path: apiKeysFile } = keysFile(t, acme!, globex!)
  const app = await guarded(t, { ...TENANTS, apiKeysFile })
  for (const { headers } of [acme!, globex!]) await callTool(app, 'free', {}, { headers })

  const { scope, calls } = await activity(app, '', bearer('toolrack:observe', { sub: 'carol', tenant: 'acme' }))
  t.match({ scope, calls }, { scope: 'tenant', calls: [{ caller: acme!.record.subject }] })
  t.equal(calls.length, 1)
})

t.test('B33: an issuer whose tenant is pinned names no other one', async t => {
  const app = await guarded(t, { ...TENANTS, jwt: { ...TENANTS.jwt, requiredClaims: { tenant: ['acme'] } } })
  const look = (tenant?: unknown) => activity(app, '', bearer('toolrack:observe', { sub: 'carol', tenant }))

  t.match(await look('acme'), { status: 200, scope: 'tenant' })
  for (const tenant of ['globex', 'Acme', '', undefined]) t.equal((await look(tenant)).status, 401)
  await callTool(app, 'free', {}, { headers: bearer('', { sub: 'alice', tenant: 'acme' }) })
  t.strictSame((await look(['acme', 'globex'])).calls, [], 'both together are a third one')
})
