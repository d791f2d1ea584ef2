// The tasks of an owner, page by page.
import { toCancelled, toCompleted, toHandedOut } from 'toolrack/execution'
import type { Task, TaskPosition, TaskStore } from 'toolrack/state'
import { aTask, resultOf } from './a-task.ts'
import type { Suite } from './check.ts'
import type { MakeTasks } from './tasks.ts'
import { plain } from './wait.ts'

/** Creates tasks, one millisecond apart; the newest is created now. */
async function createAll(store: TaskStore, count: number, over: Partial<Task> = {}): Promise<Task[]> {
  const startMs = Date.now() - count
  const tasks = Array.from({ length: count }, (_, n) => aTask({ createdAtMs: startMs + n, ...over }))
  for (const task of tasks) await store.create(task)
  return tasks
}

const idsOf = (tasks: readonly Task[]) => tasks.map(({ id }) => id)
const positionOf = (task: Task | undefined): TaskPosition | undefined =>
  task && { id: task.id, createdAtMs: task.createdAtMs }

async function pages(store: TaskStore, size: number, between: (page: number) => unknown = () => {}) {
  const all: Task[] = []
  for (let page = 1; ; page++) {
    const tasks = await store.list('owner', size, positionOf(all.at(-1)))
    if (tasks.length === 0) return idsOf(all)
    all.push(...tasks)
    await between(page)
  }
}

export function listSuite(t: Suite, name: string, make: MakeTasks): void {
  t.test(`${name}: the tasks of an owner are listed, as they are, the oldest first`, async t => {
    const store = await make(t)
    const tasks = await createAll(store, 3)
    await createAll(store, 2, { owner: 'somebody else' })
    await createAll(store, 2, { owner: undefined })
    await store.change(tasks[0]!.id, toCompleted(resultOf('done')))
    await store.change(tasks[1]!.id, toCancelled(resultOf('cancelled'), 'enough'))

    const listed = await store.list('owner', 10)

    t.strictSame(idsOf(listed), idsOf(tasks))
    t.strictSame(listed.map(plain), (await Promise.all(tasks.map(({ id }) => store.find(id)))).map(plain))
  })

  t.test(`${name}: who has no tasks has an empty list`, async t => {
    const store = await make(t)
    await createAll(store, 2, { owner: undefined })

    for (const owner of ['nobody', '', 'undefined', '__proto__', '*']) t.strictSame(await store.list(owner, 10), [])
  })

  t.test(`${name}: the oldest is first, whichever came first`, async t => {
    const store = await make(t)
    const nowMs = Date.now()
    const tasks = [30, 10, 20].map(ageMs => aTask({ createdAtMs: nowMs - ageMs }))
    for (const task of [tasks[1]!, tasks[2]!, tasks[0]!]) await store.create(task)

    t.strictSame(idsOf(await store.list('owner', 10)), idsOf([tasks[0]!, tasks[2]!, tasks[1]!]))
  })

  t.test(`${name}: a page goes on where the last one ended`, async t => {
    const store = await make(t)
    const ids = idsOf(await createAll(store, 7))

    t.strictSame(idsOf(await store.list('owner', 3)), ids.slice(0, 3))
    t.strictSame(await pages(store, 3), ids)
    t.strictSame(await pages(store, 1), ids)
    t.strictSame(await pages(store, 7), ids)
  })

  t.test(`${name}: those of the same millisecond are each on one page`, async t => {
    const store = await make(t)
    const tasks = await createAll(store, 9, { createdAtMs: Date.now() })

    const listed = await pages(store, 2)

    t.equal(listed.length, 9)
    t.strictSame([...listed].sort(), idsOf(tasks).sort())
  })

  t.test(`${name}: what goes between two pages moves none of those that stay`, async t => {
    const store = await make(t)
    const ids = idsOf(await createAll(store, 8))

    // One that was listed, the last one of the page, and one that is still to come.
    const listed = await pages(store, 3, async page => {
      if (page === 1) for (const index of [0, 2, 4]) await store.remove(ids[index]!)
    })

    t.strictSame(
      listed,
      [0, 1, 2, 3, 5, 6, 7].map(index => ids[index]),
    )
  })

  t.test(`${name}: what comes between two pages is on a later one`, async t => {
    const store = await make(t)
    const ids = idsOf(await createAll(store, 4))
    const added: Task[] = []

    const listed = await pages(store, 2, async page => {
      if (page === 1) added.push(...(await createAll(store, 1, { createdAtMs: Date.now() })))
    })

    t.strictSame(listed, [...ids, ...idsOf(added)])
  })

  t.test(`${name}: tasks that no client knows of are not listed until one does`, async t => {
    const store = await make(t)
    const [first] = await createAll(store, 1)
    const [quiet] = await createAll(store, 1, { isHandedOut: false, createdAtMs: Date.now() + 1 })
    t.strictSame(idsOf(await store.list('owner', 10)), [first!.id])

    await store.change(quiet!.id, toHandedOut)

    t.strictSame(idsOf(await store.list('owner', 10)), [first!.id, quiet!.id])
  })

  t.test(`${name}: tasks that no client knows of take no place on a page`, async t => {
    const store = await make(t)
    await createAll(store, 5, { isHandedOut: false, createdAtMs: Date.now() - 1000 })
    const ids = idsOf(await createAll(store, 3))

    t.strictSame(idsOf(await store.list('owner', 2)), ids.slice(0, 2))
  })
}
