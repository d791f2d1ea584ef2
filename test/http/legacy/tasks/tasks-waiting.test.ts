// How many may wait for the end of tasks, and that who has left waits no more.
import t from 'tap'
import { MAX_WAITS_PER_OWNER } from '../../../../src/tasks/listeners.ts'
import { type TestReply, textOf } from '../../../support/client/reply.ts'
import { accept, greet } from '../../../support/legacy/asking.ts'
import { begin, gate, look, resultOf, untilStatus, withJob, withJobOver } from '../../../support/legacy/tasking.ts'

t.test('tasks/result: too many of one client are refused, and told to look; the others are answered', async t => {
  const { handler, started, end } = gate()
  const client = await withJob(t, handler)
  const { taskId } = await begin(client, 'job')
  await started
  const waiting = Array.from({ length: 40 }, () => resultOf(client, taskId))
  await look(client, taskId)

  end('done')
  const answers = await Promise.all(waiting)

  const refused = answers.filter(({ error }) => error !== undefined)
  t.equal(refused.length, 40 - MAX_WAITS_PER_OWNER)
  for (const { status, error, headers } of refused) {
    t.match({ status, error }, { status: 429, error: { code: 42_900, message: /tasks\/get/ } })
    t.ok(Number(headers['retry-after']) >= 1)
  }
  for (const answer of answers) if (answer.error === undefined) t.equal(textOf(answer), 'done')
  t.equal(textOf(await resultOf(client, taskId)), 'done')
})

t.test('tasks/result: whose request was cancelled waits no more', async t => {
  const { handler, started, end } = gate()
  const client = await withJob(t, handler)
  const { taskId } = await begin(client, 'job')
  await started

  for (let turn = 0; turn < 40; turn++) {
    const request = client.request('tasks/result', { taskId })
    const waiting = client.send(request)
    await client.call('ping')
    await client.notify('notifications/cancelled', { requestId: request.id })
    t.strictSame((await waiting).messages, [])
  }
  const last = resultOf(client, taskId)
  await look(client, taskId)
  end('done')

  t.equal(textOf(await last), 'done')
})

t.test('tasks/result: who has left gives the place to who comes, also where its client was asked', async t => {
  const client = await withJobOver(t, greet)
  const { taskId } = await begin(client, 'job')
  await untilStatus(client, taskId, 'input_required')
  const wait = () => client.post(client.request('tasks/result', { taskId }))
  const waiting = await Promise.all(Array.from({ length: MAX_WAITS_PER_OWNER }, wait))
  const [first, ...others] = waiting as [TestReply, ...TestReply[]]
  await Promise.all(waiting.map(each => each.next(0)))
  t.equal((await resultOf(client, taskId)).status, 429, 'none has left')
  const { id } = await first.event(0)

  first.close()
  const next = await untilLetIn(wait)
  const question = await next.next(0)

  t.match((await (await client.listen(id)).last()).error, { code: -32603, message: /the request was cancelled/ })
  t.equal((await resultOf(client, taskId)).status, 429, 'one has left, and one has come')
  await client.answer(question, accept({ name: 'Ada' }))
  for (const each of [next, ...others]) t.match((await each.last()).result?.content, [{ text: 'Hello Ada' }])
})

// That a connection has ended is known a moment later.
async function untilLetIn(wait: () => Promise<TestReply>): Promise<TestReply> {
  for (const endMs = performance.now() + 30_000; performance.now() < endMs; ) {
    const waiting = await wait()
    if (waiting.status === 200) return waiting
  }
  throw new Error('nobody was let in within 30 s')
}

t.test('tasks/result: when its session ends, who waits is let go, without an answer', async t => {
  const { handler, started } = gate()
  const client = await withJob(t, handler)
  const { taskId } = await begin(client, 'job')
  await started
  const waiting = resultOf(client, taskId)
  await client.call('ping')

  await client.end()

  t.strictSame((await waiting).messages, [])
})

t.test('tasks/result: when the server goes down, who waits is told to ask another', async t => {
  const { handler, started } = gate()
  const client = await withJobOver(t, handler, { drainMs: 20 })
  const { taskId } = await begin(client, 'job')
  await started
  const waiting = await client.post(client.request('tasks/result', { taskId }))

  await client.app.close()

  t.match((await waiting.last()).error, { code: 50_300, message: /^Server shutting down/ })
})
