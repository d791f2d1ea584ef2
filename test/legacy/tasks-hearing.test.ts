// Spec 2025-11-25: basic/utilities/tasks, "Task Isolation and Access Control": who may hear of a task over the stream of its session.
import t from 'tap'
import { bearer, guarded } from '../access/guarded.ts'
import { open, tool } from './session.ts'
import { gate, taskTool } from './tasking.ts'

t.test('a stream that is read without a scope of the tool is told nothing of its tasks', async t => {
  const { handler, fail } = gate()
  const closed = taskTool(
    'closed',
    ctx => {
      ctx.progress(1, 2, 'secret words')
      return handler(ctx, {})
    },
    { scopes: ['read'] },
  )
  const app = await guarded(t, { tools: [closed] })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const headers = bearer('read')
  const client = await open(t, app, { headers })
  const news = await client.listen(undefined, bearer(''))
  const params = { name: 'closed', arguments: {}, task: {}, _meta: { progressToken: 7 } }
  const { taskId } = (await client.call('tools/call', params, headers)).result.task

  fail(new Error('more secret words'))
  await client.call('tasks/result', { taskId }, headers)
  app.toolrack.add(tool('filler', () => ''))
  await news.next(0)

  t.strictSame(
    news.messages.map(({ method }) => method),
    ['notifications/tools/list_changed'],
  )
})
