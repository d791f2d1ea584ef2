// Spec 2025-11-25: basic/utilities/tasks, "Input Required Status" and "Associating Task-Related Messages".
import t from 'tap'
import { type AppClient, open } from '../../../support/client/app-client.ts'
import { nextId } from '../../../support/client/client.ts'
import { type TestReply, textOf } from '../../../support/client/reply.ts'
import { accept, form, greet, sampled, sampling } from '../../../support/legacy/asking.ts'
import { begin, cancel, look, relatedTo, resultOf, untilStatus, withJobOver } from '../../../support/legacy/tasking.ts'
import type { Handler } from '../../../support/steered-tools.ts'

const waitFor = (client: AppClient, taskId: string): Promise<TestReply> =>
  client.post(client.request('tasks/result', { taskId }))
const saidOf = async (waiting: TestReply) => textOf((await waiting.last()) as Parameters<typeof textOf>[0])

/** A task whose tool has asked something. */
async function asked(t: Parameters<typeof withJobOver>[0], handler: Handler) {
  const client = await withJobOver(t, handler)
  const { taskId } = await begin(client, 'job')
  await untilStatus(client, taskId, 'input_required')
  return { client, taskId }
}

const twice: Handler = async ctx => {
  const first = await ctx.elicit('first', form('name'))
  const second = await ctx.elicit('second', form('town'))
  return `${first.content?.['name']} of ${second.content?.['town']}`
}

t.test('a task whose tool asks needs input; the question comes with its result, and says of which task', async t => {
  const { client, taskId } = await asked(t, greet)

  const waiting = await waitFor(client, taskId)
  const question = await waiting.next(0)
  t.equal((await look(client, taskId)).result.status, 'input_required')
  const told = await client.answer(question, { ...accept({ name: 'Ada' }), _meta: relatedTo(taskId) })

  t.match(question, { method: 'elicitation/create', params: { ...form('name'), _meta: relatedTo(taskId) } })
  t.equal(told.status, 202)
  t.equal(await saidOf(waiting), 'Hello Ada')
  t.equal(waiting.messages.length, 2)
  t.equal((await look(client, taskId)).result.status, 'completed')
})

t.test('whatever is asked says of which task', async t => {
  const { client, taskId } = await asked(t, async ctx => {
    const answers = await Promise.all([
      ctx.elicit('form', form('name')),
      ctx.elicit('url', { mode: 'url', message: 'Pay', url: 'https://pay.example/1' }),
      ctx.sample('model', sampling),
      ctx.listRoots('roots'),
    ])
    return `${answers.length} answers`
  })
  const waiting = await waitFor(client, taskId)
  await waiting.next(3)
  const questions = waiting.messages.slice(0, 4)
  const answers: Record<string, object> = {
    'elicitation/create': accept({ name: 'Ada' }),
    'sampling/createMessage': sampled,
    'roots/list': { roots: [] },
  }

  for (const question of questions) await client.answer(question, answers[question.method!]!)

  for (const { params } of questions) t.strictSame(params._meta, relatedTo(taskId))
  t.equal(await saidOf(waiting), '4 answers')
})

t.test('a task that has its answer works on, and may ask again on the same stream', async t => {
  const { client, taskId } = await asked(t, twice)
  const waiting = await waitFor(client, taskId)

  await client.answer(await waiting.next(0), accept({ name: 'Ada' }))
  await client.answer(await waiting.next(1), accept({ town: 'London' }))

  t.equal(await saidOf(waiting), 'Ada of London')
  t.strictSame(
    waiting.messages.slice(0, 2).map(({ params }) => params.message),
    ['Your name?', 'Your town?'],
  )
})

t.test('while one of several questions is open, the task needs input', async t => {
  const { client, taskId } = await asked(t, async ctx => {
    const both = await Promise.all([ctx.elicit('a', form('a')), ctx.elicit('b', form('b'))])
    return both.map(({ content }) => Object.values(content ?? {})).join()
  })
  const waiting = await waitFor(client, taskId)
  const [one, other] = [await waiting.next(0), await waiting.next(1)]

  await client.answer(other, accept({ b: '2' }))
  t.equal((await look(client, taskId)).result.status, 'input_required')
  await client.answer(one, accept({ a: '1' }))

  t.equal(await saidOf(waiting), '1,2')
})

t.test('an answer that breaks the schema of the question is asked for again', async t => {
  const { client, taskId } = await asked(t, greet)
  const waiting = await waitFor(client, taskId)

  await client.answer(await waiting.next(0), accept({ name: 7 }))
  await client.answer(await waiting.next(1), accept({ name: 'Ada' }))

  t.equal(await saidOf(waiting), 'Hello Ada')
})

t.test('a client that will not answer has refused, and the task fails as the call would', async t => {
  const { client, taskId } = await asked(t, greet)
  const waiting = await waitFor(client, taskId)

  await client.refuse(await waiting.next(0), 'the user is asleep')

  t.match((await waiting.last()).result, { isError: true, content: [{ text: /the user is asleep/ }] })
  t.match((await look(client, taskId)).result, { status: 'failed', statusMessage: /the user is asleep/ })
})

t.test('of two that wait, one answers: the question of the other is withdrawn, and both get the result', async t => {
  const { client, taskId } = await asked(t, greet)
  const [one, other] = [await waitFor(client, taskId), await waitFor(client, taskId)]
  const [question, spare] = [await one.next(0), await other.next(0)]

  await client.answer(question, accept({ name: 'Ada' }))

  t.not(question.id, spare.id)
  t.match(await other.next(1), { method: 'notifications/cancelled', params: { requestId: spare.id } })
  t.strictSame([await saidOf(one), await saidOf(other)], ['Hello Ada', 'Hello Ada'])
  t.strictSame([one.messages.length, other.messages.length], [2, 3])
  t.equal((await client.answer(spare, accept({ name: 'Late' }))).status, 202)
  t.equal(textOf(await resultOf(client, taskId)), 'Hello Ada')
})

t.test('a question is answered once: what comes a second time changes nothing', async t => {
  const { client, taskId } = await asked(t, twice)
  const waiting = await waitFor(client, taskId)
  const first = await waiting.next(0)

  await client.answer(first, accept({ name: 'Ada' }))
  await client.answer(first, accept({ name: 'Eve', town: 'Eden' }))
  await client.answer(await waiting.next(1), accept({ town: 'London' }))

  t.equal(await saidOf(waiting), 'Ada of London')
})

t.test('a question of another session is not answered from here', async t => {
  const { client, taskId } = await asked(t, greet)
  const stranger = await open(t, client.app)
  const waiting = await waitFor(client, taskId)
  const question = await waiting.next(0)

  await stranger.answer(question, accept({ name: 'Eve' }))
  await client.answer(question, accept({ name: 'Ada' }))

  t.equal(await saidOf(waiting), 'Hello Ada')
})

t.test('who is asked and cancels that request leaves the question to the next', async t => {
  const { client, taskId } = await asked(t, greet)
  const id = nextId()
  const first = await client.post(client.request('tasks/result', { taskId }, id))
  const question = await first.next(0)

  await client.notify('notifications/cancelled', { requestId: id })
  await first.ended
  const second = await waitFor(client, taskId)
  await client.answer(question, accept({ name: 'Late' }))
  await client.answer(await second.next(0), accept({ name: 'Ada' }))

  t.equal(await saidOf(second), 'Hello Ada')
  t.notOk(first.messages.some(({ result }) => result !== undefined))
})

t.test('a task that is cancelled while its client is asked: the question is withdrawn', async t => {
  const { client, taskId } = await asked(t, greet)
  const waiting = await waitFor(client, taskId)
  const question = await waiting.next(0)

  const cancelled = await cancel(client, taskId)

  t.equal(cancelled.result.status, 'cancelled')
  const params = { requestId: question.id, reason: 'The question needs no answer any more' }
  t.match(await waiting.next(1), { method: 'notifications/cancelled', params })
  t.match((await waiting.last()).result, { isError: true, content: [{ text: /cancelled/ }] })
  await client.answer(question, accept({ name: 'Ada' }))
  t.equal((await look(client, taskId)).result.status, 'cancelled')
})

t.test('a connection that drops before the answer is gone back to: the question is there, and the result', async t => {
  const { client, taskId } = await asked(t, greet)
  const first = await waitFor(client, taskId)
  const { id } = await first.event(0)
  await first.next(0)
  first.close()
  await first.ended

  const second = await client.listen(id)
  await client.answer(await second.next(0), accept({ name: 'Ada' }))

  t.equal(await saidOf(second), 'Hello Ada')
})

t.test('a client that takes no stream is not asked, and waits until another answers', async t => {
  const { client, taskId } = await asked(t, greet)
  const waiting = resultOf(client, taskId, { accept: 'application/json' })
  const other = await waitFor(client, taskId)

  await client.answer(await other.next(0), accept({ name: 'Ada' }))

  const { messages, headers } = await waiting
  t.match(headers['content-type'], /^application\/json/)
  t.strictSame(messages.map(textOf as (message: object) => unknown), ['Hello Ada'])
})

t.test('a tool that does not stop asking is a task that fails', async t => {
  let runs = 0
  const { client, taskId } = await asked(t, async ctx => {
    runs++
    for (let round = 0; ; round++) await ctx.elicit(`again ${round}`, form('name'))
  })
  const waiting = await waitFor(client, taskId)

  for (let round = 0; round < 10; round++) await client.answer(await waiting.next(round), accept({ name: 'Ada' }))

  t.match((await waiting.last()).result, { isError: true, content: [{ text: /10 rounds/ }] })
  t.match((await look(client, taskId)).result, { status: 'failed', statusMessage: /10 rounds/ })
  t.equal(runs, 11)
})
