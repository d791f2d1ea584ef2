// What is audited beside requests: tokens on behalf of callers, API keys, issuers, reloads, the
// console.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { defineTool } from '../../../../src/index.ts'
import { build, callTool } from '../../../../test/support/app.ts'
import { keyed, testKey } from '../../../../test/support/auth/api-keys.ts'
import { keyIssuers } from '../../../../test/support/auth/forge.ts'
import { bearer, SECRET } from '../../../../test/support/auth/guarded.ts'
import { issuerServer, publish } from '../../../../test/support/auth/issuer-server.ts'
import { ALICE, asking, onBehalf } from '../../../../test/support/auth/on-behalf.ts'
import { refuseTokens, tokenService } from '../../../../test/support/auth/token-service.ts'
import { withConsole } from '../../../../test/support/console/app.ts'
import { until } from '../../../../test/support/eventually.ts'
import { serve, source } from '../../../../test/support/tools-folder.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into lines freely
const events = (lines: readonly any[]) => lines.filter(({ event }) => event !== undefined)
const free = defineTool({ name: 'free', handler: () => 'free' })

t.test('audit: each token that a tool gets on behalf of a caller, and never the token', async t => {
  const service = await tokenService(t)
  const { app, given } = await onBehalf(t, service)
  const ask = (audience: string) => callTool(app, 'ask', { audience, scope: 'b a' }, ALICE)

  await ask('reports')
  await ask('reports')
  service.answer = refuseTokens({ error: 'invalid_target' })
  await ask('others')

  const asked = { event: 'token-exchange', subject: 'alice', scopes: ['a', 'b'] }
  t.match(events(app.audit.lines), [
    { ...asked, service: 'reports', outcome: 'ok' },
    { ...asked, service: 'reports', outcome: 'cached' },
    { ...asked, service: 'others', outcome: 'refused' },
  ])
  const call = app.audit.lines.find(({ tool }) => tool === 'ask')
  t.equal(events(app.audit.lines)[0].requestId, call.requestId)
  for (const token of given.tokens) t.notOk(app.audit.text.includes(token))
})

t.test('audit: API keys that a reading of their file adds, changes and ends; not those of the start', async t => {
  const [stays, changes, ends, comes] = [testKey(), testKey(), testKey({ subject: 'ci' }), testKey({ scopes: ['a'] })]
  const { app, file } = await keyed(t, [stays, changes, ends], { tools: [free] })
  t.strictSame(events(app.audit.lines), [])

  file.set(stays, { ...changes, record: { ...changes.record, scopes: ['more'] } }, comes)
  await app.toolrack.reload()

  const issuer = 'urn:toolrack:api-keys'
  t.match(events(app.audit.lines), [
    { event: 'reload' },
    { event: 'api-key-changed', client: changes.record.id, subject: 'n8n', issuer, scopes: ['more'] },
    { event: 'api-key-added', client: comes.record.id, subject: 'n8n', issuer, scopes: ['a'] },
    { event: 'api-key-ended', client: ends.record.id, subject: 'ci', issuer },
  ])
})

t.test('audit: a reload of the tools, with the names of what changed, and of the rules', async t => {
  const served = await serve(t, { 'a.ts': source('a'), 'b.ts': source('b') })
  t.strictSame(events(served.app.audit.lines), [], 'the start is no reload')

  served.write({ 'a.ts': source('a', { answer: 'new' }), 'b.ts': undefined, 'c.ts': source('c') })
  await served.app.toolrack.reload()
  served.write({ '_hooks.ts': 'export const visible = () => true' })
  await served.app.toolrack.reload()

  t.match(events(served.app.audit.lines), [
    { event: 'reload', dropRules: false },
    { event: 'tools-changed', added: 'c', removed: 'b', changed: 'a' },
    { event: 'reload' },
    { event: 'tools-changed', hooks: /_hooks\.ts$/ },
  ])
})

t.test('audit: issuers that are trusted from now on, if they are others', async t => {
  const server = await issuerServer(t)
  const [key] = keyIssuers()
  const [a, b] = ['/a', '/b'].map(path => publish(server, [key!], path))
  const issuersFile = join(t.testdir({}), 'issuers.json')
  const write = (...issuers: object[]) => writeFileSync(issuersFile, JSON.stringify({ issuers }))
  write({ issuer: a })
  const app = await build(t, { issuersFile, publicUrl: 'https://tools.example/mcp', tools: [free] })
  const changes = () => app.audit.lines.filter(({ event }) => event === 'issuers-changed')

  await app.toolrack.reload()
  t.strictSame(changes(), [], 'the same')
  write({ issuer: a }, { issuer: b })
  await until(() => changes().length === 1, 'they are others')

  t.match(changes(), [{ count: 2, issuers: [a, b] }])
})

t.test('audit: calls of the console are known by their door, whatever a page of others sends', async t => {
  const app = await withConsole(t, { tools: [free] })
  const own = [{ 'sec-fetch-site': 'same-origin' }, { origin: 'http://localhost:3000', host: 'localhost:3000' }]
  for (const headers of own) await callTool(app, 'free', {}, { headers })
  await callTool(app, 'free', {}, { headers: { 'sec-fetch-site': 'none' } })
  await callTool(app, 'free')

  t.strictSame(
    app.audit.lines.map(({ door }) => door),
    ['console', 'console', undefined, undefined],
  )
})

t.test('audit: who reads the calls of others in the console has a line once in a while, with its caller', async t => {
  const app = await withConsole(t, { tools: [free], jwt: { secret: SECRET }, publicUrl: 'https://tools.example/mcp' })
  const read = (scope: string, sub: string) =>
    app.inject({ url: '/console/api/activity', headers: bearer(scope, { sub }) })

  for (let n = 0; n < 3; n++) await read('toolrack:observe', 'alice')
  await read('', 'bob')
  await read('toolrack:observe', 'carol')

  t.match(events(app.audit.lines), [
    { event: 'calls-read', door: 'console', subject: 'alice' },
    { event: 'calls-read', door: 'console', subject: 'carol' },
  ])
})

t.test('audit: what a tool calls the service of its token is cleaned', async t => {
  const service = await tokenService(t)
  const { app } = await onBehalf(t, service, { tools: [asking({ tokens: [] })] })

  await callTool(app, 'ask', { audience: `https://a:b4nana-secret@x.example/${'y'.repeat(500)}` }, ALICE)

  t.notMatch(app.audit.text, /b4nana/)
  t.ok(events(app.audit.lines)[0].service.length < 300)
})
