// Callers who differ stay apart wherever the server writes who they are.
import t from 'tap'
import { defineTool } from '../../../../src/index.ts'
import { callTool } from '../../../../test/support/app.ts'
import { bearer, guarded } from '../../../../test/support/auth/guarded.ts'
import { parseSeries } from '../../../../test/support/metrics/series.ts'

const LONG = 'x'.repeat(150)
const ALIKE = ['alice', 'alice\u200b', 'alice ', 'al\u00edce', 'ali\u0301ce', `${LONG}1`, `${LONG}2`]
const tools = [defineTool({ name: 'free', handler: () => 'free' })]

t.test('O1: audit: no two subjects, clients, issuers or tenants become one', async t => {
  const app = await guarded(t, { tools, jwt: { claims: { tenant: 'tenant' } }, tenantClaim: 'tenant' })

  for (const id of ALIKE) {
    const headers = bearer('', { sub: id, client_id: id, tenant: id })
    await callTool(app, 'free', {}, { headers })
  }

  for (const field of ['subject', 'client', 'tenant'])
    t.equal(new Set(app.audit.lines.map(line => line[field])).size, ALIKE.length, field)
  t.match(app.audit.lines[1], { subject: 'alice\\u{200b}' })
  const tenants = parseSeries(await app.toolrack.metrics())
    .filter(({ name }) => name === 'toolrack_tenant_requests_total')
    .map(({ labels }) => labels['tenant'])
  t.equal(new Set(tenants).size, ALIKE.length, 'metrics')
})

t.test('O1: audit: a tenant that is a text is none that is a number, a list, or their JSON', async t => {
  const app = await guarded(t, { tools, jwt: { claims: { tenant: 'tenant' } }, tenantClaim: 'tenant' })
  const values = ['7', 7, 'json:7', '"7"', ['7'], '["7"]', true, 'true', null, 'null', { a: 1 }, '{"a":1}']

  for (const tenant of values) await callTool(app, 'free', {}, { headers: bearer('', { tenant }) })

  t.equal(new Set(app.audit.lines.map(({ tenant }) => tenant)).size, values.length)
  t.match(app.audit.lines, [{ tenant: '7' }, { tenant: 'json:7' }])
})

t.test('O1: metrics: no tenant counts as the rest by its name', async t => {
  const app = await guarded(t, { tools, jwt: { claims: { tenant: 'tenant' } }, tenantClaim: 'tenant' })

  await callTool(app, 'free', {}, { headers: bearer('', { tenant: '_OTHER' }) })

  const text = await app.toolrack.metrics()
  t.match(text, /toolrack_tenant_requests_total\{tenant="\\\\u\{5f\}OTHER"/)
  t.notMatch(text, /tenant="_OTHER"/)
})

t.test('O1: console: the recent calls keep them apart, also by their issuer', async t => {
  const issuers = ['https://as.example', 'https://other.example']
  const app = await guarded(t, { tools, console: true, jwt: { issuer: issuers } })
  for (const sub of ALIKE) await callTool(app, 'free', {}, { headers: bearer('', { sub }) })
  await callTool(app, 'free', {}, { headers: bearer('', { sub: 'alice', iss: issuers[1] }) })

  const reply = await app.inject({ url: '/console/api/activity', headers: bearer('toolrack:observe') })

  const callers = reply.json().calls.map(({ caller, issuer }: Record<string, string>) => `${issuer} ${caller}`)
  t.equal(callers.length, ALIKE.length + 1)
  t.equal(new Set(callers).size, callers.length)
})
