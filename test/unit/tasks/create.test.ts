// What a task runs with, after the connection that asked for it is gone.
import t from 'tap'
import { VERSIONS } from '../../../src/protocol/revisions/index.ts'
import { createTaskExchange } from '../../../src/tasks/create.ts'

t.test('a task of a revision that this server does not serve is refused with those that it does', async t => {
  const job = { version: '1999-01-01', arguments: {}, meta: {}, capabilities: {}, id: 1, requestId: 'a' }
  const task = { job, tool: 'echo', answers: {}, clientKey: 'k' }

  t.throws(() => createTaskExchange(task as never, {} as never), {
    code: -32022,
    data: { supported: VERSIONS, requested: '1999-01-01' },
  })
})
