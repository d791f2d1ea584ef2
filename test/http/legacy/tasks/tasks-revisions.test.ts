// Who knows no tasks: revisions before 2025-11-25, and every client of a server without tools for them.
import t from 'tap'
import { session } from '../../../support/client/app-client.ts'
import { nextId } from '../../../support/client/client.ts'
import { callAsTask, taskTool } from '../../../support/legacy/tasking.ts'
import { tool } from '../../../support/steered-tools.ts'
import { LEGACY_VERSIONS } from '../../../support/wire/legacy.ts'

const OLDER = LEGACY_VERSIONS.filter(version => version < '2025-11-25')
const TASK_METHODS = ['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/list', 'tasks/update']

const saidOf = ({ content, toolResult }: { content?: { text: string }[]; toolResult?: unknown }) =>
  content?.[0]?.text ?? toolResult

for (const revision of OLDER) {
  t.test(`${revision}: tasks are no capability, and no tool says that it may be one`, async t => {
    const tools = [taskTool('may', () => ''), taskTool('must', () => '', { task: 'required' })]
    const client = await session(t, { tools }, { revision })

    const { opened } = client
    const { result } = await client.call('tools/list')

    t.notOk('tasks' in opened.result.capabilities)
    t.notMatch(JSON.stringify(opened.result), /task/)
    t.strictSame(
      result.tools.map(({ name, execution }: { name: string; execution?: object }) => [name, execution]),
      [
        ['may', undefined],
        ['must', undefined],
      ],
    )
  })

  t.test(`${revision}: a call that asks for a task is a call`, async t => {
    const client = await session(t, { tools: [taskTool('may', () => 'done')] }, { revision })

    for (const task of [{}, { ttl: 5 }, 'whatever']) {
      const { result } = await callAsTask(client, 'may', {}, task)

      t.equal(saidOf(result), 'done')
      t.notOk('task' in result)
    }
  })

  t.test(`${revision}: a tool that must be a task is refused, and does not run`, async t => {
    let runs = 0
    const must = taskTool('must', () => runs++, { task: 'required' })
    const client = await session(t, { tools: [must] }, { revision })

    const plain = await client.callTool('must')
    const asked = await callAsTask(client, 'must')

    for (const { status, error } of [plain, asked]) {
      t.equal(status, 200)
      t.match(error, { code: -32600, message: /tasks/ })
    }
    t.equal(runs, 0)
  })

  t.test(`${revision}: no method is one of tasks`, async t => {
    const client = await session(t, { tools: [taskTool('may', () => '')] }, { revision })

    for (const method of TASK_METHODS)
      t.match((await client.call(method, { taskId: 'x' })).error, { code: -32601 }, method)
  })
}

t.test('2025-11-25: tasks/update came later', async t => {
  const client = await session(t, { tools: [taskTool('may', () => '')] })

  t.match((await client.call('tasks/update', { taskId: 'x', inputResponses: {} })).error, { code: -32601 })
})

t.test('2025-03-26: a batch has calls, and no tasks', async t => {
  const client = await session(t, { tools: [taskTool('may', () => 'done')] }, { revision: '2025-03-26' })
  const params = { name: 'may', arguments: {}, task: {} }

  const { messages } = await client.send([
    client.request('tools/call', params, nextId()),
    client.request('tasks/list', {}, nextId()),
  ])

  t.strictSame(messages.map(({ error, result }) => error?.code ?? result.content[0].text).sort(), [-32601, 'done'])
})

t.test(
  'a server without tools for tasks says nothing of them, and takes a call that asks for one as a call',
  async t => {
    const client = await session(t, { tools: [tool('plain', () => 'done')] })

    t.notMatch(client.opened.text, /task/)
    t.notMatch((await client.call('tools/list')).text, /execution|task/)
    for (const task of [{}, { ttl: 5000 }, { ttl: 'x' }, 'whatever', null]) {
      const { result } = await callAsTask(client, 'plain', {}, task)
      t.strictSame(result, { content: [{ type: 'text', text: 'done' }] })
    }
    for (const method of TASK_METHODS)
      t.match((await client.call(method, { taskId: 'x' })).error, { code: -32601 }, method)
  },
)

t.test('a tool for tasks that is added later: new sessions are told', async t => {
  const client = await session(t, { tools: [tool('plain', () => 'done')] })
  client.app.toolrack.add(taskTool('may', () => 'done'))

  const { result } = await callAsTask(client, 'may')

  t.equal(result.task.status, 'working')
  t.match((await client.call('tools/list')).result.tools, [{ name: 'may', execution: { taskSupport: 'optional' } }, {}])
})
