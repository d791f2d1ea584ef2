// What /ready and the metrics say of an audit that cannot be written, and AUDIT_REQUIRED.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createServer, defineResource, defineTool, type ServerOptions } from '../../../../src/index.ts'
import { build, call, callTool } from '../../../../test/support/app.ts'
import { inject } from '../../../../test/support/client/transport.ts'
import { until } from '../../../../test/support/eventually.ts'
import { openSession } from '../../../../test/support/security/sessions.ts'
import { job } from '../../../../test/support/tasks/modern.ts'

/** A server whose audit file is in a folder that can be taken away. */
async function audited(t: Test, options: ServerOptions = {}) {
  const root = mkdtempSync(join(tmpdir(), 'toolrack-audit-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  const folder = join(root, 'logs')
  mkdirSync(folder)
  const path = join(folder, 'audit.log')
  let calls = 0
  const count = () => `call ${++calls}`
  const app = await build(t, {
    tools: [defineTool({ name: 'counts', handler: count }), job('lasts', count)],
    resources: [defineResource({ uri: 'doc:counts', name: 'counts', handler: count })],
    plainHttp: true,
    ...options,
    audit: { file: path, stream: undefined, ...options.audit },
  })
  return {
    app,
    path,
    calls: () => calls,
    take() {
      rmSync(folder, { recursive: true })
      app.toolrack.reopenAudit()
    },
    give() {
      mkdirSync(folder)
      app.toolrack.reopenAudit()
    },
    ready: async () => {
      const { statusCode, ...reply } = await app.inject('/ready')
      return { statusCode, ...reply.json() }
    },
  }
}

t.test('audit: while it cannot be written, /ready says so, and calls go on', async t => {
  const { app, take, give, ready, path } = await audited(t)
  t.strictSame(await ready(), { statusCode: 200, status: 'ready' })

  take()
  await callTool(app, 'counts')

  const degraded = ['audit: it cannot be written (ENOENT); its lines wait']
  t.strictSame(await ready(), { statusCode: 200, status: 'ready', degraded })
  give()
  await until(async () => (await ready()).degraded === undefined, 'it is well again')
  t.match(readFileSync(path, 'utf8'), /"tool":"counts"/)
})

t.test('O3: AUDIT_REQUIRED: what cannot be audited is refused before its handler, in each door and era', async t => {
  const { app, take, give, ready, calls } = await audited(t, { audit: { required: true } })
  const session = await openSession(app)
  const refused = { status: 503, error: { code: 50300, message: /^Audit unavailable: / } }
  const old = () =>
    inject(app).send({
      session,
      body: { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'counts', arguments: {} } },
      headers: { 'mcp-protocol-version': '2025-11-25' },
    })
  take()
  await until(async () => (await ready()).statusCode === 503, 'it is known')

  t.match(await call(app, 'tools/call', { name: 'counts', arguments: {} }), refused)
  t.match(await call(app, 'resources/read', { uri: 'doc:counts' }), refused)
  const { status, message } = await old()
  t.match({ status, error: message?.error }, refused)
  const plain = await app.inject({ method: 'POST', url: '/tools/counts', payload: {} })
  t.match(plain.json(), { status: 503, title: 'Audit unavailable' })
  t.match(plain.headers, { 'retry-after': /^\d+$/ })
  t.equal(calls(), 0)
  t.match(await ready(), { statusCode: 503, status: 'refusing', degraded: [/^audit: .*ENOENT.*; calls are refused/] })

  give()
  await until(async () => (await ready()).statusCode === 200, 'it takes calls again')
  t.match(await callTool(app, 'counts'), { content: [{ text: 'call 1' }] })
})

t.test('O3: audit: lost lines are a metric, a record, and told by /ready', async t => {
  const { app, path, ready } = await audited(t)
  t.match(await app.toolrack.metrics(), /^toolrack_audit_lines_lost_total 0$/m)

  rmSync(path)
  await callTool(app, 'counts')
  await until(() => existsSync(path), 'it is opened again')

  t.match(await app.toolrack.metrics(), /^toolrack_audit_lines_lost_total 1$/m)
  t.strictSame((await ready()).degraded, ['audit: lines are lost: 1 (the file was removed)'])
  await until(() => /"event":"lines-lost","lost":1,/.test(readFileSync(path, 'utf8')), 'it is recorded')
})

t.test('AUDIT_REQUIRED needs a file, whose losses the server can see', async t => {
  await t.rejects(createServer({ audit: { required: true } }), {
    name: 'ConfigError',
    message: 'audit.required: expected audit.file beside it',
  })
  const stream = { write: () => true }
  await t.rejects(createServer({ audit: { required: true, file: '/dev/null', stream } }), {
    name: 'ConfigError',
    message: 'audit.stream: expected either it or audit.file, not both',
  })
})
