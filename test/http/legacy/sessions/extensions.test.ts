// Extensions of both sides. SEP-2133, "Negotiation".
import t from 'tap'
import { build, call } from '../../../support/app.ts'
import { open, session } from '../../../support/client/app-client.ts'
import { textOf } from '../../../support/client/reply.ts'
import { tool } from '../../../support/steered-tools.ts'

const UI = 'io.modelcontextprotocol/ui'
const extensions = { 'com.example/search': { depth: 2 } }
const sent = { [UI]: { mimeTypes: ['text/html;profile=mcp-app'] } }
const echo = tool('echo', ({ capabilities }) => JSON.stringify(capabilities))

for (const revision of ['2025-11-25', '2025-06-18', '2025-03-26']) {
  t.test(`${revision}: initialize names the server's extensions, and a handler sees the client's as sent`, async t => {
    const capabilities = { sampling: {}, extensions: sent, experimental: { 'x/y': { on: true } } }
    const client = await session(t, { tools: [echo], extensions }, { revision, capabilities })

    t.strictSame(client.opened.result.capabilities.extensions, extensions)
    t.match(JSON.parse(textOf(await client.callTool('echo'))!), capabilities)
  })
}

t.test('2026-07-28: server/discover names them', async t => {
  const app = await build(t, { tools: [echo], extensions })

  t.strictSame((await call(app, 'server/discover')).result.capabilities.extensions, extensions)
})

t.test('ids alone offer extensions without settings, beside that of tasks', async t => {
  const lasting = { ...echo, name: 'lasting', task: 'optional' as const }
  const app = await build(t, { tools: [lasting], extensions: ['com.example/a', 'com.example/b'] })

  const { capabilities } = (await call(app, 'server/discover')).result
  t.strictSame(capabilities.extensions, {
    'com.example/a': {},
    'com.example/b': {},
    'io.modelcontextprotocol/tasks': {},
  })
})

t.test('no call changes what the next one sees', async t => {
  const change = tool('change', ({ capabilities }) => {
    Reflect.set((capabilities.extensions as typeof sent)[UI].mimeTypes, 0, 'changed')
    Reflect.set(capabilities.sampling!, 'tools', {})
    return JSON.stringify(Reflect.set(capabilities, 'extensions', {}))
  })
  const client = await session(t, { tools: [echo, change] }, { capabilities: { sampling: {}, extensions: sent } })

  t.equal(textOf(await client.callTool('change')), 'false')
  t.strictSame(JSON.parse(textOf(await client.callTool('echo'))!), { sampling: {}, extensions: sent })
})

t.test('a sealed session keeps them in another process; too long ones are left out, the extensions last', async t => {
  const options = { tools: [echo], stateSecret: 's'.repeat(32) }
  const capabilities = { extensions: sent }
  const first = await session(t, options, { capabilities })
  const app = await build(t, options)
  const asked = (id: string) =>
    open(t, app).then(client => client.call('tools/call', { name: 'echo' }, { 'mcp-session-id': id }))

  t.strictSame(JSON.parse(textOf(await asked(first.id))!), capabilities)
  const long = await session(t, options, { capabilities: { extensions: { 'a/b': { text: 'x'.repeat(2000) } } } })
  t.ok(long.id.length <= 160)
  t.strictSame(JSON.parse(textOf(await asked(long.id))!), {})
  const experimental = { 'a/b': { text: 'x'.repeat(2000) } }
  const half = await session(t, options, { capabilities: { extensions: sent, experimental } })
  t.strictSame(JSON.parse(textOf(await asked(half.id))!), { extensions: sent })
})
