// Over HTTP+SSE, which knows the revisions with a handshake only, the newest client falls back to one of them.
import t from 'tap'
import { defineTool, Type } from '../../../src/index.ts'
import { until } from '../../support/clients/connect.ts'
import { connectMode } from '../../support/clients/connect-mode.ts'
import { faultsOf } from '../../support/clients/faults.ts'

const greet = defineTool({
  name: 'greet',
  inputSchema: Type.Object({ greeting: Type.String() }),
  async handler({ greeting }, ctx) {
    const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' } } }
    const { content } = await ctx.elicit('name', { message: 'Your name?', requestedSchema })
    return `${greeting} ${content?.['name']}`
  },
})

for (const mode of ['legacy', 'auto'] as const) {
  t.test(`client 2.x over HTTP+SSE, ${mode}: it calls, and is asked`, async t => {
    const { client, http } = await connectMode(
      t,
      { tools: [greet] },
      {
        mode,
        sse: true,
        capabilities: { elicitation: {} },
        prepare: client =>
          client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } })),
      },
    )

    const result = await client.callTool({ name: 'greet', arguments: { greeting: 'Hello' } })

    t.equal(client.getNegotiatedProtocolVersion(), '2025-11-25')
    t.match(result.content, [{ text: 'Hello Ada' }])
    t.equal(http.of('server/discover').length, mode === 'auto' ? 1 : 0)
  })

  t.test(`client 2.x over HTTP+SSE, ${mode}: it hears of a new tool`, async t => {
    const lists: string[][] = []
    const { app } = await connectMode(
      t,
      { tools: [greet] },
      {
        mode,
        sse: true,
        listChanged: {
          tools: { onChanged: (_error, tools) => lists.push((tools ?? []).map(({ name }) => name)), debounceMs: 0 },
        },
      },
    )

    app.toolrack.add({ name: 'new', handler: () => '' })
    await until(() => lists.length > 0, 'the new list')

    t.strictSame(lists, [['greet', 'new']])
  })
}

t.test('client 2.x over HTTP+SSE, pinned: it is told at once that the newest revision is not to be had', async t => {
  const connecting = connectMode(t, { tools: [greet] }, { mode: { pin: '2026-07-28' }, sse: true })

  await t.rejects(connecting, { message: /did not offer pinned protocol version 2026-07-28/ })
  t.strictSame(faultsOf(t), [])
})
