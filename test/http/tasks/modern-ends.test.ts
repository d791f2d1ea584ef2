// How tasks end that nobody ends: their time passes, or the server stops. And what is written of them.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createServer } from '../../../src/index.ts'
import { build, jsonLines, listening, request } from '../../support/app.ts'
import { accept, form } from '../../support/input/rounds.ts'
import { until } from '../../support/security/hostile.ts'
import {
  cancel,
  get,
  held,
  job,
  nextTurn,
  rack,
  start,
  TASKS,
  taskFrom,
  update,
  whenAsking,
  whenEnded,
} from '../../support/tasks/modern.ts'

const TTL_MS = 1000
const UNKNOWN = { code: -32602, message: /^Task not found: / }

t.test('ttlMs: when it has passed, a task is as unknown as any other, ended or not', async t => {
  const { tool, seen } = held()
  const app = await rack(t, [tool, job('quick', () => 'quick')], { tasks: { ttlMs: TTL_MS } })
  const begunMs = performance.now()
  const handles = [(await start(app, 'held')).result, (await start(app, 'quick')).result]
  for (const { ttlMs } of handles) t.equal(ttlMs, TTL_MS)
  const taskIds = handles.map(({ taskId }) => taskId as string)
  await sleep(TTL_MS / 2)
  for (const taskId of taskIds) {
    const { error } = await get(app, taskId)
    // A machine that stood still for so long has let it expire.
    if (performance.now() - begunMs < TTL_MS) t.equal(error, undefined, 'before')
  }

  await sleep(TTL_MS / 2 + 50)

  for (const taskId of taskIds) {
    t.match((await get(app, taskId)).error, UNKNOWN)
    t.match((await cancel(app, taskId)).error, UNKNOWN)
    t.match((await update(app, { taskId, inputResponses: {} })).error, UNKNOWN)
  }
  t.equal(seen.aborted.length, 1, 'what nobody can ask for any more does not run on')
})

t.test('ttlMs: looking at a task does not make it last, nor does an answer', async t => {
  const asks = job('asks', async ({ elicit }) => {
    await nextTurn()
    return (await elicit('name', form('name'))).action
  })
  const app = await rack(t, [asks], { tasks: { ttlMs: TTL_MS } })
  /** Undefined where the machine stood still for as long as the task lasts. */
  const answered = async () => {
    const taskId = await taskFrom(app, 'asks')
    const isIn = async (status: string) => {
      let { result } = await get(app, taskId)
      while (result !== undefined && result.status !== status) result = (await get(app, taskId)).result
      return result?.createdAt as string | undefined
    }
    const createdAt = await isIn('input_required')
    await sleep(300)
    await update(app, { taskId, inputResponses: { name: accept({ name: 'Ada' }) } })
    const again = await isIn('completed')
    return createdAt === undefined || again === undefined ? undefined : { taskId, createdAt, again }
  }
  let looked = await answered()
  for (let tries = 1; tries < 10 && looked === undefined; tries++) looked = await answered()
  const { taskId, createdAt, again } = looked!
  t.equal(again, createdAt)

  await until(async () => (await get(app, taskId)).error !== undefined, 'it was gone')

  // Looked at all the time, it would else be there for ever.
  t.ok(Date.now() - Date.parse(createdAt) < 29_000)
})

t.test('taskTtlMs and taskInlineMs: what is out of bounds stops the start', async t => {
  for (const options of [
    { tasks: { ttlMs: 999 } },
    { tasks: { ttlMs: 86_400_001 } },
    { tasks: { inlineMs: -1 } },
    { tasks: { inlineMs: 60_001 } },
  ])
    await t.rejects(createServer(options), { message: new RegExp(Object.keys(options)[0]!) })
})

t.test('shutdown: the server closes within its drain though tasks run, wait and ask', async t => {
  const { tool, seen } = held()
  const asks = job('asks', async ({ elicit }) => {
    await nextTurn()
    return (await elicit('name', form('name'))).action
  })
  const app = await build(t, {
    tools: [tool, asks],
    tasks: { inlineMs: 0 },
    drainMs: 20,
    limits: { maxConcurrentCalls: 2 },
  })
  await whenAsking(app, await taskFrom(app, 'asks'))
  for (const _ of [1, 2, 3, 4]) await taskFrom(app, 'held')
  await until(() => seen.begun === 2, 'as many began as may')

  await app.close()

  t.equal(seen.begun, 2)
  t.equal(seen.aborted.length, 2)
  const ends = app.audit.lines.filter(({ outcome }) => outcome === 'cancelled')
  t.equal(ends.length, 2)
  for (const end of ends) t.match(end, { kind: 'shutdown', tool: 'held' })
})

t.test('shutdown: a call that waits for what may become a task is told that the server stops', async t => {
  const { tool, seen } = held()
  const { app, url } = await listening(t, { tools: [tool], tasks: { inlineMs: 60_000 }, drainMs: 20 })
  const { message, headers } = request('tools/call', { name: 'held', arguments: {} }, { capabilities: TASKS })
  const sent = fetch(url, { method: 'POST', headers, body: JSON.stringify(message) })
  await until(() => seen.begun === 1, 'it began')

  await app.close()

  const answer = await (await sent).text()
  t.match(answer, /shutting down|interrupted/, answer)
  t.notMatch(answer, /cancelled by the client/)
})

t.test('audit: a line for the call and one for its end, with a part of the id and no more', async t => {
  const app = await rack(t, [job('quick', () => 'a result'), job('fails', () => Promise.reject(new Error('no')))])
  const [done, failed] = [await taskFrom(app, 'quick'), await taskFrom(app, 'fails')]
  for (const taskId of [done, failed]) await whenEnded(app, taskId)
  const { tool } = held()
  app.toolrack.add(tool)
  const cancelled = await taskFrom(app, 'held')
  await cancel(app, cancelled)
  await until(() => app.audit.lines.filter(({ outcome }) => outcome === 'cancelled').length === 1, 'its end was noted')

  const ends = app.audit.lines.filter(({ method, task }) => method === 'tools/call' && task !== undefined)
  t.match(ends, [
    { tool: 'quick', task: done.slice(0, 8), outcome: 'ok' },
    { tool: 'fails', task: failed.slice(0, 8), outcome: 'isError', kind: 'tool_error' },
    { tool: 'held', task: cancelled.slice(0, 8), outcome: 'cancelled', kind: 'cancelled' },
  ])
  const calls = app.audit.lines.filter(({ method, task }) => method === 'tools/call' && task === undefined)
  t.strictSame(
    calls.map(({ outcome }) => outcome),
    ['task', 'task', 'task'],
  )
  t.ok(app.audit.lines.some(({ method, task }) => method === 'tasks/get' && task === done.slice(0, 8)))
})

t.test('audit and log: neither the id of a task, nor arguments, answers or results', async t => {
  const app = await rack(
    t,
    [
      job('asks', async ({ elicit, progress }, args) => {
        await nextTurn()
        progress(1, 2, 'kept-progress')
        const { content } = await elicit('name', form('name'))
        return { args, answer: content, more: 'kept-result' }
      }),
    ],
    { logLevel: 'trace' },
  )
  const taskId = await taskFrom(app, 'asks', { word: 'kept-argument' })
  await whenAsking(app, taskId)
  await update(app, { taskId, inputResponses: { name: accept({ name: 'kept-answer' }) } })
  t.match(JSON.stringify(await whenEnded(app, taskId)), /kept-argument.*kept-answer.*kept-result/)
  await cancel(app, taskId)
  await get(app, `${taskId}x`)

  for (const written of [app.logs.text, app.audit.text]) {
    t.ok(written.length > 500, 'something was written')
    for (const secret of [taskId, 'kept-']) t.notOk(written.includes(secret), secret)
  }
})

t.test('audit: a call that ends within its request is one line, as without tasks', async t => {
  const trail = jsonLines()
  const app = await rack(t, [job('quick', () => 'quick')], {
    tasks: { inlineMs: 60_000 },
    audit: { stream: trail.stream },
  })

  await start(app, 'quick')
  await nextTurn()

  t.match(trail.lines, [{ method: 'tools/call', tool: 'quick', outcome: 'ok' }])
  t.equal(trail.lines.length, 1)
})
