// What a client is told beside its results, as every official client hears it.
import t from 'tap'
import { definePrompt, defineResource, defineTool } from '../../../src/index.ts'
import { until } from '../../support/clients/connect.ts'
import { EVERY_CLIENT } from '../../support/clients/every-client.ts'

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'

const handler = () => ''
const echo = defineTool({ name: 'echo', handler })
const hello = definePrompt({ name: 'hello', handler })
const note = defineResource({ uri: 'notes://1', name: 'note', handler })

const chatty = defineTool({
  name: 'chatty',
  description: 'Logs at every level.',
  handler(_args, { log }) {
    log.debug('fine detail')
    log.notice({ rows: 3 })
    log.error('broken', { code: 7 })
    return 'done'
  },
})

/** In short: of what kind a changed list is, which resource, or what a log entry says. */
function hearing(heard: unknown[]) {
  return (method: string, params: unknown) => {
    const kind = /^notifications\/(\w+)\/list_changed$/.exec(method)?.[1]
    heard.push(kind ?? (params as { uri?: string }).uri ?? params)
  }
}

for (const { name, isModern, connect } of EVERY_CLIENT) {
  t.test(name, async t => {
    t.test('progress: every step, in order, before the result', async t => {
      const steps: unknown[] = []
      const work = defineTool({
        name: 'work',
        async handler(_args, ctx) {
          ctx.progress(1, 3, 'first')
          ctx.progress(2, 3)
          ctx.progress(3, 3, 'last')
          // SDK 1.x forgets its listener with the answer, and looks at notifications only afterwards.
          await until(() => steps.length === 3, 'the progress')
          return 'done'
        },
      })
      const { client, http } = await connect(t, { tools: [work] })

      const result = await client.callTool({ name: 'work' }, { onprogress: step => steps.push(step) })

      t.strictSame(steps, [
        { progress: 1, total: 3, message: 'first' },
        { progress: 2, total: 3 },
        { progress: 3, total: 3, message: 'last' },
      ])
      t.match(result.content, [{ type: 'text', text: 'done' }])
      if (isModern) t.match(http.of('tools/call'), [{ contentType: /^text\/event-stream/ }])
    })

    if (isModern)
      t.test('progress: a client that does not listen gets plain JSON', async t => {
        const work = defineTool({
          name: 'work',
          handler(_args, ctx) {
            ctx.progress(1)
            return 'done'
          },
        })
        const { client, http } = await connect(t, { tools: [work] })

        await client.callTool({ name: 'work' })

        t.match(http.of('tools/call'), [{ contentType: /^application\/json/ }])
      })

    t.test('logging: what is at least of the level that the client asked for', async t => {
      const heard: unknown[] = []
      const { client, request } = await connect(t, { tools: [chatty] }, { onNotification: hearing(heard) })
      if (!isModern) await request('logging/setLevel', { level: 'notice' })

      await client.callTool({ name: 'chatty', ...(isModern && { _meta: { [LOG_LEVEL]: 'notice' } }) })

      t.strictSame(heard, [
        { level: 'notice', logger: 'chatty', data: { rows: 3 } },
        { level: 'error', logger: 'chatty', data: { message: 'broken', data: { code: 7 } } },
      ])
    })

    t.test('logging: without a level the client hears nothing, and the server logs all', async t => {
      const heard: unknown[] = []
      const { app, client } = await connect(t, { tools: [chatty] }, { onNotification: hearing(heard) })

      await client.callTool({ name: 'chatty' })

      t.strictSame(heard, [])
      t.match(
        app.logs.lines.filter(({ tool }) => tool === 'chatty').map(({ level, entry }) => [level, entry]),
        [
          [20, 'fine detail'],
          [30, { rows: 3 }],
          [50, { message: 'broken' }],
        ],
      )
    })

    t.test('list_changed: a client that follows the list by itself', async t => {
      const lists: string[][] = []
      const onChanged = (_error: unknown, tools: { name: string }[] | null) =>
        void lists.push((tools ?? []).map(({ name }) => name))
      const { app, client } = await connect(
        t,
        { tools: [echo] },
        { listChanged: { tools: { onChanged, debounceMs: 0 } } },
      )
      await client.listTools()

      app.toolrack.add({ name: 'new', handler })
      await until(() => lists.length > 0, 'the new list')

      t.strictSame(lists, [['echo', 'new']])
    })

    if (!isModern)
      t.test('list_changed: of every kind, without being asked for', async t => {
        const heard: unknown[] = []
        const options = { tools: [echo], prompts: [hello], resources: [note] }
        const { app, client } = await connect(t, options, { onNotification: hearing(heard) })
        await client.listTools()

        app.toolrack.add({ name: 'new', handler })
        app.toolrack.remove(hello)
        app.toolrack.remove(note)
        await until(() => heard.length === 3, 'the changes')

        t.same(new Set(heard), new Set(['tools', 'prompts', 'resources']))
      })

    if (!isModern)
      t.test('resources: a client hears of those that it watches, until it does not', async t => {
        const heard: unknown[] = []
        const other = defineResource({ uri: 'notes://2', name: 'other', handler })
        const { app, request } = await connect(t, { resources: [note, other] }, { onNotification: hearing(heard) })
        await request('resources/subscribe', { uri: 'notes://1' })
        await request('resources/subscribe', { uri: 'notes://2' })

        app.toolrack.resourceUpdated('notes://1')
        await until(() => heard.length === 1, 'the first update')
        await request('resources/unsubscribe', { uri: 'notes://1' })
        app.toolrack.resourceUpdated('notes://1')
        app.toolrack.resourceUpdated('notes://2')
        await until(() => heard.length === 2, 'the second update')

        t.strictSame(heard, ['notes://1', 'notes://2'])
      })
  })
}
