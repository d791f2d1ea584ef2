import t, { type Test } from 'tap'
import { toCompleted } from '../../../src/tasks/transitions.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { toSuite } from '../../../test/support/suite.ts'
import type { MemoryTaskBounds } from '../../memory/src/tasks.ts'
import { aTask, counted, resultOf } from '../../state/src/suites/a-task.ts'
import type { Ending } from '../../state/src/suites/check.ts'
import { listenTo, tasksSuite } from '../../state/src/suites/tasks.ts'
import { RedisTasks } from '../src/tasks.ts'
import { busTo, newPrefix, operator, withRedis } from './links.ts'

withRedis(t, 'tasks on Redis', (t, server) => {
  async function make(t: Ending, bounds: Omit<MemoryTaskBounds, 'now'> = {}, prefix?: string) {
    const { link, bus } = await busTo(server, t, prefix)
    const store = new RedisTasks(link, bus, bounds)
    return store
  }
  async function replicas(t: Test, bounds?: Omit<MemoryTaskBounds, 'now'>) {
    const prefix = newPrefix()
    return [await make(t, bounds, prefix), await make(t, bounds, prefix)] as const
  }

  tasksSuite(toSuite(t), 'tasks on Redis', make)

  t.test('tasks on Redis: of many steps at once on two replicas each is taken, alone, and told on both', async t => {
    const [first, second] = await replicas(t)
    const heard = [listenTo(first), listenTo(second)]
    const task = aTask()
    await first.create(task)

    const taken = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => (n % 2 === 0 ? first : second).change(task.id, counted)),
    )

    t.equal(new Set(taken.map(now => now?.version)).size, 200)
    t.match(await second.find(task.id), { rounds: 200, version: 200 })
    for (const { of, until } of heard) {
      await until(task.id, 200)
      t.equal(of(task.id).at(-1), 200)
    }
  })

  t.test('tasks on Redis: what is kept by one replica counts for the other', async t => {
    const bounds = { maxTasks: 4, maxTasksPerClient: 2, maxSize: 1000, maxSizePerClient: 500, maxShareOfFree: 1e9 }
    const [first, second] = await replicas(t, bounds)
    const of = (clientKey: string, size: number) => aTask({ clientKey, size })
    await first.create(of('a', 10))
    await second.create(of('a', 10))

    await t.rejects(async () => first.create(of('a', 1)), { code: 42900 })
    await first.create(of('b', 500))
    await t.rejects(async () => second.create(of('b', 1)), { code: 42900 })
    await first.create(of('c', 480))
    await t.rejects(async () => second.create(of('d', 1)), { code: 50300 })
  })

  t.test('tasks on Redis: those whose time has passed make room by the counters too', async t => {
    const prefix = newPrefix()
    const store = await make(
      t,
      { maxTasksPerClient: 3, maxSizePerClient: 300, maxSize: 300, maxShareOfFree: 1e9 },
      prefix,
    )
    const brief = Array.from({ length: 3 }, () => aTask({ ttlMs: 60, size: 100 }))
    for (const task of brief) await store.create(task)
    await t.rejects(async () => store.create(aTask({ size: 1 })), { code: 42900 })
    await eventually(async () => (await store.find(brief[2]!.id)) === undefined, 'the last has gone')

    await store.create(aTask({ size: 200, clientKey: 'next' }))

    const usage = await operator(server, t).hgetall(`${prefix}:task-usage`)
    t.equal(usage['size'], '200')
    t.strictSame(Object.values(usage).sort(), ['1', '200', '200'], 'of who has none nothing is left')
  })

  t.test('tasks on Redis: nothing is left of tasks that were ended and removed', async t => {
    const prefix = newPrefix()
    const store = await make(t, {}, prefix)
    const tasks = Array.from({ length: 20 }, (_, n) => aTask({ clientKey: `client-${n % 3}` }))

    await Promise.all(
      tasks.map(async ({ id, ...task }) => {
        await store.create({ id, ...task })
        await store.change(id, toCompleted(resultOf('x'.repeat(100))))
        await Promise.all([store.remove(id), store.remove(id)])
      }),
    )

    const client = operator(server, t)
    t.strictSame(await client.hgetall(`${prefix}:task-usage`), { size: '0' })
    for (const name of ['tasks', 'task-holds']) t.equal(await client.exists(`${prefix}:${name}`), 0)
    t.strictSame(await client.keys(`${prefix}:task:*`), [])
  })

  t.test('tasks on Redis: more steps than may wait for one task are refused, and the others are taken', async t => {
    const store = await make(t)
    const [task, other] = [aTask(), aTask()]
    await store.create(task)
    await store.create(other)

    const settled = await Promise.allSettled(Array.from({ length: 1010 }, async () => store.change(task.id, counted)))

    const refused = settled.filter(step => step.status === 'rejected')
    t.equal(refused.length, 10)
    t.ok(refused.every(({ reason }) => reason.reason === 'BUSY'))
    t.match(await store.find(task.id), { rounds: 1000 })
    t.match(await store.change(other.id, counted), { rounds: 1 })
  })
})
