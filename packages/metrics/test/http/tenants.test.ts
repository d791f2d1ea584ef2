// Callers of one tenant share a rate, see the same tools, and are counted together; those of
// another do not.
import t, { type Test } from 'tap'
import { ConfigError, definePrompt, defineTool, type ServerOptions, type Visible } from '../../../../src/index.ts'
import { type App, call, callTool } from '../../../../test/support/app.ts'
import { keysFile, testKey } from '../../../../test/support/auth/api-keys.ts'
import { bearer, guarded } from '../../../../test/support/auth/guarded.ts'
import { open } from '../../../../test/support/client/app-client.ts'
import { counted, valueIn } from '../../../../test/support/metrics/series.ts'
import { key, orders, text } from '../../../../test/support/orders.ts'
import { MAX_TENANTS } from '../../src/tenants.ts'

/** The headers of a caller of a tenant. */
const member = (sub: string, tenant?: unknown) => ({ headers: bearer('', { sub, tenant }) })

const ALICE = member('alice', 'acme')
const BOB = member('bob', 'acme')
const CAROL = member('carol', 'globex')

const withTenants = (t: Test, options: ServerOptions = {}): Promise<App> =>
  guarded(t, { ...options, jwt: { claims: { tenant: 'tenant' }, ...options.jwt } })

const statusOf = async (app: App, caller: object) => (await call(app, 'server/discover', {}, caller)).status

t.test('a claim that no token can have is refused at the start', async t => {
  const given = { 'rateLimit.claim': { rateLimit: { claim: 'tid' } }, tenantClaim: { tenantClaim: 'tid' } }
  for (const [name, options] of Object.entries(given))
    await t.rejects(
      guarded(t, { jwt: { claims: { tenant: 'tid' } }, ...options }),
      new ConfigError(`${name}: expected a claim that jwt.claims names, not tid`),
    )
  await t.resolves(
    guarded(t, { jwt: { secret: undefined }, authorizationServers: undefined, rateLimit: { claim: 'tid' } }),
  )
})

t.test('callers of one tenant share a rate, and those of another have their own', async t => {
  const app = await withTenants(t, { rateLimit: { max: 2, claim: 'tenant' } })

  t.equal(await statusOf(app, ALICE), 200)
  t.equal(await statusOf(app, BOB), 200)

  t.equal(await statusOf(app, ALICE), 429)
  t.equal(await statusOf(app, member('dave', 'acme')), 429)
  t.equal(await statusOf(app, CAROL), 200)
})

t.test('without RATE_LIMIT_CLAIM each caller has a rate of its own', async t => {
  const app = await withTenants(t, { rateLimit: { max: 1 } })

  for (const caller of [ALICE, BOB, CAROL]) t.equal(await statusOf(app, caller), 200)

  for (const caller of [ALICE, BOB, CAROL]) t.equal(await statusOf(app, caller), 429)
})

t.test('a caller without the claim has a rate of its own, whatever a tenant is called', async t => {
  const app = await withTenants(t, { rateLimit: { max: 1, claim: 'tenant' } })
  const none = member('erin')
  const names = [
    'erin',
    '["https://as.example","erin"]',
    'address 127.0.0.1',
    'claim erin',
    'undefined',
    '__proto__',
    '',
  ]

  t.equal(await statusOf(app, none), 200)
  for (const name of names) t.equal(await statusOf(app, member('frank', name)), 200, name)

  t.equal(await statusOf(app, none), 429)
  t.equal(await statusOf(app, member('grace')), 200)
})

t.test('tenants with long names that begin alike have a rate each', async t => {
  const app = await withTenants(t, { rateLimit: { max: 1, claim: 'tenant' } })
  const long = 'x'.repeat(1000)

  for (const end of ['a', 'b']) t.equal(await statusOf(app, member('alice', long + end)), 200)

  for (const end of ['a', 'b']) t.equal(await statusOf(app, member('bob', long + end)), 429)
})

t.test('each message of a batch counts for the tenant', async t => {
  const app = await withTenants(t, { rateLimit: { max: 3, claim: 'tenant' } })
  const session = await open(t, app, { revision: '2025-03-26', headers: ALICE.headers })

  const { messages } = await session.send(
    [1, 2, 3].map(id => session.request('ping', {}, id)),
    ALICE.headers,
  )

  // The handshake was the first of three.
  t.match(messages, [{ result: {} }, { result: {} }, { error: { code: 42900 } }])
  t.equal(await statusOf(app, BOB), 429)
  t.equal(await statusOf(app, CAROL), 200)
})

t.test('a user of a tenant and its API key share a rate, and see the same tools', async t => {
  const key = testKey({ claims: { tenant: 'acme' } })
  const { path: apiKeysFile } = keysFile(t, key)
  const app = await withTenants(t, {
    apiKeysFile,
    rateLimit: { max: 2, claim: 'tenant' },
    tools: TENANT_TOOLS,
    visible,
  })

  t.match(await callTool(app, 'of_acme', {}, { headers: key.headers }), { content: [{ text: 'for acme' }] })
  t.match(await callTool(app, 'of_acme', {}, ALICE), { content: [{ text: 'for acme' }] })

  for (const caller of [ALICE, { headers: key.headers }]) t.equal(await statusOf(app, caller), 429)
  t.equal(await statusOf(app, CAROL), 200)
})

t.test('the rate of a tool is that of the tenant', async t => {
  const rare = defineTool({ name: 'rare', rateLimit: { max: 1, timeWindow: '1 minute' }, handler: () => 'once' })
  const app = await withTenants(t, { tools: [rare], rateLimit: { claim: 'tenant' } })

  t.match(await callTool(app, 'rare', {}, ALICE), { content: [{ text: 'once' }] })

  t.match(await callTool(app, 'rare', {}, BOB), { isError: true, content: [{ text: /allows 1 calls/ }] })
  t.match(await callTool(app, 'rare', {}, CAROL), { content: [{ text: 'once' }] })
})

const visible: Visible = ({ _meta }, caller) =>
  _meta?.['tenant'] === undefined || _meta['tenant'] === caller?.claims?.['tenant']
const of = (tenant: string) =>
  defineTool({
    name: `of_${tenant}`,
    _meta: { tenant },
    handler: (_args, { caller }) => `for ${caller?.claims?.['tenant']}`,
  })
const forAll = defineTool({ name: 'for_all', handler: () => 'for all' })
const TENANT_TOOLS = [of('acme'), of('globex'), forAll]

async function listFor(app: App, caller: object): Promise<string[]> {
  const { result } = await call(app, 'tools/list', {}, caller)
  return result.tools.map(({ name }: { name: string }) => name)
}

t.test('a tenant sees and calls its own tools, and no others, whoever asked before', async t => {
  const app = await withTenants(t, { tools: TENANT_TOOLS, visible })

  for (let round = 0; round < 2; round++) {
    t.strictSame(await listFor(app, ALICE), ['for_all', 'of_acme'])
    t.strictSame(await listFor(app, CAROL), ['for_all', 'of_globex'])
    t.strictSame(await listFor(app, member('erin')), ['for_all'])
    t.strictSame(await listFor(app, member('frank', ['acme'])), ['for_all'], 'a list is no name')
  }
  t.match(await callTool(app, 'of_acme', {}, BOB), { content: [{ text: 'for acme' }] })
  const hidden = await call(app, 'tools/call', { name: 'of_acme', arguments: {} }, CAROL)
  const unknown = await call(app, 'tools/call', { name: 'of_nobody', arguments: {} }, CAROL)
  t.strictSame(
    JSON.stringify(hidden.error).replaceAll('of_acme', 'X'),
    JSON.stringify(unknown.error).replaceAll('of_nobody', 'X'),
  )
})

t.test('plain HTTP shows a tenant its own tools', async t => {
  const app = await withTenants(t, { tools: TENANT_TOOLS, visible, plainHttp: true })
  const get = (url: string, { headers }: typeof ALICE) =>
    app.inject({ url, headers: { host: 'tools.example', ...headers } })

  for (const url of ['/tools', '/openapi.json']) {
    t.match((await get(url, ALICE)).body, /of_acme/, url)
    t.notMatch((await get(url, CAROL)).body, /of_acme/, url)
    t.match((await get(url, CAROL)).body, /of_globex/, url)
  }
})

t.test('the metrics count requests by tenant, also refused ones, and no strangers', async t => {
  const app = await withTenants(t, {
    tools: TENANT_TOOLS,
    prompts: [definePrompt({ name: 'closed', scopes: ['write'], handler: () => 'x' })],
    tenantClaim: 'tenant',
    rateLimit: { max: 3, claim: 'tenant' },
  })

  await callTool(app, 'for_all', {}, ALICE)
  await call(app, 'prompts/get', { name: 'closed' }, BOB)
  await callTool(app, 'for_all', {}, BOB)
  await call(app, 'tools/list', {}, BOB)
  await callTool(app, 'for_all', {}, CAROL)
  await callTool(app, 'for_all', {}, member('erin'))
  await call(app, 'tools/list')

  t.strictSame(
    new Map(await byTenant(app)),
    new Map([
      ['acme ok', 2],
      ['acme denied', 1],
      ['acme limited', 1],
      ['globex ok', 1],
      [' ok', 1],
    ]),
  )
  t.ok((await valueIn(app, 'toolrack_tenant_duration_seconds_total', { tenant: 'acme' }))! > 0)
})

async function byTenant(app: App): Promise<[string, number][]> {
  const series = await counted(app, 'toolrack_tenant_requests_total')
  return series.map(([{ tenant = '', outcome }, value]) => [`${tenant} ${outcome}`, value])
}

t.test('past their bound tenants share one label, and the first ones keep theirs', async t => {
  const app = await withTenants(t, { tenantClaim: 'tenant' })

  for (let n = 0; n < MAX_TENANTS + 3; n++) await statusOf(app, member('alice', `tenant ${n}`))
  await statusOf(app, member('alice', 'tenant 0'))

  const labels = new Map(await byTenant(app))
  t.equal(labels.size, MAX_TENANTS + 1)
  t.equal(labels.get('_OTHER ok'), 3)
  t.equal(labels.get('tenant 0 ok'), 2)
})

t.test('without TENANT_CLAIM neither metrics nor audit have a tenant', async t => {
  const app = await withTenants(t)

  await statusOf(app, ALICE)

  t.strictSame(await byTenant(app), [])
  t.notOk('tenant' in app.audit.lines[0])
})

t.test('the audit names the tenant, on one line and shortened', async t => {
  const app = await withTenants(t, { tools: TENANT_TOOLS, tenantClaim: 'tenant' })

  for (const tenant of ['acme', 7, 'x\n{"level":30}\u2028', 'y'.repeat(200), undefined])
    await callTool(app, 'for_all', {}, member('alice', tenant))

  const named = app.audit.lines.map(({ tenant }) => tenant)
  t.strictSame(named.slice(0, 2), ['acme', 'json:7'])
  t.notMatch(named[2], /[\n\u2028]/)
  t.match(named[3], /^y{128}… sha256:[0-9a-f]{32}$/)
  t.equal(named[4], undefined)
  t.equal(app.audit.text.trimEnd().split('\n').length, 5)
})

t.test('a subject of two tenants may use an idempotency key in each', async t => {
  const { tool, acts } = orders()
  const app = await withTenants(t, { tools: [tool], tenantClaim: 'tenant' })
  const [atAcme, atGlobex, nowhere] = [ALICE, member('alice', 'globex'), member('alice')]

  for (const caller of [atAcme, atGlobex, nowhere, atGlobex, atAcme, nowhere])
    await callTool(app, 'order', key('1'), caller)

  t.equal(acts.length, 3)
  t.match(await callTool(app, 'order', key('1'), atGlobex), text('order 2'))
})
