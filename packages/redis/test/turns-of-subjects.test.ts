// Tasks of subjects take turns: of one that has as many as it may, two have to end at most before another's begins.
import t, { type Test } from 'tap'
import { readOptions } from '../../../src/config/read-options.ts'
import type { QueueBounds, TaskQueue } from '../../../src/state/task-queue.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { fakeLog } from '../../../test/support/fakes.ts'
import { callOf, oneByOne } from '../../../test/support/one-by-one.ts'
import { assembled } from '../../../test/support/runtime.ts'
import { job } from '../../../test/support/tasks/modern.ts'
import { turns } from '../../../test/support/turns.ts'
import { memory } from '../../memory/src/state.ts'
import { MemoryTaskQueue } from '../../memory/src/task-queue.ts'
import { RedisTaskQueue } from '../src/task-queue.ts'
import { linkTo, withRedis } from './links.ts'

// They mostly wait, and each has a queue of its own.
t.jobs = 4

type MakeQueue = (t: Test, bounds: QueueBounds) => TaskQueue | Promise<TaskQueue>

interface Greedy {
  readonly max: number
  readonly concurrency?: number
  readonly isVerified: boolean
}

/** Twenty tasks of one client, and as many of them running as may; with the test all end. */
async function greedy(t: Test, make: MakeQueue, { max, concurrency, isVerified }: Greedy) {
  const { handler, begun, running, endOne, has } = oneByOne()
  const tool = job('slow', (_ctx, args) => handler(args), concurrency === undefined ? {} : { concurrency })
  const settings = readOptions({})
  const state = { ...memory(), taskQueue: await make(t, { max }) }
  const { catalog, code, tasks } = assembled('turns', fakeLog() as never, settings, state)
  code.add([tool])
  let opened = 0
  const open = async (who: string) => {
    opened++
    const exchange = callOf(who, isVerified, { params: { name: 'slow', arguments: { who } } })
    const opening = { exchange, owner: undefined, answers: {}, isHandedOut: true }
    return tasks.open({ tool: catalog.tools.find('slow')!, ...opening })
  }
  for (let count = 0; count < 20; count++) await open('alice')
  await eventually(() => running.length === (concurrency ?? max), 'as many run as may')
  t.teardown(async () => {
    while (begun.length < opened || running.length > 0) {
      await eventually(() => running.length > 0, `the next runs, of ${begun}`)
      await endOne(running[0]!.who)
    }
  })

  return {
    running,
    endOne,
    /** Opens one task, and waits until it waits for its tool. */
    async openAndWait(who: string): Promise<void> {
      const { id } = await open(who)
      await eventually(async () => (await tasks.read(id))?.isRunning, 'it waits for its tool')
      await turns()
    },
    open,
    /** @returns how many of hers had to end */
    async endsBefore(who: string): Promise<number> {
      let ends = 0
      for (; !has(who); ends++) {
        const count = begun.length
        await endOne('alice')
        await eventually(() => begun.length > count, `the next begins, of ${begun}`)
      }
      return ends
    },
  }
}

function turnsContract(t: Test, name: string, make: MakeQueue): void {
  for (const isVerified of [true, false]) {
    const whose = isVerified ? 'a subject' : 'an address'
    t.test(`${name}: with all places taken by ${whose}, another’s task is next`, async t => {
      const { open, endsBefore } = await greedy(t, make, { max: 4, isVerified })

      await open('bob')

      t.ok((await endsBefore('bob')) <= 2)
    })

    for (const concurrency of [1, 2, 4]) {
      t.test(`${name}: with a concurrency of ${concurrency} taken by ${whose}, another’s task is next`, async t => {
        const { openAndWait, endsBefore } = await greedy(t, make, { max: 100, concurrency, isVerified })

        await openAndWait('bob')

        t.ok((await endsBefore('bob')) <= 2)
      })
    }
  }

  t.test(`${name}: with all places and the tool taken by one subject, another’s task is next`, async t => {
    const { open, endsBefore } = await greedy(t, make, { max: 2, concurrency: 2, isVerified: false })

    await open('bob')

    t.ok((await endsBefore('bob')) <= 2)
  })

  t.test(`${name}: each of several others waits for two of the greedy one’s`, async t => {
    const { openAndWait, endsBefore, endOne, running } = await greedy(t, make, {
      max: 100,
      concurrency: 1,
      isVerified: true,
    })
    for (const who of ['bob', 'carol', 'dave']) {
      await openAndWait(who)

      t.ok((await endsBefore(who)) <= 2)
      await endOne(who)
      await eventually(() => running.length === 1, 'the next runs')
    }
  })
}

turnsContract(t, 'tasks in memory', (_t, bounds) => new MemoryTaskQueue(bounds))

withRedis(t, 'tasks in Redis', (t, server) => {
  t.jobs = 4
  turnsContract(t, 'tasks in Redis', async (t, bounds) => {
    return new RedisTaskQueue((await linkTo(server, t)).link, bounds)
  })
})
