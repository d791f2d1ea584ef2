// One task, two revisions: who is verified may begin it in one and go on with it in the other.
import t from 'tap'
import { bearer, guarded } from '../../../support/auth/guarded.ts'
import { open } from '../../../support/client/app-client.ts'
import { textOf } from '../../../support/client/reply.ts'
import { accept, form } from '../../../support/legacy/asking.ts'
import { callAsTask, gate, taskTool } from '../../../support/legacy/tasking.ts'
import { cancel, get, nextTurn, taskFrom, update, whenIn } from '../../../support/tasks/modern.ts'

const headers = bearer('read')
const TOLD_AT_ONCE = { tasks: { inlineMs: 0 } }

t.test('a task that was begun in a session is looked at, and ended, without one', async t => {
  const { handler, started, aborted } = gate()
  const app = await guarded(t, { tools: [taskTool('job', handler)] })
  const client = await open(t, app, { headers })
  const { taskId } = (await callAsTask(client, 'job', {}, { ttl: 60_000 }, headers)).result.task
  await started

  t.match((await get(app, taskId, { headers })).result, { status: 'working', ttlMs: 60_000 })
  t.strictSame((await cancel(app, taskId, { headers })).result.resultType, 'complete')
  await aborted

  t.equal((await client.call('tasks/get', { taskId }, headers)).result.status, 'cancelled')
})

t.test('a task that was begun without a session is found in one, with its result', async t => {
  const fails = taskTool('fails', async () => {
    await nextTurn()
    throw new Error('The rack is empty')
  })
  const app = await guarded(t, { tools: [fails], ...TOLD_AT_ONCE })
  const taskId = await taskFrom(app, 'fails', {}, { headers })
  const client = await open(t, app, { headers })

  const { result } = await client.call('tasks/result', { taskId }, headers)

  t.match(result, { isError: true, content: [{ text: 'The rack is empty' }] })
  t.equal((await get(app, taskId, { headers })).result.status, 'completed')
  t.equal((await client.call('tasks/get', { taskId }, headers)).result.status, 'failed')
  t.equal((await client.call('tasks/list', {}, headers)).result.tasks[0].status, 'failed')
})

t.test('what a task asks in one revision is answered in the other', async t => {
  const greet = taskTool('greet', async ctx => {
    await nextTurn()
    const { content } = await ctx.elicit('name', form('name'))
    return `Hello ${content?.['name']}`
  })
  const app = await guarded(t, { tools: [greet], ...TOLD_AT_ONCE })
  const client = await open(t, app, { headers })
  const { taskId } = (await callAsTask(client, 'greet', {}, {}, headers)).result.task
  const waiting = client.call('tasks/result', { taskId }, { ...headers, accept: 'application/json' })
  const { inputRequests } = await whenIn(app, taskId, ['input_required'], { headers })

  const [key] = Object.keys(inputRequests)
  await update(app, { taskId, inputResponses: { [key!]: accept({ name: 'Ada' }) } }, { headers })

  t.equal(textOf(await waiting), 'Hello Ada')
})
