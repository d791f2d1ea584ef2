// The page "Tools" of the concepts beside 2025-03-26: its examples, with a client of that revision.
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { connected } from '../../support/client/app-client.ts'
import { assertSecurity, clientOf, failing, returning } from './examples.ts'

const REVISION = '2025-03-26'
const open = clientOf(REVISION)

const strings = { type: 'array', items: { type: 'string' } }
const PATTERNS = [
  {
    name: 'analyze_csv',
    description: 'Analyze a CSV file',
    inputSchema: {
      type: 'object',
      properties: {
        filepath: { type: 'string' },
        operations: { type: 'array', items: { enum: ['sum', 'average', 'count'] } },
      },
    },
  },
  {
    name: 'execute_command',
    description: 'Run a shell command',
    inputSchema: { type: 'object', properties: { command: { type: 'string' }, args: strings } },
  },
  {
    name: 'github_create_issue',
    description: 'Create a GitHub issue',
    inputSchema: {
      type: 'object',
      properties: { title: { type: 'string' }, body: { type: 'string' }, labels: strings },
    },
  },
]
const ANNOTATED = [
  {
    name: 'create_record',
    description: 'Create a new record in the database',
    inputSchema: {
      type: 'object',
      properties: { table: { type: 'string' }, data: { type: 'object' } },
      required: ['table', 'data'],
    },
    annotations: {
      title: 'Create Database Record',
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false,
    },
  },
  {
    name: 'delete_file',
    description: 'Delete a file from the filesystem',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    annotations: {
      title: 'Delete File',
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    },
  },
  {
    name: 'web_search',
    description: 'Search the web for information',
    inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    annotations: { title: 'Web Search', readOnlyHint: true, openWorldHint: true },
  },
]
const CALCULATE_SUM = {
  name: 'calculate_sum',
  description: 'Add two numbers together',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
}
const calculateSum = defineTool({ ...CALCULATE_SUM, handler: ({ a, b }) => String(Number(a) + Number(b)) })

t.test('concepts, Implementing tools: the basic tool is listed and called', async t => {
  const client = await open(t, { tools: [calculateSum] })

  t.ok(client.opened.result.capabilities.tools)
  t.strictSame((await client.call('tools/list')).result, { tools: [CALCULATE_SUM] })
  t.strictSame((await client.callTool('calculate_sum', { a: 1, b: 2 })).result, {
    content: [{ type: 'text', text: '3' }],
  })
  t.match((await client.callTool('nope')).error, { code: -32602, message: 'Unknown tool: nope' })
})

t.test('concepts, Example tool patterns: they are listed as they are written', async t => {
  const client = await open(t, { tools: PATTERNS.map(each => ({ ...each, handler: () => '' })) })

  t.strictSame((await client.call('tools/list')).result.tools, PATTERNS)
})

t.test('concepts, Tool annotations: the examples are listed as they are written', async t => {
  const client = await open(t, { tools: ANNOTATED.map(each => ({ ...each, handler: () => '' })) })

  t.strictSame((await client.call('tools/list')).result.tools, ANNOTATED)
})

t.test('concepts, Tool annotations: no permission hangs on them', async t => {
  const annotations = { readOnlyHint: true, destructiveHint: true }
  const client = await open(t, { tools: [{ ...calculateSum, annotations }] })

  t.match((await client.callTool('calculate_sum', { a: 1, b: 1 })).result, { content: [{ text: '2' }] })
})

t.test(
  'concepts, Tool discovery and updates: tools come, go and change while it runs, and clients are told',
  async t => {
    const client = await connected(t, { tools: [calculateSum] }, { revision: REVISION })
    const news = await client.listen()
    const { toolrack } = client.app
    let told = 0
    const namesOf = async () => {
      t.strictSame(await news.next(told++), { jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
      const { tools } = (await client.call('tools/list')).result
      return tools.map(({ name, description }: { name: string; description: string }) => `${name}: ${description}`)
    }

    toolrack.add(returning('more', '', { description: 'New' }))
    t.strictSame(await namesOf(), ['calculate_sum: Add two numbers together', 'more: New'])
    toolrack.remove('calculate_sum')
    t.strictSame(await namesOf(), ['more: New'])
    toolrack.remove('more')
    t.strictSame(await namesOf(), [])
  },
)

t.test('concepts, Error handling: an error of the tool is within the result, where the model sees it', async t => {
  const client = await open(t, { tools: [failing('Error: the disk is full')] })

  t.strictSame((await client.callTool('failing')).result, {
    isError: true,
    content: [{ type: 'text', text: 'Error: the disk is full' }],
  })
})

t.test('concepts, Error handling: no stack, no cause and no path of the server reaches the client', async t => {
  const leaky = defineTool({
    name: 'leaky',
    handler() {
      throw new Error('cannot read /etc/shop/secrets.json', { cause: new Error('password') })
    },
  })
  const client = await open(t, { tools: [leaky] })

  const { text } = await client.callTool('leaky')

  t.match(text, 'cannot read')
  t.notMatch(text, /at .*\.ts|password|\/etc\/shop/)
})

t.test('concepts, Error handling: a tool that takes too long is stopped', async t => {
  let isStopped = false
  const slow = defineTool({
    name: 'slow',
    timeout: 20,
    handler: (_args, ctx) =>
      new Promise(() => ctx.signal.addEventListener('abort', () => void (isStopped = true), { once: true })),
  })
  const client = await open(t, { tools: [slow] })

  t.match((await client.callTool('slow')).result, { isError: true, content: [{ text: /slow.*20 ms/ }] })
  t.ok(isStopped)
})

t.test('concepts, Error handling: what a tool returns is validated', async t => {
  const client = await open(t, { tools: [returning('bad', [{ type: 'image', data: '!', mimeType: 'image/png' }])] })

  t.match((await client.callTool('bad')).result, { isError: true })
})

t.test('concepts, Best practices: progress is reported to who asked for it', async t => {
  const slow = defineTool({ name: 'slow', handler: (_args, ctx) => ctx.progress(1, 2, 'half') })
  const client = await open(t, { tools: [slow] })

  const { messages } = await client.call('tools/call', { name: 'slow', _meta: { progressToken: 7 } })

  t.strictSame(messages[0], {
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: 7, progress: 1, total: 2, message: 'half' },
  })
})

t.test('concepts, Best practices: the use of tools is logged', async t => {
  const client = await open(t, { tools: [calculateSum] })

  await client.callTool('calculate_sum', { a: 1, b: 2 })

  t.ok(
    client.app.logs.lines.some(
      ({ method, name, outcome }) => method === 'tools/call' && name === 'calculate_sum' && outcome === 'ok',
    ),
  )
})

t.test('concepts, Security considerations: inputs are validated, calls limited, outputs sanitised', async t => {
  await assertSecurity(t, REVISION)
})
