// A task is written before its id is given, a cancellation counts once, an expired task is gone,
// and one subject cannot fill the store.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { MemoryTasks } from '../../../packages/memory/src/tasks.ts'
import type { QueueEntry, TaskQueue } from '../../../src/state/task-queue.ts'
import type { TaskStore } from '../../../src/state/tasks.ts'
import { USAGE_BOUNDS } from '../../../src/state/tasks.ts'
import { defer } from '../../../src/tasks/defer.ts'
import { TaskService } from '../../../src/tasks/tasks.ts'
import { callTool } from '../../support/app.ts'
import { fakeExchange, fakeTool } from '../../support/fakes.ts'
import { override } from '../../support/override.ts'
import { as, guarded } from '../../support/security/callers.ts'
import { until } from '../../support/security/hostile.ts'
import {
  cancel,
  ENDS,
  get,
  held,
  job,
  nextTurn,
  rack,
  start,
  TASKS,
  taskFrom,
  whenEnded,
} from '../../support/tasks/modern.ts'

const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const opening = { tool: fakeTool(), exchange: fakeExchange(), owner: undefined, answers: {} }

function tasksOn(store: TaskStore) {
  const ran: string[] = []
  const queue = { add: ({ id }: QueueEntry) => void ran.push(id), remove() {}, onTask() {} } as unknown as TaskQueue
  const tasks = new TaskService(store, queue, { ttlMs: 60_000, inlineMs: 0 })
  return { tasks, ran }
}

t.test('D18: a task is handed out, and begins, only when it was written', async t => {
  const store = new MemoryTasks()
  const written = Promise.withResolvers<void>()
  const slow = override<TaskStore>(store, {
    async create(task) {
      await written.promise
      await store.create(task)
    },
  })
  const { tasks, ran } = tasksOn(slow)
  let isAnswered = false
  const deferred = defer(tasks, opening).finally(() => (isAnswered = true))
  await sleep(30)
  t.strictSame([isAnswered, ran.length], [false, 0])

  written.resolve()

  const answer = await deferred
  if (!('task' in answer)) return t.fail('it is no task')
  t.equal((await store.find(answer.task.id))?.isHandedOut, true)
  t.strictSame(ran, [answer.task.id])
  await store.close()
})

t.test('D18: a task that could not be written is none: the call fails, and nothing runs', async t => {
  const store = new MemoryTasks()
  const broken = override<TaskStore>(store, { create: () => Promise.reject(new Error('disk full')) })
  const { tasks, ran } = tasksOn(broken)

  await t.rejects(defer(tasks, opening), { message: 'disk full' })

  t.strictSame(ran, [])
})

t.test('D18: of 200 cancellations that race with the end each wins or loses, once', async t => {
  const gates: (() => void)[] = []
  const racer = job('racer', () => new Promise(resolve => gates.push(() => resolve('done'))))
  const app = await rack(t, [racer])
  const won: Record<string, number> = { completed: 0, cancelled: 0 }

  for (let round = 0; round < 200; round++) {
    const taskId = await taskFrom(app, 'racer')
    const release = gates.at(-1)!
    const cancelled = cancel(app, taskId)
    // A request takes some turns of the loop: somewhere among them is the one that decides.
    for (let turn = 0; turn < round % 20; turn++) await new Promise(setImmediate)
    release()
    await cancelled
    const { status } = await whenEnded(app, taskId)
    await cancel(app, taskId)
    release()
    await nextTurn()

    t.equal((await get(app, taskId)).result.status, status)
    won[status]!++
  }

  t.ok(won['completed']! > 0 && won['cancelled']! > 0, JSON.stringify(won))
  t.equal(won['completed']! + won['cancelled']!, 200)
  const ends = app.audit.lines.filter(({ method, task }) => method === 'tools/call' && task !== undefined)
  t.equal(ends.length, 200, 'and each has one line in the audit')
})

t.test('D18: a step from the end to anything else is not taken, whoever takes it', async t => {
  const { tool, release } = held()
  const app = await rack(t, [tool])
  const taskIds = await Promise.all(times(50, () => taskFrom(app, 'held')))
  const seen = new Map<string, Set<string>>(taskIds.map(taskId => [taskId, new Set()]))
  const look = async (taskId: string) => {
    const { status } = (await get(app, taskId)).result
    if (ENDS.includes(status)) seen.get(taskId)!.add(status)
  }

  const cancelling = taskIds.map(taskId => cancel(app, taskId))
  release()
  for (let round = 0; round < 5; round++) await Promise.all([...cancelling, ...taskIds.map(look)])

  for (const statuses of seen.values()) t.equal(statuses.size, 1)
})

t.test('D18: what has had its time is gone', async t => {
  const app = await rack(t, [job('quick', () => 'quick')], { tasks: { ttlMs: 1000 }, logLevel: 'silent' })
  const taskIds = await Promise.all(times(25, n => taskFrom(app, 'quick', { n })))

  for (const taskId of taskIds)
    await until(async () => (await get(app, taskId)).error?.code === -32602, `${taskId} is gone`)
})

t.test('D18: of 10,000 tasks of one subject those past the bound are refused, and others are served', async t => {
  const { tool, seen } = held('held', { timeout: 600_000 })
  const quick = job('quick', () => 'quick')
  const app = await guarded(t, { tools: [tool, quick], tasks: { inlineMs: 0 }, drainMs: 20, logLevel: 'silent' })
  const alice = { headers: as('alice'), capabilities: TASKS }
  const bob = { headers: as('bob'), capabilities: TASKS }
  const statuses = new Map<number, number>()
  const taskIds: string[] = []

  for (let round = 0; round < 100; round++) {
    for (const { status, result, error, headers } of await Promise.all(
      times(100, () => start(app, 'held', {}, alice)),
    )) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status === 200) taskIds.push(result.taskId)
      else if (error.code !== 42900 || !/^[1-9]\d*$/.test(String(headers['retry-after']))) t.fail(JSON.stringify(error))
    }
  }

  t.strictSame(Object.fromEntries(statuses), {
    200: USAGE_BOUNDS.maxTasksPerClient,
    429: 10_000 - USAGE_BOUNDS.maxTasksPerClient,
  })
  t.ok(seen.begun <= 32, `${seen.begun} run`)
  t.equal((await whenEnded(app, await taskFrom(app, 'quick', {}, bob), bob)).status, 'completed', 'bob is served')
  t.match(await callTool(app, 'quick', {}, { headers: as('alice') }), { content: [{ text: 'quick' }] })
  t.equal((await get(app, taskIds[0]!, alice)).result.status, 'working')
})

t.test('D18: tasks that end within their request are not kept: there may be any number, one after another', async t => {
  const app = await rack(t, [job('quick', () => 'quick')], { tasks: { inlineMs: 60_000 }, logLevel: 'silent' })

  for (let round = 0; round < USAGE_BOUNDS.maxTasksPerClient / 100 + 1; round++) {
    for (const { status, result } of await Promise.all(times(100, () => start(app, 'quick')))) {
      if (status !== 200 || result.resultType !== 'complete') t.fail(`${status} ${JSON.stringify(result)}`)
    }
  }

  t.equal((await start(app, 'quick')).result.content[0].text, 'quick')
})
