// A call that may become a task, on a store that does not do all that it should.
import t from 'tap'
import { MemoryTasks } from '../../../packages/memory/src/tasks.ts'
import { resultOf } from '../../../packages/state/src/suites/a-task.ts'
import type { TaskStep } from '../../../src/state/task.ts'
import type { QueueEntry, TaskQueue } from '../../../src/state/task-queue.ts'
import type { TaskStore } from '../../../src/state/tasks.ts'
import { defer } from '../../../src/tasks/defer.ts'
import { TaskService } from '../../../src/tasks/tasks.ts'
import { toCompleted, toInputRequired } from '../../../src/tasks/transitions.ts'
import { fakeExchange, fakeTool } from '../../support/fakes.ts'
import { override } from '../../support/override.ts'

const opening = { tool: fakeTool(), exchange: fakeExchange(), owner: undefined, answers: {} }
const question = { method: 'elicitation/create', params: { message: 'Who?' } }

/** What a call comes to whose first run takes this step, where nothing can be removed. */
async function deferredBy(step: TaskStep) {
  const store = new MemoryTasks()
  const stuck = override<TaskStore>(store, { remove: () => Promise.reject(new Error('away')) })
  const queue = { add: ({ id }: QueueEntry) => void store.change(id, step), remove() {}, onTask() {} }
  const tasks = new TaskService(stuck, queue as unknown as TaskQueue, {
    ttlMs: 60_000,
    inlineMs: 60_000,
  })
  try {
    return await defer(tasks, opening)
  } finally {
    await store.close()
  }
}

t.test('tasks: a call that has ended is answered, though its task could not be taken away', async t => {
  t.strictSame(await deferredBy(toCompleted(resultOf('done'))), { outcome: resultOf('done') })
})

t.test('tasks: a call that asks first asks, though its task could not be taken away', async t => {
  t.strictSame(await deferredBy(toInputRequired({ who: question }, {})), {
    asked: { open: { who: question }, used: {} },
  })
})

t.test('tasks: a wait on a store that throws ends, and hears of the task no more', async t => {
  const store = new MemoryTasks()
  const away = () => {
    throw new Error('away')
  }
  const heard: boolean[] = []
  const broken = override<TaskStore>(store, {
    find: away,
    onChange: (_listener, isWanted) => void (hears = () => heard.push(isWanted!('a', undefined))),
  })
  let hears = () => 0
  const queue = { add() {}, remove() {}, onTask() {} } as unknown as TaskQueue
  const tasks = new TaskService(broken, queue, { ttlMs: 60_000, inlineMs: 60_000 })
  const { cancellation } = fakeExchange()

  await t.rejects(
    tasks.waitUntil('a', () => true, { cancellation }),
    { message: 'away' },
  )

  hears()
  t.strictSame(heard, [false])
})
