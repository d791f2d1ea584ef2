import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import t from 'tap'
import { defineTool, Type } from '../../src/index.ts'
import { serveSdk1, TRANSPORTS } from './connect-sdk1.ts'

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
const hello = { name: 'greet', arguments: { greeting: 'Hello' } }

const answers: Record<string, string> = { 'Your name?': 'Ada', 'Your town?': 'London' }

function answering(client: Client, asked: unknown[] = []): void {
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params)
    return { action: 'accept', content: { [params.message.slice(5, -1)]: answers[params.message]! } }
  })
}

const joke = defineTool({
  name: 'joke',
  async handler(_args, ctx) {
    const { content } = await ctx.sample('joke', {
      messages: [{ role: 'user', content: { type: 'text', text: 'A joke, please' } }],
      maxTokens: 100,
    })
    return (content as { text: string }).text
  },
})

for (const over of TRANSPORTS) {
  t.test(`SDK 1.x over ${over}`, async t => {
    t.test('elicitation: the client is asked twice within one call', async t => {
      const asked: unknown[] = []
      const { client, http } = await serveSdk1(
        t,
        { tools: [greet] },
        { over, capabilities: { elicitation: {} }, prepare: client => answering(client, asked) },
      )

      const result = await client.callTool(hello)

      t.match(result.content, [{ type: 'text', text: 'Hello Ada of London' }])
      t.match(asked, [
        { mode: 'form', message: 'Your name?', requestedSchema: form('name').requestedSchema },
        { mode: 'form', message: 'Your town?' },
      ])
      t.equal(http.of('tools/call').length, 1)
    })

    t.test('elicitation: several questions at once', async t => {
      const both = defineTool({
        name: 'both',
        async handler(_args, ctx) {
          const [name, town] = await Promise.all([ctx.elicit('name', form('name')), ctx.elicit('town', form('town'))])
          return `${name.content?.['name']} of ${town.content?.['town']}`
        },
      })
      const options = { over, capabilities: { elicitation: {} }, prepare: answering }
      const { client } = await serveSdk1(t, { tools: [both] }, options)

      t.match(await client.callTool({ name: 'both' }), { content: [{ text: 'Ada of London' }] })
    })

    t.test('elicitation: a user who declines', async t => {
      const { client } = await serveSdk1(
        t,
        { tools: [greet] },
        {
          over,
          capabilities: { elicitation: {} },
          prepare: client => client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' })),
        },
      )

      t.match(await client.callTool(hello), { content: [{ text: 'No name: decline' }] })
    })

    t.test('elicitation: by URL', async t => {
      const pay = defineTool({
        name: 'pay',
        handler: async (_args, ctx) =>
          (await ctx.elicit('pay', { mode: 'url', message: 'Pay here', url: 'https://pay.example/1' })).action,
      })
      const asked: unknown[] = []
      const { client } = await serveSdk1(
        t,
        { tools: [pay] },
        {
          over,
          capabilities: { elicitation: { url: {} } },
          prepare: client =>
            client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
              asked.push(params)
              return { action: 'accept' }
            }),
        },
      )

      t.match(await client.callTool({ name: 'pay' }), { content: [{ text: 'accept' }] })
      t.match(asked, [{ mode: 'url', url: 'https://pay.example/1', elicitationId: /./ }])
    })

    t.test('elicitation: a client that cannot be asked is told what it lacks', async t => {
      const { client } = await serveSdk1(t, { tools: [greet] }, { over })

      const result = await client.callTool(hello)

      t.match(result, { isError: true, content: [{ text: /elicitation\.form.*Ask the user yourself/ }] })
    })

    t.test('elicitation: an error of the client is one of the call', async t => {
      const { client } = await serveSdk1(
        t,
        { tools: [greet] },
        {
          over,
          capabilities: { elicitation: {} },
          prepare: client =>
            client.setRequestHandler(ElicitRequestSchema, () => {
              throw new Error('No window to ask in')
            }),
        },
      )

      t.match(await client.callTool(hello), { isError: true, content: [{ text: /No window to ask in/ }] })
    })

    t.test('sampling: the client asks its model', async t => {
      const { client } = await serveSdk1(
        t,
        { tools: [joke] },
        {
          over,
          capabilities: { sampling: {} },
          prepare: client =>
            client.setRequestHandler(CreateMessageRequestSchema, ({ params: { messages } }) => ({
              model: 'm',
              role: 'assistant',
              content: { type: 'text', text: `${(messages[0]!.content as { text: string }).text}: Knock, knock` },
            })),
        },
      )

      t.match(await client.callTool({ name: 'joke' }), { content: [{ text: 'A joke, please: Knock, knock' }] })
    })

    t.test('roots: the client names its folders', async t => {
      const folders = defineTool({
        name: 'folders',
        handler: async (_args, ctx) => (await ctx.listRoots('roots')).roots.map(({ uri }) => uri).join(),
      })
      const roots = [{ uri: 'file:///home/ada' }, { uri: 'file:///tmp' }]
      const { client } = await serveSdk1(
        t,
        { tools: [folders] },
        {
          over,
          capabilities: { roots: { listChanged: true } },
          prepare: client => client.setRequestHandler(ListRootsRequestSchema, () => ({ roots })),
        },
      )
      await client.sendRootsListChanged()

      t.match(await client.callTool({ name: 'folders' }), { content: [{ text: 'file:///home/ada,file:///tmp' }] })
    })
  })
}
