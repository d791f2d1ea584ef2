// Spec 2025-11-25: basic/utilities/tasks, "Task Status Notification" and "Task Progress Notifications".
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { open } from '../../../support/client/app-client.ts'
import { accept, greet } from '../../../support/legacy/asking.ts'
import {
  begin,
  callAsTask,
  cancel,
  gate,
  look,
  resultOf,
  taskTool,
  untilStatus,
  withJobOver,
} from '../../../support/legacy/tasking.ts'
import { tool } from '../../../support/steered-tools.ts'
import type { WireMessage } from '../../../support/wire/modern.ts'

const statusesOf = (messages: WireMessage[]) =>
  messages.filter(({ method }) => method === 'notifications/tasks/status').map(({ params }) => params.status)

t.test('the session that asked for a task hears how it ends, all that tasks/get says', async t => {
  const { handler, end } = gate()
  const client = await withJobOver(t, handler)
  const news = await client.listen()
  const { taskId } = await begin(client, 'job')

  end('done')

  const told = await news.next(0)
  t.equal(told.method, 'notifications/tasks/status')
  t.strictSame(told.params, (await look(client, taskId)).result)
  t.equal(told.params.status, 'completed')
})

t.test('a task that fails is told as one that has failed', async t => {
  const { handler, fail } = gate()
  const client = await withJobOver(t, handler)
  const news = await client.listen()
  await begin(client, 'job')

  fail(new Error('The rack is empty'))

  t.match((await news.next(0)).params, { status: 'failed', statusMessage: /The rack is empty/ })
})

t.test('a question, its answer and the end are told, in their order', async t => {
  const client = await withJobOver(t, greet)
  const news = await client.listen()
  const { taskId } = await begin(client, 'job')
  await news.next(0)
  const waiting = await client.post(client.request('tasks/result', { taskId }))

  await client.answer(await waiting.next(0), accept({ name: 'Ada' }))
  await news.next(2)

  t.strictSame(statusesOf(news.messages), ['input_required', 'working', 'completed'])
  t.strictSame(statusesOf(waiting.messages), [])
})

t.test('a task that is cancelled is told once', async t => {
  const { handler, started, aborted, end } = gate()
  const client = await withJobOver(t, handler)
  const news = await client.listen()
  const { taskId } = await begin(client, 'job')
  await started

  await cancel(client, taskId)
  await aborted
  end('done')
  await news.next(0)
  await sleep(30)

  t.strictSame(statusesOf(news.messages), ['cancelled'])
})

t.test('progress of the tool is told as the status of its task', async t => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const client = await withJobOver(t, ({ progress }) => {
    progress(1, 3, 'sorting  the\nscrews')
    return promise
  })
  const news = await client.listen()
  const { taskId } = await begin(client, 'job')

  const told = await news.next(0)

  t.match(told.params, { taskId, status: 'working', statusMessage: 'sorting the screws (1 of 3)' })
  t.strictSame(told.params._meta, { 'toolrack/progress': { progress: 1, total: 3, message: 'sorting the screws' } })
  t.strictSame((await look(client, taskId)).result, told.params)
  resolve('done')
  const { statusMessage, status } = (await news.next(1)).params
  t.strictSame([status, statusMessage], ['completed', undefined])
})

t.test('progress that comes faster than anybody looks is told as its newest', async t => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const client = await withJobOver(t, ({ progress }) => {
    for (let step = 1; step <= 1000; step++) progress(step, 1000)
    return promise
  })
  const news = await client.listen()
  await begin(client, 'job')

  await news.next(1)
  resolve('done')
  await news.next(2)

  t.strictSame(
    news.messages.map(({ params }) => params.statusMessage),
    ['1 of 1000', '1000 of 1000', undefined],
  )
})

t.test('nobody but the session that asked is told', async t => {
  const { handler, end } = gate()
  const client = await withJobOver(t, handler)
  const stranger = await open(t, client.app)
  const [news, others] = [await client.listen(), await stranger.listen()]
  await begin(client, 'job')

  end('done')
  await news.next(0)
  client.app.toolrack.add(tool('filler', () => ''))
  await others.next(0)

  t.strictSame(
    others.messages.map(({ method }) => method),
    ['notifications/tools/list_changed'],
  )
})

t.test('of several streams of the session one is told', async t => {
  const { handler, end } = gate()
  const client = await withJobOver(t, handler)
  const streams = [await client.listen(), await client.listen()]
  await begin(client, 'job')

  end('done')
  await streams[1]!.next(0)
  await sleep(30)

  t.strictSame(
    streams.map(({ messages }) => messages.length),
    [0, 1],
  )
})

t.test('of a call that is no task nothing is told', async t => {
  const client = await withJobOver(t, () => 'done')
  const news = await client.listen()

  await client.callTool('job')
  const { taskId } = await begin(client, 'job')
  await news.next(0)
  await sleep(30)

  t.strictSame(
    news.messages.map(({ params }) => params.taskId),
    [taskId],
  )
})

t.test('a client that listens to nothing misses nothing: it can ask', async t => {
  const client = await withJobOver(t, () => 'done')
  const { taskId } = await begin(client, 'job')

  t.match(await untilStatus(client, taskId, 'completed'), { taskId })
})

t.test('the handle comes before any news of its task', async t => {
  const client = await withJobOver(t, () => 'done')
  const news = await client.listen()
  const { result, messages } = await callAsTask(client, 'job')
  await news.next(0)

  t.equal(result.task.status, 'working')
  t.equal(messages.length, 1)
  t.strictSame(statusesOf(news.messages), ['completed'])
})

t.test('what a tool logs within a task comes over no stream', async t => {
  const chatty = taskTool('chatty', ({ log, progress }) => {
    log.error('broken')
    progress(1)
    return 'done'
  })
  const client = await withJobOver(t, () => '', { tools: [chatty] })
  await client.call('logging/setLevel', { level: 'debug' })
  const news = await client.listen()
  const { taskId } = await begin(client, 'chatty', {}, {})
  const { messages } = await resultOf(client, taskId)
  await news.next(0)

  t.equal(messages.length, 1)
  t.ok(news.messages.every(({ method }) => method === 'notifications/tasks/status'))
})
