// Extension io.modelcontextprotocol/tasks: "Task Creation" and "Polymorphic Results": when a call becomes a task.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { call, callTool, request } from '../../support/app.ts'
import { ABLE } from '../../support/input/rounds.ts'
import { until } from '../../support/security/hostile.ts'
import {
  cancel,
  get,
  held,
  job,
  rack,
  start,
  TASKS,
  taskFrom,
  textOf,
  UNDECLARED,
  whenEnded,
} from '../../support/tasks/modern.ts'

const quick = job('quick', () => 'quick')

t.test('tools/call: what ends within taskInlineMs is answered as without tasks', async t => {
  const app = await rack(t, [quick], { tasks: { inlineMs: 60_000 } })
  const plain = await start(app, 'quick', {}, { id: 1, capabilities: {} })

  const offered = await start(app, 'quick', {}, { id: 1 })

  t.match(offered.result, { resultType: 'complete', content: [{ text: 'quick' }] })
  t.strictSame({ ...offered, headers: {} }, { ...plain, headers: {} })
})

t.test('tools/call: what lasts longer than taskInlineMs is a task, which goes on', async t => {
  const { tool, seen, release } = held()
  const app = await rack(t, [tool], { tasks: { inlineMs: 20 } })

  const { status, result } = await start(app, 'held')

  t.equal(status, 200)
  t.match(result, { resultType: 'task', status: 'working', ttlMs: 3_600_000, pollIntervalMs: 1000 })
  t.equal(seen.begun, 1)
  release('late')
  t.equal(textOf(await whenEnded(app, result.taskId)), 'late')
  t.equal(seen.begun, 1, 'it ran once')
})

t.test('tools/call: with taskInlineMs 0 even what ends at once is a task', async t => {
  const app = await rack(t, [quick])

  const { result } = await start(app, 'quick')

  t.equal(result.resultType, 'task')
  t.equal(textOf(await whenEnded(app, result.taskId)), 'quick')
})

t.test('tools/call: the handle says of the task what tasks/get says of it', async t => {
  const { tool } = held()
  const app = await rack(t, [tool], { tasks: { ttlMs: 60_000 } })
  const earliest = new Date().toISOString()

  const { resultType, _meta, ...handle } = (await start(app, 'held')).result

  const { resultType: type, _meta: meta, ...task } = (await get(app, handle.taskId)).result
  t.strictSame([resultType, type], ['task', 'complete'])
  t.strictSame(handle, task)
  t.equal(task.ttlMs, 60_000)
  t.ok(task.createdAt >= earliest && task.createdAt <= new Date().toISOString(), task.createdAt)
})

t.test('tools/call: a task is there before its handle is sent: asked for in the same instant, it is found', async t => {
  const { tool } = held()
  const app = await rack(t, [tool])

  for (let round = 0; round < 50; round++) {
    const taskId = await taskFrom(app, 'held')
    const looks = await Promise.all([get(app, taskId), get(app, taskId)])
    for (const { result } of looks) t.equal(result?.status, 'working')
  }
})

t.test("tools/call: a tool with task: 'forbidden' never becomes a task", async t => {
  const app = await rack(t, [job('never', () => 'plain', { task: 'forbidden' }), quick])

  t.match(await callTool(app, 'never', {}, { capabilities: TASKS }), { resultType: 'complete' })
})

t.test('tools/call: without the extension an optional tool runs within its request', async t => {
  const { tool, release } = held()
  const app = await rack(t, [tool])

  const replied = start(app, 'held', {}, { capabilities: ABLE })
  setTimeout(() => release('in time'), 30)

  const { result } = await replied
  t.match(result, { resultType: 'complete', content: [{ text: 'in time' }] })
  t.equal('taskId' in result, false)
})

t.test('tools/call: without the extension a required tool is -32021, and its handler does not run', async t => {
  const { tool, seen } = held('needy', { task: 'required' })
  const app = await rack(t, [tool])

  for (const capabilities of [{}, ABLE, { extensions: {} }]) {
    const { status, error } = await start(app, 'needy', {}, { capabilities })
    t.match({ status, error }, { status: 400, error: UNDECLARED })
  }

  t.equal(seen.begun, 0)
  t.equal((await start(app, 'needy')).result.resultType, 'task')
})

t.test('tools/call: a required tool that ends at once may be answered at once', async t => {
  const app = await rack(t, [job('needy', () => 'quick', { task: 'required' })], { tasks: { inlineMs: 60_000 } })

  t.match((await start(app, 'needy')).result, { resultType: 'complete', content: [{ text: 'quick' }] })
})

t.test('tools/call: a task that is asked for in the manner of 2025-11-25 is ignored', async t => {
  const app = await rack(t, [quick, job('never', () => 'plain', { task: 'forbidden' })])
  const asked = (name: string, task: unknown, capabilities: object = TASKS) =>
    call(app, 'tools/call', { name, arguments: {}, task }, { capabilities })

  for (const task of [{ ttl: 1, pollInterval: 7 }, {}, null, 'x']) {
    t.match((await asked('quick', task)).result, { resultType: 'task', ttlMs: 3_600_000, pollIntervalMs: 1000 })
    t.match((await asked('never', task)).result, { resultType: 'complete' })
    t.match((await asked('quick', task, {})).result, { resultType: 'complete' })
  }
})

t.test('tools/call: arguments that are wrong are told at once, as without tasks', async t => {
  const { tool, seen } = held('strict', { inputSchema: { type: 'object', required: ['n'] } })
  const app = await rack(t, [tool])

  const wrong = await start(app, 'strict', {}, { id: 1 })

  t.match(wrong.result, { resultType: 'complete', isError: true, content: [{ text: /strict.*n/s }] })
  t.strictSame(wrong.result, (await start(app, 'strict', {}, { id: 1, capabilities: {} })).result)
  t.equal(seen.begun, 0)
})

t.test('tools/call: an unknown tool is -32602, whatever the client declares', async t => {
  const app = await rack(t, [quick])

  t.match((await start(app, 'nope')).error, { code: -32602, message: /^Unknown tool/ })
})

t.test('tools/call: a client that leaves before it knows of the task ends the call', async t => {
  const { tool, seen } = held()
  const app = await rack(t, [tool], { tasks: { inlineMs: 60_000 } })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const leave = new AbortController()
  const { message, headers } = request('tools/call', { name: 'held' }, { capabilities: TASKS })
  const body = JSON.stringify(message)
  const sent = fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers, body, signal: leave.signal })
  await until(() => seen.begun === 1, 'it began')

  leave.abort()

  await t.rejects(sent)
  await until(() => seen.aborted.length === 1, 'it was aborted')
})

t.test('tools/call: calls of one tool are tasks of their own', async t => {
  const app = await rack(t, [job('echo', (_ctx, { n }) => `n is ${n}`)])
  const calls = Array.from({ length: 20 }, (_, n) => taskFrom(app, 'echo', { n }))

  const taskIds = await Promise.all(calls)

  t.equal(new Set(taskIds).size, 20)
  for (const [n, taskId] of taskIds.entries()) t.equal(textOf(await whenEnded(app, taskId)), `n is ${n}`)
  await cancel(app, taskIds[0]!)
})

t.test('tools/call: one that ends just when its client is given a task gives its result once, in one way', async t => {
  let runs = 0
  const racer = job('racer', async () => {
    runs++
    await sleep(15)
    return 'done'
  })
  const app = await rack(t, [racer], { tasks: { inlineMs: 15 } })

  const replies = await Promise.all(Array.from({ length: 100 }, () => start(app, 'racer')))

  for (const { result } of replies) {
    const ended = result.resultType === 'task' ? await whenEnded(app, result.taskId) : { result }
    t.equal(textOf(ended), 'done')
  }
  t.equal(runs, 100)
  const ends = app.audit.lines.filter(({ method, outcome }) => method === 'tools/call' && outcome === 'ok')
  t.equal(ends.length, 100, 'and each has one line in the audit')
})
