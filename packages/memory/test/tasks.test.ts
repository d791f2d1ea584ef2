import { mock } from 'node:test'
import t, { type Test } from 'tap'
import type { Task } from '../../../src/state/task.ts'
import { toSuite } from '../../../test/support/suite.ts'
import { aTask, counted } from '../../state/src/suites/a-task.ts'
import type { Ending } from '../../state/src/suites/check.ts'
import { tasksSuite } from '../../state/src/suites/tasks.ts'
import { type MemoryTaskBounds, MemoryTasks } from '../src/tasks.ts'

function make(t: Ending, bounds: MemoryTaskBounds = {}) {
  const store = new MemoryTasks(bounds)
  t.teardown(() => store.close())
  return store
}

tasksSuite(toSuite(t), 'tasks in memory', make)

/** A store whose time passes when it is told to. */
function clocked(t: Test, bounds: MemoryTaskBounds = {}) {
  const clock = { nowMs: 0 }
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const store = make(t, { now: () => clock.nowMs, ...bounds })
  const told: string[] = []
  store.onChange((id, task) => told.push(task === undefined ? `${id} gone` : id))
  const pass = (ms: number) => {
    clock.nowMs += ms
    mock.timers.tick(ms)
  }
  return { store, told, pass, clock }
}

t.test('tasks in memory: a task lives until its very end, and is told to be gone once', async t => {
  const { store, told, clock } = clocked(t)
  const task = aTask({ ttlMs: 1000 })
  store.create(task)

  clock.nowMs = 999
  t.ok(store.find(task.id))
  clock.nowMs = 1000

  t.equal(store.find(task.id), undefined)
  t.equal(store.find(task.id), undefined)
  t.strictSame(told, [`${task.id} gone`])
})

t.test('tasks in memory: those whose time has passed are swept away, wherever among the others they are', async t => {
  const { store, told, pass } = clocked(t, { maxTasks: 3, maxShareOfFree: 1e9 })
  const [long, short, longer] = [aTask({ ttlMs: 60_000 }), aTask({ ttlMs: 1000 }), aTask({ ttlMs: 90_000 })]
  for (const task of [long, short, longer]) store.create(task)

  pass(5000)
  t.strictSame(told, [`${short.id} gone`])
  pass(55_000)

  t.strictSame(told, [`${short.id} gone`, `${long.id} gone`])
  store.create(aTask())
  store.create(aTask())
  t.ok(store.find(longer.id))
})

t.test('tasks in memory: an empty store sweeps no more, and one that fills again does', async t => {
  const { store, told, pass } = clocked(t)
  for (let turn = 1; turn <= 3; turn++) {
    store.create(aTask({ ttlMs: 1000 }))
    pass(20_000)
    t.equal(told.length, turn)
  }
})

t.test('tasks in memory: a store that is closed holds nothing, and tells nothing', async t => {
  const { store, told, pass } = clocked(t)
  const task = aTask({ ttlMs: 1000 })
  store.create(task)

  store.close()
  pass(20_000)

  t.equal(store.find(task.id), undefined)
  t.strictSame(told, [])
})

t.test('tasks in memory: whoever listens finds the task as it is told', async t => {
  const store = make(t)
  const task = aTask()
  const found: (number | undefined)[] = []
  store.onChange(id => found.push((store.find(id) as Task | undefined)?.version))
  store.create(task)

  store.change(task.id, counted)
  store.remove(task.id)

  t.strictSame(found, [1, undefined])
})

t.test('tasks in memory: a list goes through no tasks of others: each session that ends asks for one', async t => {
  const store = make(t)
  let looks = 0
  const counting = () => Object.defineProperty(aTask(), 'owner', { get: () => `other ${looks++}` })
  for (let n = 0; n < 100; n++) store.create(counting())
  store.create(aTask())
  looks = 0

  t.strictSame(await store.list('nobody', 10), [])
  t.equal((await store.list('owner', 10)).length, 1)

  t.equal(looks, 0)
})
