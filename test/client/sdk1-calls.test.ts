import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js'
import t from 'tap'
import { defineTool, image, resourceLink, ToolError, Type, text } from '../../src/index.ts'
import { serveSdk1, TRANSPORTS } from './connect-sdk1.ts'

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

const broken = defineTool({
  name: 'broken',
  handler() {
    throw new ToolError('Out of stock')
  },
})

for (const over of TRANSPORTS) {
  t.test(`SDK 1.x over ${over}`, async t => {
    t.test('the handshake says who the server is and what it can', async t => {
      const about = { name: 'shop', version: '2.0.0', title: 'Shop', instructions: 'Ask for prices.' }
      const { client } = await serveSdk1(t, { tools: [echo], ...about }, { over })

      t.strictSame(client.getServerVersion(), { name: 'shop', version: '2.0.0', title: 'Shop' })
      t.equal(client.getInstructions(), 'Ask for prices.')
      t.strictSame(client.getServerCapabilities(), { logging: {}, tools: { listChanged: true } })
    })

    t.test('ping is answered', async t => {
      const { client } = await serveSdk1(t, { tools: [echo] }, { over })

      t.strictSame(await client.ping(), {})
    })

    t.test('tools/list: what was defined', async t => {
      const { client } = await serveSdk1(t, { tools: [echo, add] }, { over })

      const { tools } = await client.listTools()

      t.match(tools, [
        { name: 'add', outputSchema: { type: 'object', properties: { sum: { type: 'number' } } } },
        {
          name: 'echo',
          title: 'Echo',
          description: 'Returns the message',
          inputSchema: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
          annotations: { readOnlyHint: true },
        },
      ])
    })

    t.test('tools/list: page by page', async t => {
      const tools = ['c', 'a', 'b'].map(name => defineTool({ name, handler: () => name }))
      const { client } = await serveSdk1(t, { tools, pageSize: 2 }, { over })

      const first = await client.listTools()
      const second = await client.listTools({ cursor: first.nextCursor! })

      t.match(first, { tools: [{ name: 'a' }, { name: 'b' }], nextCursor: String })
      t.match(second, { tools: [{ name: 'c' }], nextCursor: undefined })
    })

    t.test('tools/list: nothing of the newest revision is in it', async t => {
      const { client } = await serveSdk1(t, { tools: [echo] }, { over })

      const result = await client.request({ method: 'tools/list' }, ListToolsResultSchema.loose())

      t.strictSame(Object.keys(result), ['tools'])
    })

    t.test('tools/call: a text', async t => {
      const { client } = await serveSdk1(t, { tools: [echo] }, { over })

      const result = await client.callTool({ name: 'echo', arguments: { message: 'grüß dich 👋' } })

      t.strictSame(result, { content: [{ type: 'text', text: 'grüß dich 👋' }] })
    })

    t.test('tools/call: a structured result passes the check that the client makes of it', async t => {
      const { client } = await serveSdk1(t, { tools: [add] }, { over })
      await client.listTools()

      const result = await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })

      t.strictSame(result, { content: [{ type: 'text', text: '{"sum":5}' }], structuredContent: { sum: 5 } })
    })

    t.test('tools/call: a structure that is no object is its text', async t => {
      const list = defineTool({ name: 'list', outputSchema: Type.Array(Type.Number()), handler: () => [1, 2, 3] })
      const { client } = await serveSdk1(t, { tools: [list] }, { over })
      await client.listTools()

      t.strictSame(await client.callTool({ name: 'list' }), { content: [{ type: 'text', text: '[1,2,3]' }] })
    })

    t.test('tools/call: blocks', async t => {
      const handler = () => [
        text('one'),
        image(Buffer.from('png'), 'image/png'),
        resourceLink({ uri: 'docs://1', name: 'doc' }),
      ]
      const { client } = await serveSdk1(t, { tools: [defineTool({ name: 'blocks', handler })] }, { over })

      const { content } = await client.callTool({ name: 'blocks' })

      t.strictSame(content, [
        { type: 'text', text: 'one' },
        { type: 'image', data: 'cG5n', mimeType: 'image/png' },
        { type: 'resource_link', uri: 'docs://1', name: 'doc' },
      ])
    })

    t.test('tools/call: what a tool throws is a result', async t => {
      const { client } = await serveSdk1(t, { tools: [broken] }, { over })

      const result = await client.callTool({ name: 'broken' })

      t.strictSame(result, { content: [{ type: 'text', text: 'Out of stock' }], isError: true })
    })

    t.test('tools/call: wrong arguments are a result that names them', async t => {
      const { client } = await serveSdk1(t, { tools: [echo] }, { over })

      const result = await client.callTool({ name: 'echo', arguments: { message: 1 } })

      t.match(result, { isError: true, content: [{ type: 'text', text: /message.*string/ }] })
    })

    t.test('tools/call: an unknown tool is an error of the protocol', async t => {
      const { client } = await serveSdk1(t, { tools: [echo] }, { over })

      await t.rejects(client.callTool({ name: 'nope' }), { code: -32602, message: /Unknown tool: nope/ })
    })

    t.test('a method that nothing is registered for is unknown', async t => {
      const { client } = await serveSdk1(t, { tools: [echo] }, { over })

      await t.rejects(client.listPrompts(), { code: -32601, message: /Method not found: prompts\/list/ })
    })

    t.test('many calls at once get their own answers', async t => {
      const { client } = await serveSdk1(t, { tools: [echo] }, { over })
      const messages = Array.from({ length: 50 }, (_, index) => `message ${index}`)

      const results = await Promise.all(
        messages.map(message => client.callTool({ name: 'echo', arguments: { message } })),
      )

      t.match(
        results,
        messages.map(text => ({ content: [{ text }] })),
      )
    })
  })
}
