// What a span is called, and what it says, whatever is asked for: nothing that clients make up becomes a name.
import t from 'tap'
import { definePrompt, defineResource, defineTool } from '../../../../src/index.ts'
import { build, call } from '../../../../test/support/app.ts'
import { open } from '../../../../test/support/client/app-client.ts'
import { until } from '../../../../test/support/eventually.ts'
import { form } from '../../../../test/support/input/rounds.ts'
import { newRequest, newSpans, startSdk } from '../../../../test/support/tracing.ts'

startSdk(t)

const waiting = { calls: 0 }
const tools = [
  defineTool({ name: 'fine', handler: () => 'fine' }),
  defineTool({ name: 'strict', inputSchema: { type: 'object', required: ['a'] }, handler: () => 'fine' }),
  defineTool({ name: 'stuck', timeout: 20, handler: () => new Promise(() => {}) }),
  defineTool({
    name: 'waits',
    handler: () => {
      waiting.calls++
      return new Promise(() => {})
    },
  }),
  defineTool({ name: 'asks', handler: async (_args, ctx) => (await ctx.elicit('name', form('name'))).action }),
]
const prompts = [
  definePrompt({ name: 'greet', handler: () => 'hello' }),
  definePrompt({ name: 'asks', handler: async (_args, ctx) => `${(await ctx.listRoots('roots')).roots.length}` }),
]
const resources = [
  defineResource({ name: 'note', uri: 'note://one', handler: () => 'text' }),
  defineResource({
    name: 'broken',
    uri: 'note://broken',
    handler: () => {
      throw new Error('no')
    },
  }),
]

const app = await build(t, { tools, prompts, resources })
const ask = (method: string, params: Record<string, unknown> = {}, options: object = {}) =>
  call(app, method, params, options)

t.beforeEach(() => void newSpans())

t.test('tracing: a prompt is named', async t => {
  await ask('prompts/get', { name: 'greet' })

  const { name, attributes, status } = newRequest()
  t.equal(name, 'prompts/get greet')
  t.match(attributes, { 'mcp.method.name': 'prompts/get', 'gen_ai.prompt.name': 'greet' })
  t.notOk('gen_ai.operation.name' in attributes || 'gen_ai.tool.name' in attributes)
  t.equal(status.code, 0)
})

t.test('tracing: a resource is an attribute, and no name', async t => {
  await ask('resources/read', { uri: 'note://one' })

  const { name, attributes } = newRequest()
  t.equal(name, 'resources/read')
  t.equal(attributes['mcp.resource.uri'], 'note://one')
})

t.test('tracing: an URI is cut', async t => {
  await ask('resources/read', { uri: `note://${'x'.repeat(5000)}` })

  t.equal(String(newRequest().attributes['mcp.resource.uri']).length, 500)
})

t.test('tracing: credentials in an URI are in no span', async t => {
  await ask('resources/read', { uri: 'postgres://alice:hunter22@db.example/orders' })

  const { attributes, status } = newRequest()
  t.equal(attributes['mcp.resource.uri'], 'postgres://[credentials]@db.example/orders')
  t.notMatch(JSON.stringify([attributes, status]), /hunter22/)
})

t.test('tracing: an unknown tool is told by its code, and names no span', async t => {
  await ask('tools/call', { name: 'invented', arguments: {} })

  const { name, attributes } = newRequest()
  t.equal(name, 'tools/call')
  t.equal(attributes['rpc.response.status_code'], '-32602')
  t.notOk('gen_ai.tool.name' in attributes)
})

const FAULTS_OF_CALLER: [string, Record<string, unknown>, string][] = [
  ['tools/call', { name: 'invented', arguments: {} }, '-32602'],
  ['tools/list', { cursor: 7 }, '-32602'],
  ['resources/read', { uri: 'note://none' }, '-32602'],
  ['invented/method', {}, '-32601'],
]

for (const [method, params, code] of FAULTS_OF_CALLER) {
  t.test(`tracing: what its caller did wrong is no error of the server: ${method}, ${code}`, async t => {
    await ask(method, params)

    const { attributes, status } = newRequest()
    t.equal(attributes['rpc.response.status_code'], code)
    t.notOk('error.type' in attributes)
    t.strictSame(status, { code: 0 })
  })
}

t.test('tracing: the code is that of the answer, also where a revision has another', async t => {
  const session = await open(t, app, { capabilities: {} })
  newSpans()

  const { error: notFound } = await session.call('resources/read', { uri: 'note://none' })
  const found = newRequest().attributes['rpc.response.status_code']
  const { error: notCapable } = await session.call('prompts/get', { name: 'asks' })
  const { attributes, status } = newRequest()

  t.equal(notFound.code, -32002)
  t.equal(found, '-32002')
  t.equal(notCapable.code, -32600)
  t.equal(attributes['rpc.response.status_code'], '-32600')
  t.equal(status.code, 0)
})

t.test('tracing: any other refusal is an error, and says what its client reads', async t => {
  const { error } = await ask('tools/call', { name: 'asks', arguments: {} })

  const { attributes, status } = newRequest()
  t.match(attributes, { 'error.type': '-32021', 'rpc.response.status_code': '-32021' })
  t.strictSame(status, { code: 2, message: error.message })
})

t.test('tracing: a call that its client cancels is no error of its tool', async t => {
  const session = await open(t, app)
  newSpans()
  const answered = session.send(session.request('tools/call', { name: 'waits' }, 'x'))
  await until(() => waiting.calls > 0, 'it runs')

  await session.notify('notifications/cancelled', { requestId: 'x' })
  await answered

  const { attributes, status } = newRequest()
  t.equal(attributes['error.type'], 'cancelled')
  t.notOk('toolrack.outcome' in attributes || 'rpc.response.status_code' in attributes)
  t.equal(status.code, 2)
})

t.test('tracing: invented methods, tools and prompts make no name and no attribute of few values', async t => {
  for (let index = 0; index < 50; index++) {
    await ask(`invented/${index}`).catch(() => {})
    await ask('tools/call', { name: `invented ${index}`, arguments: {} })
    await ask('prompts/get', { name: `invented ${index}` })
  }

  const spans = newSpans().filter(({ attributes }) => 'mcp.method.name' in attributes)
  t.equal(spans.length, 150)
  t.strictSame([...new Set(spans.map(({ name }) => name))].sort(), ['_OTHER', 'prompts/get', 'tools/call'])
  const few = spans.map(({ attributes: { 'jsonrpc.request.id': _, ...rest } }) => JSON.stringify(rest))
  t.equal(new Set(few).size, 3)
})

const ENDINGS: [string, Record<string, unknown>, object][] = [
  [
    'invalid arguments',
    { name: 'strict', arguments: {} },
    { 'error.type': 'tool_error', 'toolrack.outcome': 'invalid_arguments' },
  ],
  ['a deadline', { name: 'stuck', arguments: {} }, { 'error.type': 'tool_error', 'toolrack.outcome': 'timed_out' }],
]

for (const [what, params, expected] of ENDINGS) {
  t.test(`tracing: ${what} is an error of its span`, async t => {
    await ask('tools/call', params)

    const { name, attributes, status } = newRequest()
    t.equal(name, `tools/call ${params['name']}`)
    t.match(attributes, expected)
    t.equal(status.code, 2)
  })
}

t.test('tracing: a handler of a resource that fails is an error of the protocol', async t => {
  await ask('resources/read', { uri: 'note://broken' })

  t.match(newRequest().attributes, { 'error.type': '-32603', 'rpc.response.status_code': '-32603' })
})

t.test('tracing: requests of a session name it, and the revision of their client', async t => {
  const session = await open(t, app)
  const opened = newSpans().find(({ name }) => name === 'initialize')

  await session.callTool('fine')

  const { name, attributes } = newRequest()
  t.equal(name, 'tools/call fine')
  t.match(attributes, { 'mcp.protocol.version': '2025-11-25', 'mcp.session.id': session.id })
  t.match(opened?.attributes, { 'mcp.method.name': 'initialize', 'mcp.protocol.version': '2025-11-25' })
})

t.test('tracing: each request of a batch has a span', async t => {
  const session = await open(t, app, { revision: '2025-03-26' })
  newSpans()

  await session.send([session.request('tools/list'), session.request('ping')])

  t.strictSame(
    newSpans().map(({ name }) => name),
    ['tools/list', 'ping'],
  )
})
