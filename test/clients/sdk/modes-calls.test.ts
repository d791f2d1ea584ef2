import t from 'tap'
import { definePrompt, defineResource, defineTool, ToolError, Type } from '../../../src/index.ts'
import { connectMode, MODES } from '../../support/clients/connect-mode.ts'

const echo = defineTool({
  name: 'echo',
  inputSchema: Type.Object({ message: Type.String() }),
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
const note = defineResource({ uri: 'notes://1', name: 'note', handler: () => 'Buy milk' })
const hello = definePrompt({
  name: 'hello',
  arguments: [{ name: 'who', complete: value => [`${value}da`] }],
  handler: ({ who }) => `Hello ${who}`,
})

for (const { name, mode, version } of MODES) {
  t.test(`client 2.x, ${name}`, async t => {
    t.test('it speaks the newest revision that the mode allows', async t => {
      const { client, http } = await connectMode(t, { tools: [echo] }, { mode })

      t.equal(client.getNegotiatedProtocolVersion(), version)
      t.equal(client.getProtocolEra(), mode === 'legacy' ? 'legacy' : 'modern')
      t.equal(http.of('initialize').length, mode === 'legacy' ? 1 : 0)
      t.equal(http.of('server/discover').length, mode === 'legacy' ? 0 : 1)
    })

    t.test('it knows who the server is and what it can', async t => {
      const about = { name: 'shop', version: '2.0.0', title: 'Shop', instructions: 'Ask for prices.' }
      const { client } = await connectMode(t, { tools: [echo], ...about }, { mode })

      t.strictSame(client.getServerVersion(), { name: 'shop', version: '2.0.0', title: 'Shop' })
      t.equal(client.getInstructions(), 'Ask for prices.')
      t.strictSame(client.getServerCapabilities(), { logging: {}, tools: { listChanged: true } })
    })

    t.test('tools are listed over all pages', async t => {
      const tools = ['c', 'a', 'b'].map(name => defineTool({ name, handler: () => name }))
      const { client, http } = await connectMode(t, { tools, pageSize: 2 }, { mode })

      const listed = await client.listTools()

      t.equal(listed.tools.map(({ name }) => name).join(), 'a,b,c')
      t.equal(http.of('tools/list').length, 2)
    })

    t.test('tools/call: a text', async t => {
      const { client } = await connectMode(t, { tools: [echo] }, { mode })

      const result = await client.callTool({ name: 'echo', arguments: { message: 'grüß dich 👋' } })

      t.match(result.content, [{ type: 'text', text: 'grüß dich 👋' }])
    })

    t.test('tools/call: a structured result passes the check that the client makes of it', async t => {
      const { client } = await connectMode(t, { tools: [add] }, { mode })
      await client.listTools()

      const result = await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })

      t.strictSame(result.structuredContent, { sum: 5 })
      t.strictSame(result.content, [{ type: 'text', text: '{"sum":5}' }])
    })

    t.test('tools/call: what a tool throws, and wrong arguments, are results', async t => {
      const { client } = await connectMode(t, { tools: [broken, echo] }, { mode })

      t.match(await client.callTool({ name: 'broken' }), { isError: true, content: [{ text: 'Out of stock' }] })
      t.match(await client.callTool({ name: 'echo', arguments: {} }), { isError: true, content: [{ text: /message/ }] })
    })

    t.test('tools/call: an unknown tool is an error of the protocol', async t => {
      const { client } = await connectMode(t, { tools: [echo] }, { mode })

      await t.rejects(client.callTool({ name: 'nope' }), { code: -32602, message: /Unknown tool: nope/ })
    })

    t.test('resources and prompts', async t => {
      const { client } = await connectMode(t, { resources: [note], prompts: [hello] }, { mode })

      const { resources } = await client.listResources()
      const { contents } = await client.readResource({ uri: 'notes://1' })
      const { prompts } = await client.listPrompts()
      const { messages } = await client.getPrompt({ name: 'hello', arguments: { who: 'Ada' } })
      const { completion } = await client.complete({
        ref: { type: 'ref/prompt', name: 'hello' },
        argument: { name: 'who', value: 'A' },
      })

      t.match(resources, [{ uri: 'notes://1', name: 'note' }])
      t.match(contents, [{ uri: 'notes://1', text: 'Buy milk' }])
      t.match(prompts, [{ name: 'hello', arguments: [{ name: 'who' }] }])
      t.match(messages, [{ role: 'user', content: { type: 'text', text: 'Hello Ada' } }])
      t.strictSame(completion.values, ['Ada'])
    })

    t.test('a resource that nothing serves is an error that repeats its URI', async t => {
      const { client } = await connectMode(t, { resources: [note] }, { mode })

      // The client gives older codes the newer number.
      await t.rejects(client.readResource({ uri: 'notes://2' }), { code: -32602, data: { uri: 'notes://2' } })
    })
  })
}

for (const version of ['2025-06-18', '2025-03-26', '2024-11-05']) {
  t.test(`client 2.x that knows ${version} only`, async t => {
    const { client } = await connectMode(t, { tools: [add] }, { mode: 'legacy', supportedProtocolVersions: [version] })
    await client.listTools()

    const result = await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })

    t.equal(client.getNegotiatedProtocolVersion(), version)
    t.match(result.content, [{ type: 'text', text: '{"sum":5}' }])
    t.strictSame(result.structuredContent, version === '2025-06-18' ? { sum: 5 } : undefined)
  })
}
