// The client speaks each older revision, once the server has settled on it: its own schemas take all of them.
import { ElicitRequestSchema, ListToolsResultSchema, ResultSchema } from '@modelcontextprotocol/sdk/types.js'
import t from 'tap'
import { defineTool, resourceLink, Type } from '../../../src/index.ts'
import { until } from '../../support/clients/connect.ts'
import { serveSdk1 } from '../../support/clients/connect-sdk1.ts'

const OLDER = ['2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const
const hasStructure = (version: string) => version >= '2025-06-18'

const add = defineTool({
  name: 'add',
  title: 'Add',
  inputSchema: Type.Object({ a: Type.Number(), b: Type.Number() }),
  outputSchema: Type.Object({ sum: Type.Number() }),
  annotations: { readOnlyHint: true },
  handler: ({ a, b }) => ({ sum: a + b }),
})

const greet = defineTool({
  name: 'greet',
  async handler(_args, ctx) {
    const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' } } }
    const { content } = await ctx.elicit('name', { message: 'Your name?', requestedSchema })
    return `Hello ${content?.['name']}`
  },
})

for (const version of OLDER) {
  t.test(`revision ${version}: the client speaks it from the handshake on`, async t => {
    const { client, http } = await serveSdk1(t, { tools: [add] }, { version })

    await client.ping()

    t.equal(http.of('ping')[0]?.headers.get('mcp-protocol-version'), version)
  })

  t.test(`revision ${version}: a tool is listed as it was then`, async t => {
    const { client } = await serveSdk1(t, { tools: [add] }, { version })

    const { tools } = await client.request({ method: 'tools/list' }, ListToolsResultSchema)

    t.equal(tools[0]?.title, hasStructure(version) ? 'Add' : undefined)
    t.equal(tools[0]?.outputSchema !== undefined, hasStructure(version))
    t.equal(tools[0]?.annotations !== undefined, version >= '2025-03-26')
  })

  t.test(`revision ${version}: progress comes over the stream of its call`, async t => {
    const steps: unknown[] = []
    const work = defineTool({
      name: 'work',
      async handler(_args, ctx) {
        ctx.progress(1, 2, 'half')
        await until(() => steps.length === 1, 'the progress')
        return ''
      },
    })
    const { client } = await serveSdk1(t, { tools: [work] }, { version })

    const call = { method: 'tools/call' as const, params: { name: 'work' } }
    await client.request(call, ResultSchema, { onprogress: step => steps.push(step) })

    t.strictSame(steps, [{ progress: 1, total: 2, ...(version >= '2025-03-26' && { message: 'half' }) }])
  })

  t.test(`revision ${version}: a client can be asked where the revision knows how`, async t => {
    const { client } = await serveSdk1(
      t,
      { tools: [greet] },
      {
        version,
        capabilities: { elicitation: {} },
        prepare: client =>
          client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } })),
      },
    )

    const call = client.callTool({ name: 'greet' })

    if (hasStructure(version)) t.match(await call, { content: [{ text: 'Hello Ada' }] })
    // In 2024-10-07 an error had another shape, which this client takes as it comes.
    else t.match(JSON.stringify(await call), /elicitation\.form/)
  })

  t.test(`revision ${version}: wrong arguments are an error of the protocol`, async t => {
    const { client } = await serveSdk1(t, { tools: [add] }, { version })

    await t.rejects(client.callTool({ name: 'add', arguments: { a: '1', b: 2 } }), { code: -32602, message: /\ba\b/ })
  })
}

for (const version of ['2025-06-18', '2025-03-26', '2024-11-05']) {
  t.test(`revision ${version}: a structured result, which the client checks where it can`, async t => {
    const { client } = await serveSdk1(t, { tools: [add] }, { version })
    await client.listTools()

    const result = await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })

    t.strictSame(result, {
      content: [{ type: 'text', text: '{"sum":5}' }],
      ...(hasStructure(version) && { structuredContent: { sum: 5 } }),
    })
  })

  t.test(`revision ${version}: a link is one, or says what it links to`, async t => {
    const link = defineTool({ name: 'link', handler: () => resourceLink({ uri: 'docs://1', name: 'doc' }) })
    const { client } = await serveSdk1(t, { tools: [link] }, { version })

    const { content } = await client.callTool({ name: 'link' })

    if (hasStructure(version)) t.match(content, [{ type: 'resource_link', uri: 'docs://1' }])
    else t.match(content, [{ type: 'text', text: /docs:\/\/1/ }])
  })
}

t.test('revision 2024-10-07: a result is one value', async t => {
  const { client } = await serveSdk1(t, { tools: [add] }, { version: '2024-10-07' })
  const call = { method: 'tools/call' as const, params: { name: 'add', arguments: { a: 2, b: 3 } } }

  const result = await client.request(call, ResultSchema)

  t.strictSame(result, { toolResult: { sum: 5 } })
})

t.test('HTTP+SSE: the client speaks 2024-11-05, the revision of that transport', async t => {
  const { client, http } = await serveSdk1(t, { tools: [add] }, { over: 'HTTP+SSE', version: '2024-11-05' })

  const result = await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })

  t.strictSame(result, { content: [{ type: 'text', text: '{"sum":5}' }] })
  t.equal(http.of('tools/call')[0]?.headers.get('mcp-protocol-version'), '2024-11-05')
})

t.test('a client that asks for a revision of the future gets the newest with a handshake', async t => {
  const { client, http } = await serveSdk1(t, { tools: [add] }, { version: '2099-01-01' })

  await client.ping()

  t.equal(http.of('ping')[0]?.headers.get('mcp-protocol-version'), '2025-11-25')
})
