// Spec 2025-11-25: basic/utilities/tasks, "Task Progress Notifications", and basic/utilities/progress, "Behavior Requirements".
import t from 'tap'
import { type AppClient, open } from '../../../support/client/app-client.ts'
import { accept, form } from '../../../support/legacy/asking.ts'
import { begin, cancel, gate, relatedTo, withJobOver } from '../../../support/legacy/tasking.ts'
import { type Handler, tool } from '../../../support/steered-tools.ts'
import type { WireMessage } from '../../../support/wire/modern.ts'

const PROGRESS = 'notifications/progress'
const progressIn = (messages: WireMessage[]) => messages.filter(({ method }) => method === PROGRESS)
const stepsIn = (messages: WireMessage[]) => progressIn(messages).map(({ params }) => params.progress)

/** @param progressToken of the call that asks for the task */
async function beginWith(client: AppClient, progressToken: string | number): Promise<string> {
  const { result } = await client.callTool('job', {}, { task: {}, _meta: { progressToken } })
  return result.task.taskId
}

for (const token of ['upload-7', '', 0]) {
  t.test(`progress of a task is told under the token of its call: ${JSON.stringify(token)}`, async t => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const client = await withJobOver(t, ({ progress }) => {
      progress(1, 3, 'sorting  the\nscrews')
      return promise
    })
    const news = await client.listen()
    const taskId = await beginWith(client, token)

    const { method, params } = await news.next(1)

    t.equal(method, PROGRESS)
    t.strictSame(params, {
      _meta: relatedTo(taskId),
      progressToken: token,
      progress: 1,
      total: 3,
      message: 'sorting the screws',
    })
    resolve('done')
    t.match((await news.next(2)).params, { taskId, status: 'completed' })
  })
}

t.test('a tool that runs again, with the answer to its question, tells only what is further than before', async t => {
  const handler: Handler = async ({ progress, elicit }) => {
    progress(2)
    await elicit('name', form('name'))
    progress(3)
    return held.promise
  }
  const held = Promise.withResolvers<string>()
  const client = await withJobOver(t, handler)
  const news = await client.listen()
  const taskId = await beginWith(client, 'token')
  const waiting = await client.post(client.request('tasks/result', { taskId }))

  await client.answer(await waiting.next(0), accept({ name: 'Ada' }))
  await news.until(() => stepsIn(news.messages).includes(3), 'the second step')
  held.resolve('done')
  await waiting.last()

  t.strictSame(stepsIn(news.messages), [2, 3])
  t.strictSame(stepsIn(waiting.messages), [])
})

t.test('behind the end of a task no progress is told, whatever its tool still says', async t => {
  const { handler, started, aborted, end } = gate()
  const { promise: hasSaid, resolve: said } = Promise.withResolvers<void>()
  const client = await withJobOver(t, async ctx => {
    ctx.progress(1)
    await handler(ctx, {})
    ctx.progress(2)
    said()
  })
  const news = await client.listen()
  const taskId = await beginWith(client, 'token')
  await started
  await news.next(1)

  await cancel(client, taskId)
  await aborted
  end('done')
  await hasSaid
  client.app.toolrack.add(tool('filler', () => ''))
  await news.next(3)

  t.strictSame(
    news.messages.map(({ method, params }) => params?.status ?? method),
    ['working', PROGRESS, 'cancelled', 'notifications/tools/list_changed'],
  )
})

t.test('a call that names no token is told its status, and no progress', async t => {
  const { handler, end } = gate()
  const client = await withJobOver(t, ctx => {
    ctx.progress(1)
    return handler(ctx, {})
  })
  const news = await client.listen()
  await begin(client, 'job')
  await news.next(0)

  end('done')
  await news.next(1)

  t.strictSame(progressIn(news.messages), [])
})

t.test('nobody but the session that asked is told, and of its streams one', async t => {
  const { handler, started, end } = gate()
  const client = await withJobOver(t, ctx => {
    ctx.progress(1)
    return handler(ctx, {})
  })
  const stranger = await open(t, client.app)
  const [first, second, others] = [await client.listen(), await client.listen(), await stranger.listen()]
  await beginWith(client, 'token')
  await started
  end('done')
  await second.next(2)
  client.app.toolrack.add(tool('filler', () => ''))
  await others.next(0)

  t.strictSame(
    [first, second, others].map(({ messages }) => progressIn(messages).length),
    [0, 1, 0],
  )
})
