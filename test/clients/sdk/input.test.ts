// What a handler asks its client, as every official client hears it: a tool that asks is written once for all revisions.
import t from 'tap'
import { definePrompt, defineTool, Type } from '../../../src/index.ts'
import { EVERY_CLIENT } from '../../support/clients/every-client.ts'

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

const GIVEN: Record<string, string> = { 'Your name?': 'Ada', 'Your town?': 'London', 'Your topic?': 'ferns' }

/** A client that knows all the answers. */
function answering(asked: unknown[] = []) {
  const answer = (params: { message: string }) => {
    asked.push(params)
    return { action: 'accept', content: { [params.message.slice(5, -1)]: GIVEN[params.message] } }
  }
  return { capabilities: { elicitation: {} }, answers: { 'elicitation/create': answer } }
}

for (const { name, isModern, connect } of EVERY_CLIENT) {
  t.test(name, async t => {
    t.test('elicitation: a tool asks twice', async t => {
      const asked: unknown[] = []
      const { client, http } = await connect(t, { tools: [greet] }, answering(asked))

      const result = await client.callTool(hello)

      t.match(result.content, [{ type: 'text', text: 'Hello Ada of London' }])
      t.match(asked, [
        { message: 'Your name?', requestedSchema: form('name').requestedSchema },
        { message: 'Your town?', requestedSchema: form('town').requestedSchema },
      ])
      const calls = http.of('tools/call').map(({ message }) => message.params)
      t.equal(calls.length, isModern ? 3 : 1)
      t.strictSame(
        calls.slice(1).map(params => Object.keys(params.inputResponses)),
        isModern ? [['name'], ['town']] : [],
      )
      t.ok(calls.slice(1).every(params => typeof params.requestState === 'string'))
    })

    t.test('elicitation: several questions at once', async t => {
      const both = defineTool({
        name: 'both',
        async handler(_args, ctx) {
          const [name, town] = await Promise.all([ctx.elicit('name', form('name')), ctx.elicit('town', form('town'))])
          return [name.content?.['name'], town.content?.['town']]
        },
      })
      const { client, http } = await connect(t, { tools: [both] }, answering())

      t.match(await client.callTool({ name: 'both' }), { content: [{ text: '["Ada","London"]' }] })
      t.equal(http.of('tools/call').length, isModern ? 2 : 1)
    })

    t.test('elicitation: a user who declines', async t => {
      const { client } = await connect(
        t,
        { tools: [greet] },
        { capabilities: { elicitation: {} }, answers: { 'elicitation/create': () => ({ action: 'decline' }) } },
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
      const answer = (params: unknown) => {
        asked.push(params)
        return { action: 'accept' }
      }
      const { client } = await connect(
        t,
        { tools: [pay] },
        { capabilities: { elicitation: { url: {} } }, answers: { 'elicitation/create': answer } },
      )

      t.match(await client.callTool({ name: 'pay' }), { content: [{ text: 'accept' }] })
      t.match(asked, [{ mode: 'url', url: 'https://pay.example/1', ...(!isModern && { elicitationId: /./ }) }])
    })

    t.test('elicitation: a client that cannot be asked is told what it lacks', async t => {
      const { client, http } = await connect(t, { tools: [greet] })

      const answer = await client.callTool(hello).catch((error: unknown) => error)

      if (isModern) {
        t.match(answer, { code: -32021, data: { requiredCapabilities: { elicitation: {} } } })
        t.match(http.of('tools/call'), [{ status: 400 }])
      } else t.match(answer, { isError: true, content: [{ text: /elicitation\.form.*Ask the user yourself/ }] })
    })

    t.test('elicitation: an error of the client is one of the call', async t => {
      const { client } = await connect(
        t,
        { tools: [greet] },
        {
          capabilities: { elicitation: {} },
          answers: {
            'elicitation/create'() {
              throw new Error('No window to ask in')
            },
          },
        },
      )
      const calling = client.callTool(hello)

      // A client of the newest revision answers itself: it does not call again.
      if (isModern) await t.rejects(calling, { message: /No window to ask in/ })
      else t.match(await calling, { isError: true, content: [{ text: /No window to ask in/ }] })
    })

    t.test('elicitation: a prompt may ask the user', async t => {
      const ask = definePrompt({
        name: 'ask',
        async handler(_args, ctx) {
          const { content } = await ctx.elicit('topic', form('topic'))
          return `Write about ${content?.['topic']}`
        },
      })
      const { client } = await connect(t, { prompts: [ask] }, answering())

      const { messages } = await client.getPrompt({ name: 'ask' })

      t.match(messages, [{ role: 'user', content: { text: 'Write about ferns' } }])
    })

    t.test('sampling: the client asks its model', async t => {
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
      const answer = ({ messages }: { messages: { content: { text: string } }[] }) => ({
        model: 'm',
        role: 'assistant',
        content: { type: 'text', text: `${messages[0]!.content.text}: Knock, knock` },
      })
      const { client } = await connect(
        t,
        { tools: [joke] },
        { capabilities: { sampling: {} }, answers: { 'sampling/createMessage': answer } },
      )

      t.match(await client.callTool({ name: 'joke' }), { content: [{ text: 'A joke, please: Knock, knock' }] })
    })

    t.test('roots: the client names its folders', async t => {
      const folders = defineTool({
        name: 'folders',
        handler: async (_args, ctx) => (await ctx.listRoots('roots')).roots.map(({ uri }) => uri).join(),
      })
      const roots = [{ uri: 'file:///home/ada' }, { uri: 'file:///tmp' }]
      const { client, rootsChanged } = await connect(
        t,
        { tools: [folders] },
        { capabilities: { roots: { listChanged: true } }, answers: { 'roots/list': () => ({ roots }) } },
      )
      if (!isModern) await rootsChanged()

      t.match(await client.callTool({ name: 'folders' }), { content: [{ text: 'file:///home/ada,file:///tmp' }] })
    })
  })
}
