// Spec 2025-11-25: basic/utilities/tasks, "Task Cancellation" and "Task Status Lifecycle".
import t from 'tap'
import { session } from '../../../support/client/app-client.ts'
import { textOf } from '../../../support/client/reply.ts'
import { greet } from '../../../support/legacy/asking.ts'
import { begin, cancel, gate, look, resultOf, taskTool, untilStatus, withJob } from '../../../support/legacy/tasking.ts'

t.test('tasks/cancel: the task is cancelled when the answer comes, and its tool is told to stop', async t => {
  const { handler, started, aborted } = gate()
  const client = await withJob(t, handler)
  const task = await begin(client, 'job')
  await started

  const { status, result } = await cancel(client, task.taskId)

  t.equal(status, 200)
  const { statusMessage, lastUpdatedAt, ttl, ...rest } = result
  const { lastUpdatedAt: _, ttl: longest, ...before } = task
  t.strictSame(rest, { ...before, status: 'cancelled' })
  t.ok(ttl > 0 && ttl <= longest, 'it may be kept for less than it was asked for')
  t.match(statusMessage, /cancelled/)
  t.ok(lastUpdatedAt >= task.lastUpdatedAt)
  t.match(await aborted, /cancelled/)
})

for (const ending of ['completion', 'failure'] as const) {
  t.test(`tasks/cancel: a cancelled task stays it, though its call goes on to its ${ending}`, async t => {
    const { handler, started, aborted, end, fail } = gate()
    const client = await withJob(t, handler)
    const { taskId } = await begin(client, 'job')
    await started
    const { result: cancelled } = await cancel(client, taskId)
    await aborted

    if (ending === 'completion') end('done')
    else fail(new Error('too late'))
    await new Promise(setImmediate)

    t.strictSame((await look(client, taskId)).result, cancelled)
    t.match(textOf(await resultOf(client, taskId)), /cancelled/)
  })
}

t.test('tasks/cancel: a task that waits for its turn never runs', async t => {
  const { handler, started, end } = gate()
  const runs: unknown[] = []
  const job = taskTool('job', (ctx, args) => {
    runs.push(args['n'])
    return handler(ctx, args)
  })
  const client = await session(t, { tools: [job], limits: { maxConcurrentCalls: 1 } })
  const first = await begin(client, 'job', { n: 1 })
  await started
  const second = await begin(client, 'job', { n: 2 })
  const third = await begin(client, 'job', { n: 3 })

  t.equal((await cancel(client, second.taskId)).result.status, 'cancelled')
  end('done')
  await resultOf(client, third.taskId)

  t.strictSame(runs, [1, 3])
  t.equal((await look(client, first.taskId)).result.status, 'completed')
})

t.test('tasks/cancel: a task that needs input may be cancelled', async t => {
  const client = await withJob(t, greet)
  const { taskId } = await begin(client, 'job')
  await untilStatus(client, taskId, 'input_required')

  t.equal((await cancel(client, taskId)).result.status, 'cancelled')
})

const ENDED: [string, () => unknown][] = [
  ['completed', () => 'done'],
  [
    'failed',
    () => {
      throw new Error('no')
    },
  ],
]

for (const [status, handler] of ENDED) {
  t.test(`tasks/cancel: a task that has ${status} is refused, and stays as it is`, async t => {
    const client = await withJob(t, handler)
    const { taskId } = await begin(client, 'job')
    const ended = await untilStatus(client, taskId, status)

    const refused = await cancel(client, taskId)

    t.equal(refused.status, 200)
    t.match(refused.error, { code: -32602, message: new RegExp(`^Task has ended: .*${status}`) })
    t.strictSame((await look(client, taskId)).result, ended)
  })
}

t.test('tasks/cancel: a task that is cancelled is refused the second time', async t => {
  const { handler } = gate()
  const client = await withJob(t, handler)
  const { taskId } = await begin(client, 'job')

  const answers = [await cancel(client, taskId), await cancel(client, taskId)]

  t.equal(answers[0]!.result.status, 'cancelled')
  t.match(answers[1]!.error, { code: -32602, message: /cancelled/ })
})

t.test('tasks/cancel: of many at once one cancels', async t => {
  const { handler } = gate()
  const client = await withJob(t, handler)
  const { taskId } = await begin(client, 'job')

  const answers = await Promise.all(Array.from({ length: 10 }, () => cancel(client, taskId)))

  t.equal(answers.filter(({ result }) => result?.status === 'cancelled').length, 1)
  t.equal(answers.filter(({ error }) => error?.code === -32602).length, 9)
})

t.test('tasks: to cancel the request that has begun a task does nothing to it', async t => {
  const { handler, started, end } = gate()
  const client = await withJob(t, handler)
  const message = client.request('tools/call', { name: 'job', arguments: {}, task: {} })
  const { taskId } = (await client.send(message)).result.task
  await started

  await client.notify('notifications/cancelled', { requestId: message.id })
  end('done')

  t.equal(textOf(await resultOf(client, taskId)), 'done')
})
