// Spec 2025-11-25: basic/utilities/tasks, "Capabilities", "Creating Tasks" and "TTL and Resource Management".
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { session } from '../../../support/client/app-client.ts'
import { textOf } from '../../../support/client/reply.ts'
import {
  begin,
  callAsTask,
  gate,
  look,
  relatedTo,
  resultOf,
  taskTool,
  untilStatus,
  withJob,
} from '../../../support/legacy/tasking.ts'
import { tool } from '../../../support/steered-tools.ts'

const TTL = 60_000
const done = () => 'done'

t.test('tasks: a server with a tool for them declares what may be done with tasks', async t => {
  const { opened } = await withJob(t, done)

  t.strictSame(opened.result.capabilities.tasks, { list: {}, cancel: {}, requests: { tools: { call: {} } } })
  t.notOk('extensions' in opened.result.capabilities)
})

t.test('tasks: the list of tools says of each whether it may or must be one, unless it may not', async t => {
  const tools = [tool('never', done), taskTool('may', done), taskTool('must', done, { task: 'required' })]
  const client = await session(t, { tools })

  const { result } = await client.call('tools/list')

  const told = result.tools.map(({ name, execution }: { name: string; execution?: object }) => [name, execution])
  t.strictSame(told, [
    ['may', { taskSupport: 'optional' }],
    ['must', { taskSupport: 'required' }],
    ['never', undefined],
  ])
})

t.test('tasks: a tool that cannot be a task is none, and does not run', async t => {
  let runs = 0
  const never = tool('never', () => runs++)
  const client = await session(t, { tools: [never, taskTool('may', done)] })

  const { status, error } = await callAsTask(client, 'never')

  t.match({ status, error }, { status: 200, error: { code: -32601, message: /never cannot be called as a task/ } })
  t.equal(runs, 0)
})

t.test('tasks: a tool that must be a task runs as nothing else', async t => {
  let runs = 0
  const must = taskTool('must', () => `${++runs}`, { task: 'required' })
  const client = await session(t, { tools: [must] })

  const { status, error } = await client.callTool('must')

  t.match({ status, error }, { status: 200, error: { code: -32601, message: /must can only be called as a task/ } })
  t.equal(runs, 0)
  const { taskId } = await begin(client, 'must')
  t.equal(textOf(await resultOf(client, taskId)), '1')
})

t.test('tasks: a tool that may be a task is called as before by who does not ask for one', async t => {
  const client = await withJob(t, done)

  const { result } = await client.callTool('job')

  t.strictSame(result, { content: [{ type: 'text', text: 'done' }] })
})

t.test('tasks: the handle comes while the call goes on, and says all but how it ends', async t => {
  const { handler, started, end } = gate()
  const client = await withJob(t, handler)

  const { status, result } = await callAsTask(client, 'job', {}, { ttl: TTL })

  t.equal(status, 200)
  const { task, ...rest } = result
  t.strictSame(rest, { _meta: relatedTo(task.taskId) })
  t.match(task, { taskId: /^[\w-]{32}$/, status: 'working', ttl: TTL, pollInterval: Number })
  t.equal(task.createdAt, task.lastUpdatedAt)
  await started
  end('done')
  t.equal(textOf(await resultOf(client, task.taskId)), 'done')
})

t.test('tasks: a handle says working even where the call ends at once', async t => {
  const client = await withJob(t, done)

  for (let turn = 0; turn < 5; turn++) t.match(await begin(client, 'job'), { status: 'working' })
})

t.test('tasks: each has an id of its own', async t => {
  const client = await withJob(t, done)

  const ids = await Promise.all(Array.from({ length: 50 }, async () => (await begin(client, 'job')).taskId))

  t.equal(new Set(ids).size, 50)
})

t.test('tasks/get says what the task is, when it was made, when it changed, and never how it ended', async t => {
  const { handler, end } = gate()
  const client = await withJob(t, handler)
  const task = await begin(client, 'job', {}, { ttl: TTL })

  const before = await look(client, task.taskId)
  end('done')
  const after = await untilStatus(client, task.taskId, 'completed')

  t.strictSame(before.result, task)
  t.strictSame(after, { ...task, status: 'completed', lastUpdatedAt: after.lastUpdatedAt })
  t.ok(after.lastUpdatedAt >= task.lastUpdatedAt)
})

t.test('tasks/get goes by its own taskId, whatever the metadata says', async t => {
  const client = await withJob(t, done)
  const [one, other] = [await begin(client, 'job'), await begin(client, 'job')]

  const _meta = { 'io.modelcontextprotocol/related-task': { taskId: other.taskId } }
  const answers = await Promise.all(
    ['tasks/get', 'tasks/result'].map(method => client.call(method, { taskId: one.taskId, _meta })),
  )

  t.equal(answers[0]!.result.taskId, one.taskId)
  t.equal(answers[1]!.result._meta['io.modelcontextprotocol/related-task'].taskId, one.taskId)
})

t.test('tasks: an answer to tasks/get is no stream', async t => {
  const client = await withJob(t, () => new Promise(() => {}))
  const { taskId } = await begin(client, 'job')

  const { headers } = await look(client, taskId)

  t.match(headers['content-type'], /^application\/json/)
})

for (const [asked, given] of [
  [{}, 3_600_000],
  [{ ttl: null }, 3_600_000],
  [{ ttl: 5000 }, 5000],
  [{ ttl: 5000.2 }, 5001],
  [{ ttl: 3_600_000 }, 3_600_000],
  [{ ttl: 3_600_001 }, 3_600_000],
  [{ ttl: 1e300 }, 3_600_000],
  [{ ttl: 0 }, 1],
  [{ ttl: -5 }, 1],
] as const) {
  t.test(`ttl: of a task that is asked for with ${JSON.stringify(asked)} it is ${given}`, async t => {
    const client = await withJob(t, done)

    t.equal((await begin(client, 'job', {}, asked)).ttl, given)
  })
}

t.test('ttl: what the operator allows is the most', async t => {
  const client = await withJob(t, done, { tasks: { ttlMs: 2000 } })

  t.equal((await begin(client, 'job')).ttl, 2000)
  t.equal((await begin(client, 'job', {}, { ttl: 1999 })).ttl, 1999)
  t.equal((await begin(client, 'job', {}, { ttl: 2001 })).ttl, 2000)
})

for (const task of [{ ttl: '5000' }, { ttl: true }, { ttl: {} }, 'yes', true, null, 7, []]) {
  t.test(`a call with the task ${JSON.stringify(task)} is refused`, async t => {
    let runs = 0
    const client = await withJob(t, () => runs++)

    const { status, error } = await callAsTask(client, 'job', {}, task)

    t.match({ status, error }, { status: 200, error: { code: -32602, message: /task/ } })
    t.equal(runs, 0)
  })
}

t.test('ttl: when it has passed, the task is unknown, and what it still did is stopped', async t => {
  const { handler, started, aborted } = gate()
  const client = await withJob(t, handler)
  // A busy machine may let the time pass before it has begun.
  let taskId = ''
  for (let hasBegun = false; !hasBegun; ) {
    taskId = (await begin(client, 'job', {}, { ttl: 200 })).taskId
    hasBegun = await Promise.race([started.then(() => true), sleep(1000, false, { ref: false })])
  }
  const waiting = resultOf(client, taskId)
  while ((await look(client, taskId)).error === undefined) await sleep(20)

  t.match((await look(client, taskId)).error, { code: -32602, message: /Task not found/ })
  t.match((await waiting).error, { code: -32602, message: /Task not found/ })
  t.match(await aborted, /cancelled/)
})

t.test('tasks: one that nobody made is unknown to every method', async t => {
  const client = await withJob(t, done)

  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
    for (const taskId of ['nope', '', 'x'.repeat(10_000)]) {
      const { status, error } = await client.call(method, { taskId })
      t.match({ status, error }, { status: 200, error: { code: -32602, message: /^Task not found/ } }, method)
    }
    for (const params of [undefined, {}, { taskId: 7 }, { taskId: null }, { taskId: [] }])
      t.match((await client.call(method, params)).error, { code: -32602 }, `${method} ${JSON.stringify(params)}`)
  }
})

t.test('tasks: an unknown tool is one of the call, task or not', async t => {
  const client = await withJob(t, done)

  t.match((await callAsTask(client, 'nope')).error, { code: -32602, message: 'Unknown tool: nope' })
})
