// Bounds of tasks and of their size, per client and in total.
import { toCancelled, toCompleted } from 'toolrack/execution'
import { countJsonBytes } from 'toolrack/protocol'
import type { Task, TaskStore } from 'toolrack/state'
import { aTask, resultOf } from './a-task.ts'
import type { Suite } from './check.ts'
import { listenTo, type MakeTasks } from './tasks.ts'

const TOO_MANY_OF_CLIENT = { name: 'McpError', reason: 'RATE_LIMITED', status: 429, retryAfterS: Number }
const TOO_MANY = { name: 'McpError', reason: 'BUSY', status: 503, retryAfterS: Number }

/** The error of a refusal; undefined if the work is not refused. */
async function refusalFrom(work: () => unknown): Promise<unknown> {
  try {
    await work()
  } catch (error) {
    return error
  }
}
const refusalOf = (store: TaskStore, task: Task) => refusalFrom(() => store.create(task))

const of = (clientKey: string, over: Partial<Task> = {}): Task => aTask({ clientKey, ...over })

const SHORT_MS = 100

/** A share of the free room that is so large that only the other bounds apply. */
const NO_SHARE = { maxShareOfFree: 1e9 }

export function boundsSuite(t: Suite, name: string, makeStore: MakeTasks): void {
  sharesSuite(t, name, makeStore)
  const make: MakeTasks = (t, bounds) => makeStore(t, { ...NO_SHARE, ...bounds })

  t.test(`${name}: of one client so many tasks are kept, and others have their own`, async t => {
    const store = await make(t, { maxTasksPerClient: 3 })
    for (let n = 0; n < 3; n++) await store.create(of('a'))
    const fourth = of('a')

    t.match(await refusalOf(store, fourth), TOO_MANY_OF_CLIENT)

    t.equal(await store.find(fourth.id), undefined)
    for (const client of ['b', '', '__proto__', 'a:']) await store.create(of(client))
  })

  t.test(`${name}: of all clients so many tasks are kept`, async t => {
    const store = await make(t, { maxTasks: 3 })
    for (const client of ['a', 'b', 'c']) await store.create(of(client))
    const fourth = of('d')

    t.match(await refusalOf(store, fourth), TOO_MANY)

    t.equal(await store.find(fourth.id), undefined)
  })

  t.test(`${name}: who has too many hears so, though all have`, async t => {
    const store = await make(t, { maxTasks: 2, maxTasksPerClient: 2 })
    for (let n = 0; n < 2; n++) await store.create(of('a'))

    t.match(await refusalOf(store, of('a')), TOO_MANY_OF_CLIENT)
    t.match(await refusalOf(store, of('b')), TOO_MANY)
  })

  for (const [bound, most] of [
    ['of one client', { maxTasksPerClient: 10 }],
    ['of all', { maxTasks: 10 }],
  ] as const) {
    t.test(`${name}: however many come at once, no more than the bound ${bound} are kept`, async t => {
      const store = await make(t, most)
      const tasks = Array.from({ length: 50 }, () => of('a'))

      const settled = await Promise.allSettled(tasks.map(async task => store.create(task)))
      const found = await Promise.all(tasks.map(({ id }) => store.find(id)))

      t.equal(settled.filter(({ status }) => status === 'fulfilled').length, 10)
      t.equal(found.filter(task => task !== undefined).length, 10)
    })
  }

  t.test(`${name}: past the size of one client's tasks no new one is kept, and others have their own`, async t => {
    const store = await make(t, { maxSizePerClient: 1000 })
    await store.create(of('a', { size: 999 }))
    await store.create(of('a', { size: 1 }))

    t.match(await refusalOf(store, of('a', { size: 1 })), TOO_MANY_OF_CLIENT)

    await store.create(of('b', { size: 1 }))
  })

  t.test(`${name}: past the size of all tasks no new one is kept`, async t => {
    const store = await make(t, { maxSize: 1000 })
    await store.create(of('a', { size: 600 }))
    await store.create(of('b', { size: 400 }))

    t.match(await refusalOf(store, of('c', { size: 1 })), TOO_MANY)
  })

  t.test(`${name}: a task that would exceed the bound of size is refused, and a smaller one is kept`, async t => {
    const store = await make(t, { maxSize: 1000, maxSizePerClient: 700 })
    await store.create(of('a', { size: 600 }))

    t.match(await refusalOf(store, of('a', { size: 101 })), TOO_MANY_OF_CLIENT)
    t.match(await refusalOf(store, of('b', { size: 401 })), TOO_MANY)

    await store.create(of('a', { size: 100 }))
    await store.create(of('b', { size: 300 }))
  })

  t.test(`${name}: what a task becomes counts, and no longer what it was`, async t => {
    const outcome = resultOf('x'.repeat(5000))
    const store = await make(t, { maxSizePerClient: 5000 + countJsonBytes(outcome) })
    const [grows, shrinks] = [of('a', { size: 100 }), of('a', { size: 5000 })]
    await store.create(grows)
    await store.create(shrinks)

    await store.change(grows.id, toCompleted(outcome))
    t.match(await refusalOf(store, of('a', { size: 1 })), TOO_MANY_OF_CLIENT)
    await store.change(shrinks.id, toCompleted(resultOf('')))

    await store.create(of('a', { size: 1 }))
  })

  t.test(`${name}: a task does not grow past the size of its client's tasks, and stays what it was`, async t => {
    const store = await make(t, { maxSizePerClient: 100_000 })
    const [task, other] = [of('a', { size: 40_000 }), of('a', { size: 40_000 })]
    await store.create(task)
    await store.create(other)
    const grown = (size: number) => store.change(task.id, now => ({ ...now, size, version: now.version + 1 }))

    t.match(await refusalFrom(() => grown(60_001)), TOO_MANY_OF_CLIENT)
    t.match(await store.find(task.id), { size: 40_000, version: 0 })
    t.match(await grown(60_000), { size: 60_000, version: 1 })
    t.match(await grown(1000), { size: 1000, version: 2 })

    await store.create(of('a', { size: 59_000 }))
    t.match(await refusalOf(store, of('a', { size: 1 })), TOO_MANY_OF_CLIENT)
  })

  t.test(`${name}: what ends a task fits, however much is kept`, async t => {
    const store = await make(t, { maxSize: 1000, maxSizePerClient: 1000 })
    const [task, other] = [of('a', { size: 1 }), of('a', { size: 999 })]
    await store.create(task)
    await store.create(other)

    t.match(await store.change(task.id, toCancelled(resultOf('x'.repeat(1000)), 'enough')), { status: 'cancelled' })
    t.match(await store.find(task.id), { status: 'cancelled' })
  })

  t.test(`${name}: a removed task makes room, once`, async t => {
    const bounds = { maxTasks: 3, maxTasksPerClient: 2, maxSize: 300, maxSizePerClient: 200 }
    const store = await make(t, bounds)
    const [first, second, others] = [of('a', { size: 100 }), of('a', { size: 100 }), of('b', { size: 100 })]
    for (const task of [first, second, others]) await store.create(task)

    await store.remove(first.id)
    await store.remove(first.id)
    await store.remove('unknown')

    await store.create(of('a', { size: 100 }))
    t.match(await refusalOf(store, of('a', { size: 100 })), TOO_MANY_OF_CLIENT)
    t.match(await refusalOf(store, of('b', { size: 100 })), TOO_MANY)
  })

  t.test(`${name}: what has come and gone a hundred times leaves nothing counted`, async t => {
    const store = await make(t, { maxTasks: 2, maxTasksPerClient: 2, maxSize: 3000, maxSizePerClient: 3000 })

    for (let turn = 0; turn < 100; turn++) {
      const task = of('a', { size: 1000 })
      await store.create(task)
      await store.change(task.id, toCompleted(resultOf('x'.repeat(turn))))
      await store.remove(task.id)
    }

    await store.create(of('a', { size: 1500 }))
    await store.create(of('a', { size: 1500 }))
    t.match(await refusalOf(store, of('a', { size: 1 })), TOO_MANY_OF_CLIENT)
  })

  // One test, so that it waits for the time once.
  t.test(`${name}: an expired task is reported without a request, and makes room`, async t => {
    const store = await make(t, { maxTasks: 2, maxShareOfFree: 1e9 })
    const { of, until } = listenTo(store)
    const [short, long] = [aTask(), aTask()]
    await store.create(short)
    await store.create(long)
    await t.rejects(async () => store.create(aTask()), { code: 50300 })
    await store.change(short.id, task => ({ ...task, ttlMs: SHORT_MS }))

    await until(short.id, 'gone')

    t.strictSame(of(short.id), ['gone'])
    t.strictSame(of(long.id), [])
    const next = aTask()
    await store.create(next)
    t.ok(await store.find(next.id))
  })
}

/** Adds tasks until one is refused. @returns how much they hold, and the refusal */
async function fill(store: TaskStore, client: string, size: number) {
  for (let held = 0; held < 1e6; held += size) {
    const refusal = await refusalOf(store, of(client, { size }))
    if (refusal !== undefined) return { held, refusal }
  }
  throw new Error(`${client} was never refused`)
}

// However many clients take all they can, newcomers share the room that stays free.
function sharesSuite(t: Suite, name: string, make: MakeTasks): void {
  for (const greedy of [1, 2, 5, 10]) {
    t.test(`${name}: ${greedy} greedy clients leave room for one that comes, and for its result`, async t => {
      const store = await make(t, { maxSize: 1_000_000 })
      let held = 0
      for (let n = 0; n < greedy; n++) {
        const filled = await fill(store, `greedy-${n}`, 1000)
        t.match(filled.refusal, TOO_MANY_OF_CLIENT)
        held += filled.held
      }
      t.ok(1_000_000 - held >= 1_000_000 * (6 / 7) ** greedy - 1000 * greedy, `${held} are held`)

      const task = of('newcomer', { size: 5000 })
      await store.create(task)
      const size = 20_000
      t.match(await store.change(task.id, now => ({ ...now, size, version: now.version + 1 })), { size })

      t.match(
        await refusalOf(store, of('greedy-0', { size: 1000 })),
        TOO_MANY_OF_CLIENT,
        'and who is over stays refused',
      )
    })
  }

  t.test(`${name}: the number of tasks is shared in the same way`, async t => {
    const store = await make(t, { maxTasks: 60 })

    const counts = [await fill(store, 'a', 1), await fill(store, 'b', 1), await fill(store, 'c', 1)]

    t.ok(
      counts.every(({ held }) => held >= 4 && held <= 9),
      JSON.stringify(counts.map(({ held }) => held)),
    )
    for (let n = 0; n < 10; n++) await store.create(of(`newcomer-${n}`))
  })

  t.test(`${name}: what makes room for others makes room for who was refused`, async t => {
    const store = await make(t, { maxSize: 100_000 })
    await fill(store, 'a', 1000)
    const task = of('b', { size: 10_000 })
    await store.create(task)
    t.match(await refusalOf(store, of('a', { size: 1000 })), TOO_MANY_OF_CLIENT)

    await store.remove(task.id)
    await store.remove(task.id)

    t.match((await fill(store, 'c', 1000)).held > 10_000, true)
  })

  t.test(`${name}: who holds nothing, and finds too little free, hears that all hold too much`, async t => {
    const store = await make(t, { maxSize: 100_000 })
    await fill(store, 'a', 1000)

    t.match(await refusalOf(store, of('b', { size: 50_000 })), TOO_MANY)
    await store.create(of('b', { size: 10_000 }))
  })

  t.test(`${name}: questions and answers that do not fit are refused, however small each is`, async t => {
    const store = await make(t, { maxSizePerClient: 10_000 })
    const task = of('a', { size: 9000 })
    await store.create(task)
    const grown = (size: number) => store.change(task.id, now => ({ ...now, size, version: now.version + 1 }))

    t.match(await grown(10_000), { size: 10_000 })
    t.match(await refusalFrom(() => grown(10_001)), TOO_MANY_OF_CLIENT)
  })
}
