import type { Client } from '@modelcontextprotocol/client'
import t from 'tap'
import { definePrompt, defineResource, defineTool } from '../../../src/index.ts'
import { connect, until } from '../../support/clients/connect.ts'
import { source, tempFolder } from '../../support/tools-folder.ts'

const handler = () => ''
const echo = defineTool({ name: 'echo', handler })
const note = defineResource({ uri: 'notes://1', name: 'note', handler })
const hello = definePrompt({ name: 'hello', handler })

function hearing(heard: string[]) {
  return (client: Client) => {
    for (const what of ['tools', 'prompts', 'resources'] as const) {
      client.setNotificationHandler(`notifications/${what}/list_changed`, () => void heard.push(what))
    }
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri))
  }
}

t.test('subscriptions: a tool file that is saved reaches the client', async t => {
  const folder = tempFolder(t, { 'a.ts': source('a') })
  const heard: string[] = []
  const { client } = await connect(t, { toolsDir: folder.path, watchTools: true }, {}, hearing(heard))
  await client.listTools()
  const subscription = await client.listen({ toolsListChanged: true })
  t.strictSame(subscription.honoredFilter, { toolsListChanged: true })

  folder.write({ 'b.ts': source('b') })
  await until(() => heard.length > 0, 'the change')

  t.strictSame(heard, ['tools'])
  const { tools } = await client.listTools()
  t.strictSame(
    tools.map(({ name }) => name),
    ['a', 'b'],
  )
  t.match((await client.callTool({ name: 'b' })).content, [{ text: 'b' }])
})

t.test('subscriptions: a client that follows the lists by itself', async t => {
  const lists: string[][] = []
  const { app } = await connect(
    t,
    { tools: [echo] },
    {
      listChanged: {
        tools: { onChanged: (_error, tools) => lists.push((tools ?? []).map(({ name }) => name)), debounceMs: 0 },
      },
    },
  )

  app.toolrack.add({ name: 'new', handler })
  await until(() => lists.length > 0, 'the new list')

  t.strictSame(lists, [['echo', 'new']])
})

t.test('subscriptions: every kind that was asked for, and no other', async t => {
  const heard: string[] = []
  const options = { tools: [echo], resources: [note], prompts: [hello] }
  const { app, client } = await connect(t, options, {}, hearing(heard))
  await client.listen({ promptsListChanged: true, resourcesListChanged: true, resourceSubscriptions: ['notes://1'] })

  app.toolrack.remove('echo')
  app.toolrack.resourceUpdated('notes://2')
  app.toolrack.remove(hello)
  app.toolrack.remove(note)
  app.toolrack.resourceUpdated('notes://1')
  await until(() => heard.includes('notes://1'), 'the update')

  t.strictSame(heard, ['prompts', 'resources', 'notes://1'])
})

t.test('subscriptions: what nothing is registered for is not promised', async t => {
  const { client } = await connect(t, { tools: [echo] })

  const { honoredFilter } = await client.listen({
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: ['notes://1'],
  })

  t.strictSame(honoredFilter, { toolsListChanged: true })
})

t.test('subscriptions: two of one client are told apart', async t => {
  const heard: string[] = []
  const { app, client, sent } = await connect(t, { tools: [echo], prompts: [hello] }, {}, hearing(heard))
  const first = await client.listen({ toolsListChanged: true })
  await client.listen({ promptsListChanged: true })

  await first.close()
  app.toolrack.remove('echo')
  app.toolrack.remove(hello)
  await until(() => heard.length > 0, 'the change')

  t.strictSame(heard, ['prompts'])
  t.equal(await first.closed, 'local')
  const ids = sent
    .filter(({ method }) => method === 'subscriptions/listen')
    .map(({ messages }) => messages[0]?.params._meta['io.modelcontextprotocol/subscriptionId'])
  t.equal(new Set(ids).size, 2)
})

t.test('subscriptions: a server that goes down ends them gracefully', async t => {
  const { app, client } = await connect(t, { tools: [echo], drainMs: 30_000 })
  const subscription = await client.listen({ toolsListChanged: true })

  await app.close()

  t.equal(await subscription.closed, 'graceful')
})
