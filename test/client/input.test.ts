import type { Client } from '@modelcontextprotocol/client'
import t from 'tap'
import { defineTool, Type } from '../../src/index.ts'
import { connect } from './connect.ts'

const form = (name: string) => ({
  message: `Your ${name}?`,
  requestedSchema: { type: 'object' as const, properties: { [name]: { type: 'string' } }, required: [name] },
})

const greet = defineTool({
  name: 'greet',
  inputSchema: Type.Object({ greeting: Type.String() }),
  async handler({ greeting }, ctx) {
    const name = await ctx.elicit('name', form('name'))
    if (name.action !== 'accept') return `No name: ${name.action}`
    const town = await ctx.elicit('town', form('town'))
    return `${greeting} ${name.content?.['name']} of ${town.content?.['town']}`
  },
})

const answers: Record<string, string> = { 'Your name?': 'Ada', 'Your town?': 'London' }

function answering(client: Client, asked: unknown[] = []): void {
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params)
    const name = params.message.slice(5, -1)
    return { action: 'accept', content: { [name]: answers[params.message]! } }
  })
}

t.test('elicitation: two questions in two rounds, then the result', async t => {
  const asked: unknown[] = []
  const { client, sent } = await connect(t, { tools: [greet] }, { capabilities: { elicitation: {} } }, client =>
    answering(client, asked),
  )

  const result = await client.callTool({ name: 'greet', arguments: { greeting: 'Hello' } })

  t.match(result.content, [{ type: 'text', text: 'Hello Ada of London' }])
  t.match(asked, [{ message: 'Your name?' }, { message: 'Your town?' }])
  const calls = sent.filter(({ method }) => method === 'tools/call')
  t.strictSame(
    calls.map(({ messages }) => messages.at(-1)?.result.resultType),
    ['input_required', 'input_required', 'complete'],
  )
  t.strictSame(Object.keys(calls[1]!.params.inputResponses), ['name'])
  t.equal(calls[1]!.params.requestState, calls[0]!.messages.at(-1)!.result.requestState)
})

t.test('elicitation: a user who declines', async t => {
  const { client } = await connect(t, { tools: [greet] }, { capabilities: { elicitation: {} } }, client =>
    client.setRequestHandler('elicitation/create', () => ({ action: 'decline' })),
  )

  const result = await client.callTool({ name: 'greet', arguments: { greeting: 'Hello' } })

  t.match(result.content, [{ type: 'text', text: 'No name: decline' }])
})

t.test('elicitation: several questions in one round', async t => {
  const both = defineTool({
    name: 'both',
    async handler(_args, ctx) {
      const [name, town] = await Promise.all([ctx.elicit('name', form('name')), ctx.elicit('town', form('town'))])
      return [name.content?.['name'], town.content?.['town']]
    },
  })
  const { client, sent } = await connect(t, { tools: [both] }, { capabilities: { elicitation: {} } }, answering)

  const result = await client.callTool({ name: 'both' })

  t.match(result.content, [{ type: 'text', text: '["Ada","London"]' }])
  t.equal(sent.filter(({ method }) => method === 'tools/call').length, 2)
})

t.test('elicitation: by URL', async t => {
  const pay = defineTool({
    name: 'pay',
    handler: async (_args, ctx) =>
      (await ctx.elicit('pay', { mode: 'url', message: 'Pay here', url: 'https://pay.example/1' })).action,
  })
  const { client } = await connect(t, { tools: [pay] }, { capabilities: { elicitation: { url: {} } } }, client =>
    client.setRequestHandler('elicitation/create', ({ params }) => ({
      action: params.mode === 'url' && params.url === 'https://pay.example/1' ? 'accept' : 'cancel',
    })),
  )

  const result = await client.callTool({ name: 'pay' })

  t.match(result.content, [{ type: 'text', text: 'accept' }])
})

t.test('elicitation: a client that cannot be asked gets the error of the protocol', async t => {
  const { client, lastSent } = await connect(t, { tools: [greet] })

  const failure = await client
    .callTool({ name: 'greet', arguments: { greeting: 'Hello' } })
    .catch((error: unknown) => error)

  t.match(failure, { code: -32021, data: { requiredCapabilities: { elicitation: {} } } })
  t.equal(lastSent('tools/call').status, 400)
})

t.test('sampling: the client asks its model', async t => {
  const joke = defineTool({
    name: 'joke',
    async handler(_args, ctx) {
      const { content } = await ctx.sample('joke', {
        messages: [{ role: 'user', content: { type: 'text', text: 'A joke, please' } }],
        maxTokens: 100,
      })
      return Array.isArray(content) ? 'several' : (content as { text: string }).text
    },
  })
  const { client } = await connect(t, { tools: [joke] }, { capabilities: { sampling: {} } }, client =>
    client.setRequestHandler('sampling/createMessage', ({ params }) => ({
      model: 'm',
      role: 'assistant',
      content: { type: 'text', text: `${(params.messages[0]!.content as { text: string }).text}: Knock, knock` },
    })),
  )

  const result = await client.callTool({ name: 'joke' })

  t.match(result.content, [{ type: 'text', text: 'A joke, please: Knock, knock' }])
})

t.test('roots: the client names its folders', async t => {
  const folders = defineTool({
    name: 'folders',
    handler: async (_args, ctx) => (await ctx.listRoots('roots')).roots.map(({ uri }) => uri).join(),
  })
  const { client } = await connect(t, { tools: [folders] }, { capabilities: { roots: {} } }, client =>
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///home/ada' }, { uri: 'file:///tmp' }] })),
  )

  const result = await client.callTool({ name: 'folders' })

  t.match(result.content, [{ type: 'text', text: 'file:///home/ada,file:///tmp' }])
})
