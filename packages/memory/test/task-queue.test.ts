import t from 'tap'
import { MAX_RUNNING_PER_SUBJECT, type QueueBounds } from '../../../src/state/task-queue.ts'
import { toSuite } from '../../../test/support/suite.ts'
import { taskQueueSuite } from '../../state/src/suites/task-queue.ts'
import { MemoryTaskQueue } from '../src/task-queue.ts'

const make = (_t: unknown, bounds: QueueBounds) => new MemoryTaskQueue(bounds)

taskQueueSuite(toSuite(t), 'queue in memory', make)

t.test('queue in memory: a subject runs 32 at once', async t => {
  const queue = make(t, { max: 100 })
  let running = 0
  queue.onTask(() => {
    running++
    return new Promise<boolean>(() => {})
  })

  for (let n = 0; n < 50; n++) queue.add({ id: String(n), run: 0, clientKey: 'a', hasQuota: true })

  t.equal(MAX_RUNNING_PER_SUBJECT, 32)
  t.equal(running, 32)
})

t.test('queue in memory: clients take turns', async t => {
  const queue = make(t, { max: 1 })
  const begun: string[] = []
  queue.onTask(async id => begun.push(id) > 0)

  for (const id of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) queue.add({ id, run: 0, clientKey: id[0]!, hasQuota: false })
  for (let turn = 0; turn < 100 && begun.length < 6; turn++) await Promise.resolve()

  t.strictSame(begun, ['a1', 'b1', 'a2', 'c1', 'b2', 'a3'])
})

t.test('queue in memory: of those that wait, whoever has fewest running is next', async t => {
  const queue = make(t, { max: 4 })
  const begun: string[] = []
  const ends = new Map<string, (isDone: boolean) => void>()
  queue.onTask(id => {
    begun.push(id)
    return new Promise(resolve => ends.set(id, resolve))
  })
  for (const id of ['a1', 'a2', 'a3', 'b1', 'a4', 'b2', 'c1'])
    queue.add({ id, run: 0, clientKey: id[0]!, hasQuota: false })

  for (const id of ['a1', 'a2', 'a3']) {
    ends.get(id)!(true)
    await new Promise(setImmediate)
  }

  t.strictSame(begun.slice(4), ['c1', 'b2', 'a4'])
})
