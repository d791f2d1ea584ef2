import type { Client } from '@modelcontextprotocol/client'
import t from 'tap'
import { defineTool, Type } from '../../src/index.ts'
import { until } from './connect.ts'
import { connectMode, MODES } from './connect-mode.ts'
import { gated } from './gate.ts'

const form = (name: string) => ({
  message: `Your ${name}?`,
  requestedSchema: { type: 'object' as const, properties: { [name]: { type: 'string' } }, required: [name] },
})
const answers: Record<string, string> = { 'Your name?': 'Ada', 'Your town?': 'London' }

const greet = defineTool({
  name: 'greet',
  inputSchema: Type.Object({ greeting: Type.String() }),
  async handler({ greeting }, ctx) {
    const name = await ctx.elicit('name', form('name'))
    const town = await ctx.elicit('town', form('town'))
    return `${greeting} ${name.content?.['name']} of ${town.content?.['town']}`
  },
})
const hello = { name: 'greet', arguments: { greeting: 'Hello' } }

function answering(client: Client): void {
  client.setRequestHandler('elicitation/create', ({ params }) => ({
    action: 'accept',
    content: { [params.message.slice(5, -1)]: answers[params.message]! },
  }))
}

for (const { name, mode } of MODES) {
  t.test(`client 2.x, ${name}`, async t => {
    t.test('a tool that asks twice is written once', async t => {
      const { client, http } = await connectMode(
        t,
        { tools: [greet] },
        { mode, capabilities: { elicitation: {} }, prepare: answering },
      )

      t.match(await client.callTool(hello), { content: [{ text: 'Hello Ada of London' }] })
      t.equal(http.of('tools/call').length, mode === 'legacy' ? 1 : 3)
    })

    t.test('a client that cannot be asked is told what it lacks', async t => {
      const { client } = await connectMode(t, { tools: [greet] }, { mode })
      const calling = client.callTool(hello)

      if (mode !== 'legacy') await t.rejects(calling, { code: -32021 })
      else t.match(await calling, { isError: true, content: [{ text: /elicitation\.form.*Ask the user yourself/ }] })
    })

    t.test('elicitation by URL, sampling and roots', async t => {
      const all = defineTool({
        name: 'all',
        async handler(_args, ctx) {
          const paid = await ctx.elicit('pay', { mode: 'url', message: 'Pay here', url: 'https://pay.example/1' })
          const messages = [{ role: 'user' as const, content: { type: 'text', text: 'A joke' } }]
          const { content } = await ctx.sample('joke', { messages, maxTokens: 10 })
          const { roots } = await ctx.listRoots('roots')
          return `${paid.action} ${(content as { text: string }).text} ${roots[0]?.uri}`
        },
      })
      const { client } = await connectMode(
        t,
        { tools: [all] },
        {
          mode,
          capabilities: { elicitation: { url: {} }, sampling: {}, roots: {} },
          prepare(client) {
            client.setRequestHandler('elicitation/create', () => ({ action: 'accept' }))
            client.setRequestHandler('sampling/createMessage', () => ({
              model: 'm',
              role: 'assistant',
              content: { type: 'text', text: 'Knock, knock' },
            }))
            client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///tmp' }] }))
          },
        },
      )

      t.match(await client.callTool({ name: 'all' }), { content: [{ text: 'accept Knock, knock file:///tmp' }] })
    })

    t.test('progress comes before the result', async t => {
      const { tool, release } = gated()
      const steps: number[] = []
      const { client } = await connectMode(t, { tools: [tool] }, { mode })

      const call = client.callTool({ name: 'wait' }, { onprogress: step => steps.push(step.progress) })
      await until(() => steps.length === 1, 'the first step')
      release()

      t.match(await call, { content: [{ text: 'done' }] })
      t.strictSame(steps, [1, 2])
    })

    t.test('a call that the client aborts aborts the tool', async t => {
      const { tool, started, aborted } = gated('quiet')
      const { client } = await connectMode(t, { tools: [tool] }, { mode })
      const abort = new AbortController()
      const call = client.callTool({ name: 'wait' }, { signal: abort.signal })
      call.catch(() => {})
      await started

      abort.abort()

      await t.rejects(call)
      t.match(await aborted, { name: 'AbortError' })
    })

    t.test('a client that follows the tools hears of a new one', async t => {
      const lists: string[][] = []
      const { app } = await connectMode(
        t,
        { tools: [greet] },
        {
          mode,
          listChanged: {
            tools: { onChanged: (_error, tools) => lists.push((tools ?? []).map(({ name }) => name)), debounceMs: 0 },
          },
        },
      )

      app.toolrack.add({ name: 'new', handler: () => '' })
      await until(() => lists.length > 0, 'the new list')

      t.strictSame(lists, [['greet', 'new']])
    })
  })
}
