// Extension io.modelcontextprotocol/tasks: "Task Status Notifications".
import t, { type Test } from 'tap'
import type { ServerOptions } from '../../../src/index.ts'
import { call, listening, META, stream } from '../../support/app.ts'
import { accept, form } from '../../support/input/rounds.ts'
import { until } from '../../support/security/hostile.ts'
import {
  ABLE_AND_TASKS,
  cancel,
  get,
  held,
  job,
  nextTurn,
  TASKS,
  taskFrom,
  UNKNOWN_ID,
  update,
  whenAsking,
  whenEnded,
} from '../../support/tasks/modern.ts'
import type { WireMessage } from '../../support/wire/modern.ts'

async function served(t: Test, tools: NonNullable<ServerOptions['tools']>, options: ServerOptions = {}) {
  const { app, url } = await listening(t, {
    tools,
    drainMs: 20,
    ...options,
    rateLimit: { max: 1_000_000, ...options.rateLimit },
    tasks: { inlineMs: 0, ...options.tasks },
  })
  const listen = (taskIds: readonly string[], notifications: object = {}, id: string | number = 'listening') =>
    stream(
      t,
      url,
      'subscriptions/listen',
      { notifications: { taskIds, ...notifications } },
      { id, capabilities: ABLE_AND_TASKS, meta: { progressToken: 1, [`${META}logLevel`]: 'debug' } },
    )
  return { app, url, listen }
}

const statusOf = ({ params }: WireMessage) => params.status as string
const statuses = (messages: readonly WireMessage[]) => messages.slice(1).map(statusOf)

t.test('subscriptions/listen: the ids that are agreed to are echoed, each once, and no other', async t => {
  const { tool } = held()
  const { app, listen } = await served(t, [tool])
  const [a, b] = [await taskFrom(app, 'held'), await taskFrom(app, 'held')]

  const both = await listen([b, UNKNOWN_ID, a, b, '', '__proto__'])
  const none = await listen([UNKNOWN_ID])

  t.strictSame((await both.next(0)).params.notifications, { taskIds: [b, a] })
  t.strictSame((await none.next(0)).params.notifications, { taskIds: [] })
  await both.next(2)
  t.equal(none.messages.length, 1)
})

t.test('subscriptions/listen: how a task is comes at once, even where it had ended before', async t => {
  const { app, listen } = await served(t, [job('quick', () => 'quick'), held().tool])
  const [ended, working] = [await taskFrom(app, 'quick'), await taskFrom(app, 'held')]
  await whenEnded(app, ended)

  const heard = await listen([ended, working])

  const told = [await heard.next(1), await heard.next(2)].map(({ params }) => [params.taskId, params.status])
  t.strictSame(told, [
    [ended, 'completed'],
    [working, 'working'],
  ])
})

t.test(
  'notifications/tasks: each step is told, as tasks/get would tell it, under the id of the subscription',
  async t => {
    const { app, listen } = await served(t, [
      job('steps', async ({ progress, elicit }) => {
        await nextTurn()
        progress(1, 2, 'half')
        await nextTurn()
        const { content } = await elicit('name', form('name'))
        return `Hello ${content?.['name']}`
      }),
    ])
    const taskId = await taskFrom(app, 'steps')
    const listener = await listen([taskId])
    const asking = await whenAsking(app, taskId)
    await until(() => statuses(listener.messages).includes('input_required'), 'it was told of the question')
    const told = listener.messages.find(({ params }) => params.status === 'input_required')!

    await update(app, { taskId, inputResponses: { name: accept({ name: 'Ada' }) } })
    const ended = await whenEnded(app, taskId)
    await until(() => statuses(listener.messages).includes('completed'), 'it was told of the end')

    for (const [{ params }, { resultType: _, _meta, ...task }] of [
      [told, asking],
      [listener.messages.at(-1)!, ended],
    ] as const) {
      const { _meta: meta, ...said } = params
      t.strictSame(said, task)
      const { [`${META}serverInfo`]: _server, ...own } = _meta
      t.strictSame(meta, { ...own, [`${META}subscriptionId`]: 'listening' })
    }
    const order = statuses(listener.messages).filter((status, index, all) => status !== all[index - 1])
    t.strictSame(order, ['working', 'input_required', 'working', 'completed'])
    const half = listener.messages.find(({ params }) => params.statusMessage === 'half (1 of 2)')
    t.match(half, { params: { _meta: { 'toolrack/progress': { progress: 1, total: 2, message: 'half' } } } })
    t.strictSame([...new Set(listener.messages.slice(1).map(({ method }) => method))], ['notifications/tasks'])
  },
)

t.test('notifications/tasks: cancelled and failed are told, too', async t => {
  const { app, listen } = await served(t, [
    held().tool,
    job('fails', async ({ listRoots }) => {
      await nextTurn()
      await listRoots('roots')
    }),
  ])
  const [cancelled, failed] = [await taskFrom(app, 'held'), await taskFrom(app, 'fails', {}, { capabilities: TASKS })]
  const listener = await listen([cancelled, failed])
  await listener.next(0)

  await cancel(app, cancelled)
  await whenEnded(app, failed)

  const lastOf = (taskId: string) => listener.messages.findLast(({ params }) => params.taskId === taskId)
  await until(() => lastOf(cancelled)?.params.status === 'cancelled', 'the one')
  await until(() => lastOf(failed)?.params.status === 'failed', 'the other')
  t.match(lastOf(failed)!.params.error, { code: -32021 })
})

t.test('notifications/tasks: a stream tells of its own tasks only, and what else was asked for', async t => {
  const { app, listen } = await served(t, [held().tool])
  const [a, b] = [await taskFrom(app, 'held'), await taskFrom(app, 'held')]
  const [ofA, ofB] = [await listen([a], { toolsListChanged: true }, 1), await listen([b], {}, 2)]
  t.strictSame((await ofA.next(0)).params.notifications, { toolsListChanged: true, taskIds: [a] })
  await Promise.all([ofA.next(1), ofB.next(1)])

  await cancel(app, a)
  app.toolrack.add({ name: 'new', handler: () => '' })
  await cancel(app, b)

  await Promise.all([ofA.next(3), ofB.next(2)])
  const seen = (messages: readonly WireMessage[]) =>
    messages.slice(1).map(({ method, params }) => params.taskId ?? method)
  t.strictSame(seen(ofA.messages), [a, a, 'notifications/tools/list_changed'])
  t.strictSame(seen(ofB.messages), [b, b])
})

t.test('notifications/tasks: many listeners of one task are all told, each under its own id', async t => {
  const { tool, release } = held()
  const { app, listen } = await served(t, [tool])
  const taskId = await taskFrom(app, 'held')
  const listeners = await Promise.all(Array.from({ length: 5 }, (_, id) => listen([taskId], {}, id)))
  await Promise.all(listeners.map(each => each.next(1)))

  release()

  for (const [id, listener] of listeners.entries()) {
    const { params } = await listener.next(2)
    t.match(params, { status: 'completed', _meta: { [`${META}subscriptionId`]: id } })
  }
})

t.test('notifications/tasks: nothing is sent to who did not ask, and nothing breaks when who did has left', async t => {
  const { tool, release } = held()
  const { app, listen, url } = await served(t, [tool])
  const taskId = await taskFrom(app, 'held')
  const leaving = await listen([taskId])
  const other = await stream(t, url, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  await Promise.all([leaving.next(1), other.next(0)])

  leaving.close()
  await leaving.ended
  release()

  await whenEnded(app, taskId)
  t.strictSame(statuses(leaving.messages), ['working'])
  t.equal(other.messages.length, 1)
  t.strictSame(
    app.logs.lines.filter(({ level }) => level >= 50),
    [],
  )
})

t.test('subscriptions/listen: ids that are no texts, or are too many, are -32602', async t => {
  const { app, listen } = await served(t, [held().tool])
  const most = Array.from({ length: 1000 }, String)
  t.strictSame((await (await listen(most)).next(0)).params.notifications, { taskIds: [] })

  for (const taskIds of ['x', [7], [null], {}, [...most, 'one more']]) {
    const { status, error } = await call(
      app,
      'subscriptions/listen',
      { notifications: { taskIds } },
      { capabilities: ABLE_AND_TASKS },
    )
    t.match({ status, error }, { status: 400, error: { code: -32602 } })
  }
})

t.test('subscriptions/listen: a task whose time has passed is no longer known', async t => {
  const { app, listen } = await served(t, [job('quick', () => 'quick')], { tasks: { ttlMs: 1000 } })
  let taskId = await taskFrom(app, 'quick')
  const known = async () => (await (await listen([taskId])).next(0)).params.notifications.taskIds as string[]
  let before = await known()
  // Its time may have passed already, where the machine stood still.
  for (let tries = 1; tries < 10 && before.length === 0; tries++) {
    taskId = await taskFrom(app, 'quick')
    before = await known()
  }
  t.strictSame(before, [taskId])

  await until(async () => (await get(app, taskId)).error !== undefined, 'it was gone')

  t.strictSame(await known(), [])
})
