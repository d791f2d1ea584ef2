// How a task is created, is found, and goes.
import { setTimeout as sleep } from 'node:timers/promises'
import { toCompleted } from 'toolrack/execution'
import { aTask, counted, resultOf } from './a-task.ts'
import type { Suite } from './check.ts'
import type { MakeTasks } from './tasks.ts'
import { plain } from './wait.ts'

const SHORT_MS = 100

export function lifeSuite(t: Suite, name: string, make: MakeTasks): void {
  t.test(`${name}: a new task is found at once, with all that it is`, async t => {
    const store = await make(t)
    const task = aTask({
      session: 'session',
      scopes: ['a', 'b'],
      absent: { info: { name: 'tool', scopes: ['a', 'b'], _meta: { stage: 'beta' } }, hasOwnRule: false },
      status: 'input_required',
      questions: { who: { key: 'who', request: { method: 'roots/list', params: {} } } },
      answers: { age: { answer: { action: 'accept', content: { age: 7 } } }, name: { refused: 'no' } },
      issued: ['who', 'age', 'name'],
    })

    await store.create(task)

    t.strictSame(plain(await store.find(task.id)), plain(task))
  })

  t.test(`${name}: each of many that come at once is found`, async t => {
    const store = await make(t)
    const tasks = Array.from({ length: 100 }, (_, n) => aTask({ tool: `tool-${n}` }))

    const found = await Promise.all(
      tasks.map(async task => {
        await store.create(task)
        return store.find(task.id)
      }),
    )

    t.strictSame(
      found.map(task => task?.tool),
      tasks.map(({ tool }) => tool),
    )
  })

  t.test(`${name}: an unknown task is not found, whatever it is called`, async t => {
    const store = await make(t)
    await store.create(aTask())

    for (const id of ['unknown', '', '__proto__', 'constructor', '*', 'x'.repeat(10_000)]) {
      t.equal(await store.find(id), undefined)
      t.equal(await store.change(id, counted), undefined)
    }
  })

  t.test(`${name}: a task that is removed is gone, and the others are not`, async t => {
    const store = await make(t)
    const [gone, left] = [aTask(), aTask()]
    await store.create(gone)
    await store.create(left)

    await store.remove(gone.id)
    await store.remove(gone.id)
    await store.remove('unknown')

    t.equal(await store.find(gone.id), undefined)
    t.equal(await store.change(gone.id, counted), undefined)
    t.equal(await store.find(gone.id), undefined, 'a step brings nothing back')
    t.ok(await store.find(left.id))
  })

  t.test(`${name}: a task is gone when its time to live has passed, whatever has become of it`, async t => {
    const store = await make(t)
    const [idle, changed, ended, shortened, long] = [aTask(), aTask(), aTask(), aTask(), aTask()]
    for (const task of [idle, changed, ended]) await store.create({ ...task, ttlMs: SHORT_MS })
    await store.create(long)
    await store.create(shortened)
    await store.change(shortened.id, task => ({ ...task, ttlMs: SHORT_MS }))
    // A task's life counts from its creation, not from its last change.
    await sleep(SHORT_MS / 2)
    await store.change(changed.id, counted)
    await store.change(ended.id, toCompleted(resultOf('done')))

    await sleep(SHORT_MS / 2 + 20)

    t.strictSame(
      (await store.list('owner', 10)).map(({ id }) => id),
      [long.id],
    )
    for (const { id } of [idle, changed, ended, shortened]) {
      t.equal(await store.find(id), undefined)
      t.equal(await store.change(id, counted), undefined)
    }
    t.ok(await store.find(long.id))
  })
}
