import t, { type Test } from 'tap'
import type { QueueBounds } from '../../../src/state/task-queue.ts'
import { eventually, settled } from '../../../test/support/eventually.ts'
import { toSuite } from '../../../test/support/suite.ts'
import type { Ending } from '../../state/src/suites/check.ts'
import { addAll, held, turn, turns } from '../../state/src/suites/held-queue.ts'
import { taskQueueSuite } from '../../state/src/suites/task-queue.ts'
import { ClientQueues, toClientQueueEntry } from '../src/client-queues.ts'
import { RedisTaskQueue } from '../src/task-queue.ts'
import { keysOf, linkTo, newPrefix, operator, withRedis } from './links.ts'

withRedis(t, 'queue on Redis', (t, server) => {
  // They mostly wait, and each has keys of its own.
  t.jobs = 4
  async function make(t: Ending, bounds: QueueBounds, prefix?: string) {
    return new RedisTaskQueue((await linkTo(server, t, prefix)).link, bounds)
  }
  const replica = (t: Test, bounds: QueueBounds, prefix: string) => held(t, t => make(t, bounds, prefix), bounds)

  taskQueueSuite(toSuite(t), 'queue on Redis', make)

  t.test('queue on Redis: each task runs once, on one of two replicas, and both have some', async t => {
    const prefix = newPrefix()
    const [first, second] = [await replica(t, { max: 3 }, prefix), await replica(t, { max: 3 }, prefix)]
    const all = Array.from({ length: 10 }, (_, n) => turns(5, `c${n}-`, n % 2 === 0)).flat()

    await addAll(first.queue, all)
    await eventually(() => first.running.size === 3 && second.running.size === 3, 'each runs three')
    await eventually(() => {
      for (const { running, letGo } of [first, second]) for (const id of [...running.keys()]) letGo(id)
      return first.begun.length + second.begun.length >= 50
    }, 'fifty have run')
    await settled()

    t.strictSame([...first.begun, ...second.begun].sort(), all.map(({ id }) => id).sort())
  })

  t.test('queue on Redis: the share of a subject is that of all replicas', async t => {
    const prefix = newPrefix()
    const bounds = { max: 4, maxPerSubject: 3 }
    const [first, second] = [await replica(t, bounds, prefix), await replica(t, bounds, prefix)]
    const running = () => [...first.running.keys(), ...second.running.keys()].sort()

    await addAll(first.queue, turns(8, 'a', true))
    await eventually(() => running().length === 3, 'three run')
    await settled()
    t.strictSame(running(), ['a1', 'a2', 'a3'])
    for (const { letGo } of [first, second].filter(each => each.running.has('a2'))) letGo('a2')

    await eventually(() => running().includes('a4'), `the next runs: ${running()}`)
    await settled()
    t.strictSame(running(), ['a1', 'a3', 'a4'])
  })

  t.test('queue on Redis: a task that is taken out on another replica does not run', async t => {
    const prefix = newPrefix()
    const first = await replica(t, { max: 1 }, prefix)
    const other = await make(t, { max: 1 }, prefix)
    await addAll(first.queue, turns(8, 'a'))
    await first.runs('a1')

    // One that is a job by now, and one that is not yet.
    for (const id of ['a2', 'a7']) await other.remove(turn(id, 'a'))
    await first.letAllGo(6)

    t.strictSame(first.begun, ['a1', 'a3', 'a4', 'a5', 'a6', 'a8'])
  })

  t.test('queue on Redis: of one client one task is a job that waits, and the rest wait in its lane', async t => {
    const prefix = newPrefix()
    const queue = await make(t, { max: 10 }, prefix)

    await addAll(queue, turns(50, 'a'))

    const client = operator(server, t)
    t.equal(await client.llen(`${prefix}:queue:tasks:wait`), 1)
    t.strictSame(await queue.count(), { running: 0, waiting: 50 })
  })

  t.test('queue on Redis: what a replica left undone that died is found by the next look', async t => {
    const prefix = newPrefix()
    const madeMs = performance.now()
    const { begun, runs, letAllGo } = await replica(t, { max: 2 }, prefix)
    const other = await make(t, { max: 2 }, prefix)
    const { link } = await linkTo(server, t, prefix)
    const lanes = { redis: link, client: operator(server, t), maxPerSubject: 2, jobs: `${prefix}:queue:tasks:` }
    // It noted a task and died before there was a job of it, and another whose job was lost while it ran.
    const dead = new ClientQueues(lanes)
    await dead.record('add', toClientQueueEntry(turn('noted', 'a')))
    await dead.record('start', toClientQueueEntry(turn('ran', 'b', true)))
    await settled()
    // It looks every 5 s: it may have done so, where the machine stood still.
    if (performance.now() - madeMs < 4000) t.strictSame(begun, [])

    await runs('noted', 'ran')
    await letAllGo(2)

    await eventually(async () => (await other.count()).waiting === 0, 'nothing waits')
    t.equal(begun.length, 2)
  })

  t.test('queue on Redis: what has run leaves nothing behind but what the library keeps', async t => {
    const prefix = newPrefix()
    const { queue, letAllGo } = await replica(t, { max: 5 }, prefix)
    const other = await make(t, { max: 5 }, prefix)
    await addAll(queue, [...turns(20, 'a'), ...turns(20, 'b', true)])
    await letAllGo(40)
    const client = operator(server, t)

    const left = async () => (await keysOf(client, `${prefix}:*`)).map(key => key.slice(prefix.length + 1))
    await eventually(async () => !(await left()).some(key => /^lane|^queue:tasks:.*\.0/.test(key)), 'none is left')

    t.ok((await client.xlen(`${prefix}:queue:tasks:events`)) < 400, 'nor does its log grow for ever')
    t.strictSame(await other.count(), { running: 0, waiting: 0 })
  })
})
