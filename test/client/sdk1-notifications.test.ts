import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import t from 'tap'
import { definePrompt, defineResource, defineTool } from '../../src/index.ts'
import { until } from './connect.ts'
import { serveSdk1, TRANSPORTS } from './connect-sdk1.ts'

const handler = () => ''
const echo = defineTool({ name: 'echo', handler })
const hello = definePrompt({ name: 'hello', handler })
const note = defineResource({ uri: 'notes://1', name: 'note', handler })

const chatty = defineTool({
  name: 'chatty',
  handler(_args, ctx) {
    ctx.log.debug('fine detail')
    ctx.log.notice({ rows: 3 })
    ctx.log.error('broken', { code: 7 })
    return 'done'
  },
})

function hearing(heard: unknown[]) {
  return (client: Client) => {
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard.push('tools'))
    client.setNotificationHandler(PromptListChangedNotificationSchema, () => void heard.push('prompts'))
    client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void heard.push('resources'))
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri))
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params))
  }
}

for (const over of TRANSPORTS) {
  t.test(`SDK 1.x over ${over}`, async t => {
    t.test('progress: every step, in order, before the result', async t => {
      const steps: unknown[] = []
      const work = defineTool({
        name: 'work',
        async handler(_args, ctx) {
          ctx.progress(1, 3, 'first')
          ctx.progress(2, 3)
          ctx.progress(3, 3, 'last')
          // This client forgets its listener with the answer, and looks at notifications only afterwards.
          await until(() => steps.length === 3, 'the progress')
          return 'done'
        },
      })
      const { client } = await serveSdk1(t, { tools: [work] }, { over })

      const result = await client.callTool({ name: 'work' }, undefined, { onprogress: step => steps.push(step) })

      t.strictSame(steps, [
        { progress: 1, total: 3, message: 'first' },
        { progress: 2, total: 3 },
        { progress: 3, total: 3, message: 'last' },
      ])
      t.match(result.content, [{ text: 'done' }])
    })

    t.test('logging: what is at least of the level that was set', async t => {
      const heard: unknown[] = []
      const { client } = await serveSdk1(t, { tools: [chatty] }, { over, prepare: hearing(heard) })
      await client.setLoggingLevel('notice')

      await client.callTool({ name: 'chatty' })

      t.strictSame(heard, [
        { level: 'notice', logger: 'chatty', data: { rows: 3 } },
        { level: 'error', logger: 'chatty', data: { message: 'broken', data: { code: 7 } } },
      ])
    })

    t.test('logging: nothing where no level was set', async t => {
      const heard: unknown[] = []
      const { client } = await serveSdk1(t, { tools: [chatty] }, { over, prepare: hearing(heard) })

      await client.callTool({ name: 'chatty' })

      t.strictSame(heard, [])
    })

    t.test('list_changed: of every kind, without being asked for', async t => {
      const heard: unknown[] = []
      const options = { tools: [echo], prompts: [hello], resources: [note] }
      const { app } = await serveSdk1(t, options, { over, prepare: hearing(heard) })

      app.toolrack.add({ name: 'new', handler })
      app.toolrack.remove(hello)
      app.toolrack.remove(note)
      await until(() => heard.length === 3, 'the changes')

      t.same(new Set(heard), new Set(['tools', 'prompts', 'resources']))
    })

    t.test('list_changed: a client that follows the list by itself', async t => {
      const lists: string[][] = []
      const onChanged = (_error: unknown, tools: { name: string }[] | null) =>
        void lists.push((tools ?? []).map(({ name }) => name))
      const { app, client } = await serveSdk1(
        t,
        { tools: [echo] },
        { over, listChanged: { tools: { onChanged, debounceMs: 0 } } },
      )
      await client.ping()

      app.toolrack.add({ name: 'new', handler })
      await until(() => lists.length > 0, 'the new list')

      t.strictSame(lists, [['echo', 'new']])
    })

    t.test('resources: a client hears of those that it watches, until it does not', async t => {
      const heard: unknown[] = []
      const other = defineResource({ uri: 'notes://2', name: 'other', handler })
      const { app, client } = await serveSdk1(t, { resources: [note, other] }, { over, prepare: hearing(heard) })
      await client.subscribeResource({ uri: 'notes://1' })
      await client.subscribeResource({ uri: 'notes://2' })

      app.toolrack.resourceUpdated('notes://1')
      await until(() => heard.length === 1, 'the first update')
      await client.unsubscribeResource({ uri: 'notes://1' })
      app.toolrack.resourceUpdated('notes://1')
      app.toolrack.resourceUpdated('notes://2')
      await until(() => heard.length === 2, 'the second update')

      t.strictSame(heard, ['notes://1', 'notes://2'])
    })
  })
}
