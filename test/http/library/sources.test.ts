// Sources as an option of a server: order, readiness, reload and shutdown.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import t, { type Test } from 'tap'
import {
  type DefinitionSource,
  folder,
  pin,
  prefix,
  type SourceTarget,
  type Transform,
  transform,
} from '../../../packages/toolrack/source.ts'
import { createServer, defineTool } from '../../../src/index.ts'
import { build, call, callTool, listening } from '../../support/app.ts'
import { named } from '../../support/composed-sources.ts'
import { eventually } from '../../support/eventually.ts'
import { mcpTools } from '../../support/examples/source/mcp.ts'
import { source, tempFolder } from '../../support/tools-folder.ts'

const listNames = async (app: Parameters<typeof call>[0]): Promise<string[]> =>
  (await call(app, 'tools/list')).result.tools.map(({ name }: { name: string }) => name)

/** A source that puts a first set, and others later. */
function createSource(...first: readonly string[]) {
  const state = {
    target: undefined as SourceTarget | undefined,
    reloads: 0,
    isClosed: false,
    isReady: true,
    problems: [] as string[],
  }
  const source: DefinitionSource = {
    name: 'crm',
    async start(target) {
      state.target = target
      target.put(first.map(name => named(name, 'of the source')))
    },
    async reload() {
      state.reloads++
    },
    status: () => ({ isReady: state.isReady, problems: state.problems }),
    async close() {
      state.isClosed = true
    },
  }
  return Object.assign(state, { source })
}

t.test('tools of the program hide those of a source until they are removed', async t => {
  const crm = createSource('a', 'b')
  const app = await build(t, { tools: [named('a', 'of the program')], sources: [crm.source] })
  t.match(await callTool(app, 'a'), { content: [{ text: 'of the program' }] })
  t.match(await callTool(app, 'b'), { content: [{ text: 'of the source' }] })
  t.equal(app.toolrack.remove('a'), true)
  t.match(await callTool(app, 'a'), { content: [{ text: 'of the source' }] })
  app.toolrack.add(named('a', 'of the program again'))
  t.match(await callTool(app, 'a'), { content: [{ text: 'of the program again' }] })
  t.equal(app.toolrack.remove('b'), true)
  t.strictSame(await listNames(app), ['a'], 'a tool of a source goes, too')
  crm.target!.put([named('b', 'another')])
  t.strictSame(await listNames(app), ['a', 'b'], 'until its source changes it')
})

t.test('a source may be a problem and keep the server from being ready', async t => {
  const crm = createSource('a')
  const app = await build(t, { sources: [crm.source] })
  const ready = async () => {
    const { statusCode, payload } = await app.inject('/ready')
    return [statusCode, JSON.parse(payload)]
  }
  t.strictSame(await ready(), [200, { status: 'ready' }])
  crm.problems = ['crm: the token expires soon']
  t.strictSame(await ready(), [200, { status: 'ready', degraded: crm.problems }])
  crm.isReady = false
  t.strictSame((await ready())[0], 503)
})

t.test('a server starts without a source that fails', async t => {
  const failing: DefinitionSource = { name: 'crm', start: () => Promise.reject(new Error('no connection')) }
  const app = await build(t, { tools: [named('a')], sources: [failing] })
  t.strictSame(await listNames(app), ['a'])
  t.strictSame((await app.inject('/ready')).json().degraded, ['crm: start: no connection'])
  t.match(
    app.logs.lines.find(({ source }) => source === 'crm'),
    { level: 50, reason: 'no connection', msg: 'source failed to start' },
  )
})

t.test('sources reload with the server, and close with it', async t => {
  const crm = createSource('a')
  const app = await build(t, { sources: [crm.source] })
  await app.toolrack.reload()
  t.equal(crm.reloads, 1)
  await app.close()
  t.strictSame([crm.isClosed, crm.target!.signal.aborted], [true, true])
})

t.test('what is no source stops the start', async t => {
  await t.rejects(createServer({ sources: {} as never }), { message: 'sources: expected an array of sources' })
  const expected = { message: 'sources[1]: expected a source, with a name and start' }
  await t.rejects(createServer({ sources: [createSource().source, { name: 'crm' } as never] }), expected)
})

t.test('pinned tools stand first on every page', async t => {
  const app = await build(t, { pageSize: 2, sources: [pin(['c'], createSource('a', 'b', 'c').source)] })
  const { result } = await call(app, 'tools/list')
  t.strictSame(
    result.tools.map(({ name }: { name: string }) => name),
    ['c', 'a'],
  )
})

t.test('a tool file may import toolrack/source', async t => {
  const text = `import { prefix } from 'toolrack/source'\n${source('a')}\nexport const name = prefix.name`
  const app = await build(t, { toolsDir: tempFolder(t, { 'a.mjs': text }).path, watchTools: false })
  t.strictSame(await listNames(app), ['a'])
})

async function connect(t: Test, url: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  t.teardown(() => client.close())
  return client
}

t.test('the tools of another MCP server are called through, and follow it', async t => {
  const inputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const
  const double = defineTool({
    name: 'double',
    description: 'Doubles.',
    inputSchema,
    handler: ({ n }) => `${Number(n) * 2}`,
  })
  const upstream = await listening(t, { tools: [double], pageSize: 2 })
  const bridge = await listening(t, { sources: [prefix('up_', mcpTools(upstream.url))] })
  const client = await connect(t, bridge.url)
  const { tools } = await client.listTools()
  t.match(tools, [{ name: 'up_double', description: 'Doubles.', inputSchema }])
  t.match(await client.callTool({ name: 'up_double', arguments: { n: 21 } }), { content: [{ text: '42' }] })
  let changes = 0
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++)
  upstream.app.toolrack.add([named('one'), named('two')])
  await eventually(() => changes > 0, 'the client of the bridge is notified')
  const after = await client.listTools()
  t.strictSame(
    after.tools.map(({ name }) => name),
    ['up_double', 'up_one', 'up_two'],
  )
  t.equal(changes, 1)
})

t.test('a folder has a place among the sources, and transforms', async t => {
  const tools = tempFolder(t, { 'a.mjs': source('a'), 'b.mjs': source('b') })
  const app = await build(t, {
    watchTools: false,
    sources: [prefix('own_', folder(tools.path)), createSource('b').source],
  })
  t.strictSame(await listNames(app), ['b', 'own_a', 'own_b'])
  t.match(await callTool(app, 'own_a'), { content: [{ text: 'a' }] })
  tools.write({ 'c.mjs': source('c') })
  await app.toolrack.reload()
  t.strictSame(await listNames(app), ['b', 'own_a', 'own_b', 'own_c'])
})

t.test('a folder that stands twice is told, and one of a closed server can be used again', async t => {
  const tools = folder(tempFolder(t, { 'a.mjs': source('a') }).path)
  const options = { watchTools: false, sources: [prefix('x_', tools), prefix('y_', tools)] }
  const app = await build(t, options)
  t.strictSame(await listNames(app), ['x_a'])
  t.match((await app.inject('/ready')).json().degraded, [
    /start: the same source stands twice; call folder\(\) for each$/,
  ])
  await app.close()
  t.strictSame(await listNames(await build(t, { ...options, sources: [tools] })), ['a'])
})

t.test('transforms of a program copy what files define: the log and isolation know the copies', async t => {
  const tools = tempFolder(t, {
    'a.mjs': `export default { name: 'a', description: 'A.', isolate: true, handler: () => 'apart' }`,
  })
  const rewrite: Transform = set => set.flatMap(each => [each, { ...each, name: `${each.name}2` }])
  const app = await build(t, {
    watchTools: false,
    tools: [named('a', 'of the program')],
    sources: [transform(folder(tools.path), rewrite)],
  })
  t.strictSame(await listNames(app), ['a', 'a2'])
  t.match(await callTool(app, 'a2'), { content: [{ text: 'apart' }] })
  tools.write({ 'b.mjs': source('b') })
  await app.toolrack.reload()
  t.strictSame(await listNames(app), ['a', 'a2', 'b', 'b2'])
  t.match(
    app.logs.lines.find(({ msg }) => msg?.startsWith('tools folder reloaded')),
    { added: 'b' },
  )
})
