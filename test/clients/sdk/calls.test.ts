// Tools, as every official client sees them.
import { ProtocolError } from '@modelcontextprotocol/client'
import t from 'tap'
import { defineTool, image, resourceLink, ToolError, Type, text } from '../../../src/index.ts'
import { EVERY_CLIENT, readPages } from '../../support/clients/every-client.ts'

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

const named = (...names: string[]) => names.map(name => defineTool({ name, handler: () => name }))

for (const { name, sdk, version, isModern, connect } of EVERY_CLIENT) {
  t.test(name, async t => {
    t.test('it speaks the newest revision that it can, and knows who the server is and what that can', async t => {
      const about = { name: 'shop', version: '2.0.0', title: 'Shop', instructions: 'Ask for prices.' }
      const { client, http } = await connect(t, { tools: [echo], ...about })

      t.strictSame(client.getServerVersion(), { name: 'shop', version: '2.0.0', title: 'Shop' })
      t.equal(client.getInstructions(), 'Ask for prices.')
      t.strictSame(client.getServerCapabilities(), { logging: {}, tools: { listChanged: true } })
      t.equal(http.of('initialize').length, isModern ? 0 : 1)
      t.equal(http.of('server/discover').length, isModern ? 1 : 0)
      await client.listTools()
      t.equal(http.of('tools/list')[0]?.headers.get('mcp-protocol-version'), version)
    })

    if (!isModern)
      t.test('ping is answered', async t => {
        const { request } = await connect(t, { tools: [echo] })

        t.strictSame(await request('ping'), {})
      })

    t.test('tools/list: what was defined, and nothing of what only the server needs', async t => {
      const own = { scopes: [], timeout: 1000, rateLimit: { max: 60, timeWindow: '1 minute' } }
      const { client } = await connect(t, { tools: [defineTool({ ...echo, ...own }), add] })

      const { tools } = await client.listTools()

      t.match(tools[0], { name: 'add', outputSchema: { type: 'object', properties: { sum: { type: 'number' } } } })
      t.strictSame(tools[1], {
        name: 'echo',
        title: 'Echo',
        description: 'Returns the message',
        inputSchema: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
        annotations: { readOnlyHint: true },
      })
    })

    t.test('tools/list: all pages, in order of the names', async t => {
      const { client, http } = await connect(t, { tools: named('e', 'b', 'd', 'a', 'c'), pageSize: 2 })

      const pages = await readPages(params => client.listTools(params))

      t.strictSame(
        pages.flatMap(({ tools }) => tools.map(({ name }) => name)),
        ['a', 'b', 'c', 'd', 'e'],
      )
      t.equal(http.of('tools/list').length, 3)
    })

    t.test('tools/list: page by page', async t => {
      const { client, request } = await connect(t, { tools: named('c', 'a', 'b'), pageSize: 2 })

      const first = await request('tools/list')
      const second = await client.listTools({ cursor: first.nextCursor })

      t.match(first, { tools: [{ name: 'a' }, { name: 'b' }], nextCursor: String })
      t.match(second, { tools: [{ name: 'c' }], nextCursor: undefined })
    })

    t.test('tools/list: a cursor that this server did not make is an error', async t => {
      const { client } = await connect(t, { tools: [echo] })

      await t.rejects(client.listTools({ cursor: 'bm9uZQ==' }), { code: -32602 })
    })

    if (!isModern)
      t.test('tools/list: an older revision gets nothing of the newest', async t => {
        const { request } = await connect(t, { tools: [echo] })

        t.strictSame(Object.keys(await request('tools/list')), ['tools'])
      })

    t.test('tools/call: a text', async t => {
      const { client, http } = await connect(t, { tools: [echo] })

      const result = await client.callTool({ name: 'echo', arguments: { message: 'grüß dich 👋' } })

      t.strictSame(result.content, [{ type: 'text', text: 'grüß dich 👋' }])
      if (sdk === 1) t.strictSame(Object.keys(result), ['content'])
      if (isModern) t.match(http.of('tools/call'), [{ status: 200, contentType: /^application\/json/ }])
    })

    t.test('tools/call: blocks', async t => {
      const handler = () => [
        text('one'),
        image(Buffer.from('png'), 'image/png'),
        resourceLink({ uri: 'docs://1', name: 'doc' }),
      ]
      const { client } = await connect(t, { tools: [defineTool({ name: 'blocks', handler })] })

      const { content } = await client.callTool({ name: 'blocks' })

      t.strictSame(content, [
        { type: 'text', text: 'one' },
        { type: 'image', data: 'cG5n', mimeType: 'image/png' },
        { type: 'resource_link', uri: 'docs://1', name: 'doc' },
      ])
    })

    t.test('tools/call: a structured result passes the check that the client makes of it', async t => {
      const { client } = await connect(t, { tools: [add] })
      await client.listTools()

      const result = await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })

      t.strictSame(result.structuredContent, { sum: 5 })
      t.strictSame(result.content, [{ type: 'text', text: '{"sum":5}' }])
    })

    t.test('tools/call: a structure that is no object is its text, and itself in the newest revision', async t => {
      const list = defineTool({ name: 'list', outputSchema: Type.Array(Type.Number()), handler: () => [1, 2, 3] })
      const { client } = await connect(t, { tools: [list] })
      await client.listTools()

      const result = await client.callTool({ name: 'list' })

      t.strictSame(result.structuredContent, isModern ? [1, 2, 3] : undefined)
      t.strictSame(result.content, [{ type: 'text', text: '[1,2,3]' }])
    })

    t.test('tools/call: what a tool throws is a result', async t => {
      const { client } = await connect(t, { tools: [broken] })

      const result = await client.callTool({ name: 'broken' })

      t.equal(result.isError, true)
      t.strictSame(result.content, [{ type: 'text', text: 'Out of stock' }])
    })

    t.test('tools/call: wrong arguments are a result that names them', async t => {
      const { client } = await connect(t, { tools: [echo] })

      for (const wrong of [{ message: 1 }, {}]) {
        const result = await client.callTool({ name: 'echo', arguments: wrong })
        t.match(result, { isError: true, content: [{ type: 'text', text: /message/ }] })
      }
      const { content } = await client.callTool({ name: 'echo', arguments: { message: 1 } })
      t.match(content, [{ text: /message.*string/ }])
    })

    t.test('tools/call: an unknown tool is an error of the protocol', async t => {
      const { client } = await connect(t, { tools: [echo] })

      const failure = client.callTool({ name: 'nope' })

      await t.rejects(failure, { code: -32602, message: /Unknown tool: nope/ })
      if (sdk === 2) await t.rejects(failure, ProtocolError)
    })

    t.test('a method that nothing is registered for is unknown', async t => {
      const { faults, http, request } = await connect(t, { tools: [echo] })

      const failure = await request('prompts/list').catch((error: unknown) => error)

      // The status is what the specification asks for; client 2.x reads error bodies at 400 only.
      if (isModern) {
        t.match(failure, { data: { status: 404 } })
        t.match(http.of('prompts/list'), [{ status: 404 }])
        t.equal(faults.splice(0).length, 1)
      } else t.match(failure, { code: -32601, message: /Method not found: prompts\/list/ })
    })

    t.test('many calls at once get their own answers', async t => {
      const { client } = await connect(t, { tools: [echo] })
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
