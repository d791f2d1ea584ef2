// Spec 2025-11-25: basic/utilities/tasks, "Task Isolation and Access Control": who may hear of a task over the stream of its session.
import t from 'tap'
import { aTask } from '../../../../packages/state/src/suites/a-task.ts'
import type { Access } from '../../../../src/auth/access.ts'
import type { SessionRegistry } from '../../../../src/legacy/session-registry.ts'
import { notifySessions } from '../../../../src/legacy/task-notifications.ts'
import { findRevision } from '../../../../src/protocol/revisions/index.ts'
import type { Session } from '../../../../src/state/sessions.ts'
import type { Task } from '../../../../src/state/task.ts'
import type { TaskService } from '../../../../src/tasks/tasks.ts'
import { bearer, guarded } from '../../../support/auth/guarded.ts'
import { open } from '../../../support/client/app-client.ts'
import { gate, taskTool } from '../../../support/legacy/tasking.ts'
import { tool } from '../../../support/steered-tools.ts'

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

t.test('a state that is read twice, as where replicas share tasks, is told once, and its progress too', async t => {
  const { tell, heard } = hearing()
  const job = { ...aTask().job!, meta: { ...aTask().job!.meta, progressToken: 7 } }
  const early = aTask({ session: 'one', job })
  const half = { total: undefined, message: undefined, progress: 5, version: 2 }
  const later = { ...early, version: 2, statusMessage: '5', progress: half }
  const other = aTask({ session: 'one', version: 1 })

  for (const task of [early, later, later, other, early, other]) tell(task)

  t.match(heard, [
    { method: 'notifications/tasks/status', params: { taskId: early.id } },
    { method: 'notifications/tasks/status', params: { taskId: early.id, statusMessage: '5' } },
    { method: 'notifications/progress', params: { progressToken: 7, progress: 5 } },
    { method: 'notifications/tasks/status', params: { taskId: other.id } },
  ])
  t.equal(heard.length, 4)
})

// What a session hears of tasks that somebody tells of.
function hearing() {
  const heard: object[] = []
  let tell: (task: Task) => void = () => {}
  const onSessionTask = (listener: (task: Task) => void) => {
    tell = listener
  }
  const toSession: SessionRegistry['notify'] = (_session, jsonOf) => {
    const session = { revision: findRevision('2025-11-25')!, capabilities: {} } as Session
    const json = jsonOf(session, undefined)
    if (json !== undefined) heard.push(JSON.parse(json))
  }
  const unused = () => {}
  const sessions = { notify: toSession, hasReader: () => true, findReader: unused, onEnd: unused, onLook: unused }
  const tasks = { onSessionTask, onLook: unused, onStop: unused }
  const access = { mayReadTask: () => true }
  notifySessions(
    { tasks: tasks as unknown as TaskService, access: access as unknown as Access },
    sessions as unknown as SessionRegistry,
  )
  return { tell: (task: Task) => tell(task), heard }
}
