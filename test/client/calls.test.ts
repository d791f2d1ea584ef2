import { ProtocolError } from '@modelcontextprotocol/client'
import t from 'tap'
import { defineTool, image, ToolError, Type, text } from '../../src/index.ts'
import { connect } from './connect.ts'

const echo = defineTool({
  name: 'echo',
  title: 'Echo',
  description: 'Returns the message',
  inputSchema: Type.Object({ message: Type.String() }),
  annotations: { readOnlyHint: true },
  handler: ({ message }) => message,
})

const add = defineTool({
  name: 'add',
  inputSchema: Type.Object({ a: Type.Number(), b: Type.Number() }),
  outputSchema: Type.Object({ sum: Type.Number() }),
  handler: ({ a, b }) => ({ sum: a + b }),
})

t.test('the client discovers who the server is and what it can', async t => {
  const { client } = await connect(t, {
    tools: [echo],
    name: 'shop',
    version: '2.0.0',
    title: 'Shop',
    instructions: 'Ask for prices.',
  })

  t.equal(client.getNegotiatedProtocolVersion(), '2026-07-28')
  t.equal(client.getProtocolEra(), 'modern')
  t.strictSame(client.getServerVersion(), { name: 'shop', version: '2.0.0', title: 'Shop' })
  t.equal(client.getInstructions(), 'Ask for prices.')
  t.strictSame(client.getServerCapabilities(), { logging: {}, tools: { listChanged: true } })
})

t.test('a client that tries the newest revision first stays with it', async t => {
  const { client } = await connect(t, { tools: [echo] }, { versionNegotiation: { mode: 'auto' } })

  t.equal(client.getNegotiatedProtocolVersion(), '2026-07-28')
})

t.test('tools/list: what was defined, and nothing of what only the server needs', async t => {
  const { client } = await connect(t, {
    tools: [defineTool({ ...echo, scopes: [], timeout: 1000, rateLimit: { max: 60, timeWindow: '1 minute' } })],
  })

  const { tools } = await client.listTools()

  t.strictSame(tools, [
    {
      name: 'echo',
      title: 'Echo',
      description: 'Returns the message',
      inputSchema: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
      annotations: { readOnlyHint: true },
    },
  ])
})

t.test('tools/call: a text', async t => {
  const { client, lastSent } = await connect(t, { tools: [echo] })

  const result = await client.callTool({ name: 'echo', arguments: { message: 'grüß dich 👋' } })

  t.match(result, { content: [{ type: 'text', text: 'grüß dich 👋' }] })
  t.match(lastSent('tools/call'), { status: 200, contentType: /^application\/json/ })
})

t.test('tools/call: blocks', async t => {
  const blocks = defineTool({ name: 'blocks', handler: () => [text('one'), image(Buffer.from('png'), 'image/png')] })
  const { client } = await connect(t, { tools: [blocks] })

  const { content } = await client.callTool({ name: 'blocks' })

  t.strictSame(content, [
    { type: 'text', text: 'one' },
    { type: 'image', data: 'cG5n', mimeType: 'image/png' },
  ])
})

t.test('tools/call: a structured result passes the check that the client makes of it', async t => {
  const { client } = await connect(t, { tools: [add] })
  await client.listTools()

  const result = await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })

  t.strictSame(result.structuredContent, { sum: 5 })
  t.strictSame(result.content, [{ type: 'text', text: '{"sum":5}' }])
})

t.test('tools/call: structured results need not be objects', async t => {
  const list = defineTool({ name: 'list', outputSchema: Type.Array(Type.Number()), handler: () => [1, 2, 3] })
  const { client } = await connect(t, { tools: [list] })
  await client.listTools()

  const result = await client.callTool({ name: 'list' })

  t.strictSame(result.structuredContent, [1, 2, 3])
})

t.test('tools/call: an unknown tool is an error of the protocol', async t => {
  const { client } = await connect(t, { tools: [echo] })

  const failure = client.callTool({ name: 'nope' })

  await t.rejects(failure, { code: -32602, message: /Unknown tool: nope/ })
  await t.rejects(failure, ProtocolError)
})

t.test('tools/call: what a tool throws is a result', async t => {
  const broken = defineTool({
    name: 'broken',
    handler() {
      throw new ToolError('Out of stock')
    },
  })
  const { client } = await connect(t, { tools: [broken] })

  const result = await client.callTool({ name: 'broken' })

  t.match(result, { isError: true, content: [{ type: 'text', text: 'Out of stock' }] })
})

t.test('tools/call: wrong arguments are a result that names them', async t => {
  const { client } = await connect(t, { tools: [echo] })

  const result = await client.callTool({ name: 'echo', arguments: { message: 1 } })

  t.equal(result.isError, true)
  t.match(result.content[0], { type: 'text', text: /message.*string/ })
})

t.test('tools/list: the client walks over all pages, in order of the names', async t => {
  const tools = ['e', 'b', 'd', 'a', 'c'].map(name => defineTool({ name, handler: () => name }))
  const { client, sent } = await connect(t, { tools, pageSize: 2 })

  const listed = await client.listTools()

  t.strictSame(
    listed.tools.map(({ name }) => name),
    ['a', 'b', 'c', 'd', 'e'],
  )
  t.equal(sent.filter(({ method }) => method === 'tools/list').length, 3)
})

t.test('tools/list: page by page', async t => {
  const tools = ['a', 'b', 'c'].map(name => defineTool({ name, handler: () => name }))
  const { client } = await connect(t, { tools, pageSize: 2 })

  const first = await client.request({ method: 'tools/list' })
  const second = await client.listTools({ cursor: first.nextCursor! })

  t.match(first, { tools: [{ name: 'a' }, { name: 'b' }], nextCursor: String })
  t.match(second, { tools: [{ name: 'c' }], nextCursor: undefined })
})

t.test('tools/list: a cursor that this server did not make is an error', async t => {
  const { client } = await connect(t, { tools: [echo] })

  await t.rejects(client.listTools({ cursor: 'bm9uZQ==' }), { code: -32602 })
})

// The status is what the specification asks for; this client reads error bodies at 400 only.
t.test('a method that nothing is registered for is unknown', async t => {
  const { client, faults, lastSent } = await connect(t, { tools: [echo] })

  const failure = await client.request({ method: 'prompts/list' }).catch(error => error)

  t.match(failure, { data: { status: 404 } })
  t.match(lastSent('prompts/list').messages, [{ error: { code: -32601, message: 'Method not found: prompts/list' } }])
  t.equal(faults.splice(0).length, 1)
})
