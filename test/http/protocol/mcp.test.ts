import t from 'tap'
import { defineTool, Type } from '../../../src/index.ts'
import { build, call, callTool, listening, stream } from '../../support/app.ts'

const echo = defineTool({
  name: 'echo',
  description: 'Returns the message',
  inputSchema: Type.Object({ message: Type.String() }),
  handler: ({ message }) => message,
})

t.test('tools/call: a text result', async t => {
  const app = await build(t, { tools: [echo] })

  const result = await callTool(app, 'echo', { message: 'hello' })

  t.strictSame(result.content, [{ type: 'text', text: 'hello' }])
})

t.test('tools/call: an unknown tool answers -32602', async t => {
  const app = await build(t, { tools: [echo] })

  const reply = await call(app, 'tools/call', { name: 'nope', arguments: {} })

  t.match(reply, { status: 200, error: { code: -32602, message: 'Unknown tool: nope' } })
})

t.test('subscriptions/listen: the acknowledgment comes first, then the change', async t => {
  const { app, url } = await listening(t, { tools: [echo] })
  const listener = await stream(
    t,
    url,
    'subscriptions/listen',
    { notifications: { toolsListChanged: true } },
    { id: 'sub' },
  )
  await listener.next(0)

  app.toolrack.remove('echo')

  t.match(listener.messages[0], { method: 'notifications/subscriptions/acknowledged' })
  t.match(await listener.next(1), {
    method: 'notifications/tools/list_changed',
    params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub' } },
  })
})
