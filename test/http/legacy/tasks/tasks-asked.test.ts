// What a task asks, over the session's own stream: for clients that look with tasks/get, and wait for no result.
// Spec 2025-11-25: basic/utilities/tasks, "Task Support and Handling" and "Input Required Status".
import t from 'tap'
import { listen } from '../../../support/app.ts'
import { bearer, guarded } from '../../../support/auth/guarded.ts'
import { open } from '../../../support/client/app-client.ts'
import { textOf } from '../../../support/client/reply.ts'
import { accept, greet } from '../../../support/legacy/asking.ts'
import {
  begin,
  callAsTask,
  cancel,
  look,
  relatedTo,
  resultOf,
  taskTool,
  untilStatus,
  withJobOver,
} from '../../../support/legacy/tasking.ts'
import { get, update } from '../../../support/tasks/modern.ts'
import type { WireMessage } from '../../../support/wire/modern.ts'

t.jobs = 8

const isQuestion = ({ method }: WireMessage) => method === 'elicitation/create'

/** A session that listens, whose task has asked. */
async function asked(t: Parameters<typeof withJobOver>[0], handler = greet) {
  const client = await withJobOver(t, handler)
  const news = await client.listen()
  const { taskId } = await begin(client, 'job')
  const questions = () => news.messages.filter(isQuestion)
  const question = async (index = 0) => {
    await news.until(() => questions().length > index, `question ${index}`)
    return questions()[index]!
  }
  return { client, news, taskId, questions, question }
}

t.test('a client that only looks is asked over its stream, once, and the task goes on', async t => {
  const { client, taskId, questions, question } = await asked(t)

  const asking = await question()
  for (let looks = 0; looks < 3; looks++) await look(client, taskId)
  await client.answer(asking, accept({ name: 'Ada' }))
  await untilStatus(client, taskId, 'completed')

  t.match(asking.params._meta, relatedTo(taskId))
  t.equal(questions().length, 1)
  t.equal(textOf(await resultOf(client, taskId)), 'Hello Ada')
})

t.test('each of its questions comes so', async t => {
  const { client, taskId, question } = await asked(t, async ctx => {
    const first = await ctx.elicit('first', { message: 'One?', requestedSchema: { type: 'object', properties: {} } })
    const second = await ctx.elicit('second', { message: 'Two?', requestedSchema: { type: 'object', properties: {} } })
    return `${first.action}, ${second.action}`
  })

  await client.answer(await question(0), { action: 'decline' })
  await client.answer(await question(1), { action: 'accept', content: {} })
  await untilStatus(client, taskId, 'completed')

  t.equal(textOf(await resultOf(client, taskId)), 'decline, accept')
})

t.test('a client that waits for the result is asked there only', async t => {
  const gate = Promise.withResolvers<void>()
  const { client, taskId, questions } = await asked(t, ctx => gate.promise.then(() => greet(ctx, {})))
  // Its stream opens once the server waits.
  const waiting = await client.post(client.request('tasks/result', { taskId }))
  gate.resolve()
  const question = await waiting.next(0)

  const other = await asked(t)
  await other.question()
  await client.answer(question, accept({ name: 'Ada' }))

  t.equal(textOf((await waiting.last()) as Parameters<typeof textOf>[0]), 'Hello Ada')
  t.strictSame(questions(), [])
})

t.test('a client that waits for the result once it was asked over its stream is not asked again', async t => {
  const { client, taskId, questions, question } = await asked(t)
  const asking = await question()

  const waiting = await client.post(client.request('tasks/result', { taskId }))
  await client.answer(asking, accept({ name: 'Ada' }))

  t.equal(textOf((await waiting.last()) as Parameters<typeof textOf>[0]), 'Hello Ada')
  t.equal(questions().length, 1)
  t.strictSame(waiting.messages.filter(isQuestion), [])
})

t.test('a question of a task that is cancelled is withdrawn', async t => {
  const { client, news, taskId, question } = await asked(t)
  const { id } = await question()

  await cancel(client, taskId)

  const isWithdrawn = ({ method, params }: WireMessage) =>
    method === 'notifications/cancelled' && params.requestId === id
  await news.until(() => news.messages.some(isWithdrawn), 'the withdrawal')
  t.equal((await look(client, taskId)).result.status, 'cancelled')
})

t.test('a stream that opens after the question gets it, as soon as the client looks', async t => {
  const client = await withJobOver(t, greet)
  const { taskId } = await begin(client, 'job')
  await untilStatus(client, taskId, 'input_required')

  const news = await client.listen()
  await look(client, taskId)
  await news.until(() => news.messages.some(isQuestion), 'the question')
  await client.answer(news.messages.find(isQuestion)!, accept({ name: 'Ada' }))

  await untilStatus(client, taskId, 'completed')
  t.equal(news.messages.filter(isQuestion).length, 1)
})

t.test('a stream of another session is not asked', async t => {
  const { client, taskId, question } = await asked(t)
  const stranger = await open(t, client.app)
  const strange = await stranger.listen()

  const asking = await question()
  await stranger.answer(asking, accept({ name: 'Eve' }))
  await client.answer(asking, accept({ name: 'Ada' }))
  await untilStatus(client, taskId, 'completed')

  t.strictSame(strange.messages, [])
  t.equal(textOf(await resultOf(client, taskId)), 'Hello Ada')
})

t.test('a client that did not declare it is not asked', async t => {
  const client = await withJobOver(t, greet, {}, { capabilities: { sampling: {} } })
  const news = await client.listen()
  const { taskId } = await begin(client, 'job')
  const other = await asked(t)
  await other.question()

  t.strictSame(news.messages.filter(isQuestion), [])
  t.match((await look(client, taskId)).result.status, /^(?:failed|input_required)$/)
})

t.test('the server closes while a question waits', async t => {
  const { client, question } = await asked(t)
  await question()

  await client.app.close()
  t.pass()
})

const headers = bearer('read')

/** Two clients of one verified caller, one of which has a task that asks. */
async function verified(t: Parameters<typeof withJobOver>[0]) {
  const app = await guarded(t, { tools: [taskTool('job', greet)] })
  await listen(app)
  const client = await open(t, app, { headers })
  const news = await client.listen(undefined, headers)
  const { taskId } = (await callAsTask(client, 'job', {}, {}, headers)).result.task
  await news.until(() => news.messages.some(isQuestion), 'the question')
  return { app, client, news, taskId, asking: news.messages.find(isQuestion)! }
}

t.test('a question that another client of the caller answers is withdrawn', async t => {
  const { app, news, taskId, asking } = await verified(t)

  const { inputRequests } = (await get(app, taskId, { headers })).result
  const [key] = Object.keys(inputRequests)
  await update(app, { taskId, inputResponses: { [key!]: accept({ name: 'Ada' }) } }, { headers })

  const isWithdrawn = ({ method, params }: WireMessage) =>
    method === 'notifications/cancelled' && params.requestId === asking.id
  await news.until(() => news.messages.some(isWithdrawn), 'the withdrawal')
  t.equal(news.messages.filter(isQuestion).length, 1)
})

t.test('a client that comes back in another session is asked there', async t => {
  const { app, taskId } = await verified(t)
  const again = await open(t, app, { headers })
  const news = await again.listen(undefined, headers)

  await again.call('tasks/get', { taskId }, headers)
  await news.until(() => news.messages.some(isQuestion), 'the question')
  const question = news.messages.find(isQuestion)!
  await again.send({ jsonrpc: '2.0', id: question.id, result: accept({ name: 'Ada' }) }, headers)

  t.equal(textOf(await again.call('tasks/result', { taskId }, headers)), 'Hello Ada')
})
