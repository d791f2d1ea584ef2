// What a stream of subscriptions/listen says of tasks where its reader lags, or where the store takes its time.
import t from 'tap'
import { listen } from '../../../src/methods/subscriptions.ts'
import type { Task } from '../../../src/state/task.ts'
import { toCompleted, withStatusMessage } from '../../../src/tasks/transitions.ts'
import { FakeSink, fakeExchange } from '../../support/fakes.ts'
import { TASKS } from '../../support/tasks/modern.ts'
import { partsWith } from '../../support/tasks/parts.ts'
import { turns } from '../../support/turns.ts'

const DONE = toCompleted({ kind: 'ok', result: { resultType: 'complete', content: [] } })

const settled = () => turns()

function scene() {
  const { open, ...runtime } = partsWith({ name: 'held', handler: () => new Promise(() => {}) })
  const sink = new FakeSink()
  const exchange = (taskIds: readonly string[]) =>
    fakeExchange({ method: 'subscriptions/listen', params: { notifications: { taskIds } }, capabilities: TASKS, sink })
  /** All that is told but the acknowledgement. */
  const said = () => sink.messages.slice(1).map(({ params }) => params.statusMessage ?? params.status)
  const listenTo = async (...tasks: readonly Task[]) => {
    const listening = exchange(tasks.map(({ id }) => id))
    await listen.serve(listening, runtime)
    return listening
  }
  return { tasks: runtime.tasks, sink, open: () => open('held'), listenTo, said }
}

t.test('notifications/tasks: to a reader that lags, of each task the newest is told once it has caught up', async t => {
  const { tasks, sink, open, listenTo, said } = scene()
  const [a, b] = [await open(), await open()]
  await listenTo(a, b)
  await settled()
  t.strictSame(said(), ['working', 'working'])
  sink.room = 4

  for (let step = 0; step < 1000; step++)
    for (const { id } of [a, b]) await tasks.change(id, withStatusMessage(`step ${step}`))
  await tasks.change(a.id, DONE)
  t.strictSame(said().slice(2), ['step 0'], 'one more, and then it waits')
  sink.drain()
  await settled()

  t.strictSame(said().slice(3).sort(), ['completed', 'step 999'])
  await tasks.change(b.id, DONE)
  t.equal(said().at(-1), 'completed', 'and what comes after is told at once')
})

t.test('notifications/tasks: a reader that lags again while it catches up misses nothing', async t => {
  const { tasks, sink, open, listenTo, said } = scene()
  const opened = [await open(), await open(), await open()]
  await listenTo(...opened)
  await settled()
  sink.room = 1
  for (const { id } of opened) await tasks.change(id, DONE)
  t.strictSame(said().slice(3), ['completed'])

  for (const _ of opened) {
    sink.drain()
    sink.room = 1
  }
  sink.drain()

  t.strictSame(said().slice(3), ['completed', 'completed', 'completed'])
  t.equal(new Set(sink.messages.slice(4).map(({ params }) => params.taskId)).size, 3)
})

t.test('notifications/tasks: what was looked up before a change, and comes behind it, is not told', async t => {
  const { tasks, open, listenTo, said } = scene()
  const task = await open()
  await settled()
  const gate = Promise.withResolvers<void>()
  const read = tasks.read.bind(tasks)
  tasks.read = async id => {
    const before = await read(id)
    await gate.promise
    return before
  }
  await listenTo(task)

  await tasks.change(task.id, DONE)
  gate.resolve()
  await settled()

  t.strictSame(said(), ['completed'])
})

t.test('notifications/tasks: nothing is told, and nobody watches, when the client has left', async t => {
  const { tasks, open, listenTo, said } = scene()
  const task = await open()
  await settled()
  let watching = 0
  const watch = tasks.watch.bind(tasks)
  tasks.watch = (id, listener) => {
    const stop = watch(id, listener)
    watching++
    return () => {
      watching--
      stop()
    }
  }
  const { cancellation } = await listenTo(task)
  await settled()
  t.equal(watching, 1)

  cancellation.cancel('client-left')
  await tasks.change(task.id, DONE)

  t.strictSame(said(), ['working'])
  t.equal(watching, 0)
})
