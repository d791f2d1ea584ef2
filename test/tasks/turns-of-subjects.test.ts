// Tasks of subjects take turns: of one that has as many as it may, two have to end at most before another's begins.
import t, { type Test } from 'tap'
import type { ServerOptions } from '../../src/index.ts'
import { oneByOne } from '../execution/one-by-one.ts'
import { NO_REDIS, redisServer } from '../redis/redis-server.ts'
import { as, guarded } from '../security/callers.ts'
import { until } from '../security/hostile.ts'
import { settled } from '../state/contract/eventually.ts'
import { job, taskFrom } from './modern.ts'

const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

/** With so many running, and more that wait. */
async function greedy(t: Test, options: ServerOptions, concurrency: number | undefined, atOnce: number) {
  const { handler, begun, running, endOne, has } = oneByOne()
  t.teardown(async () => {
    while (running.length > 0) await endOne(running[0]!.who)
  })
  const tool = job('slow', (_ctx, args) => handler(args), concurrency === undefined ? {} : { concurrency })
  const app = await guarded(t, { tools: [tool], taskInlineMs: 0, drainMs: 20, ...options })
  const startAs = (who: string) => taskFrom(app, 'slow', { who }, { headers: as(who) })
  await Promise.all(times(40, () => startAs('alice')))
  await until(() => running.length === atOnce, 'all that may run do')
  await settled()

  const endsBefore = async (who: string): Promise<number> => {
    let ends = 0
    for (; !has(who); ends++) {
      const count = begun.length
      await endOne('alice')
      await until(() => begun.length > count, `the next begins, of ${begun}`)
    }
    return ends
  }
  return { startAs, endsBefore, endOne, running }
}

function contract(t: Test, name: string, optionsOf: (t: Test) => ServerOptions | Promise<ServerOptions>): void {
  t.test(`${name}: with all places for tasks taken by one subject, another’s begins next`, async t => {
    const options = { ...(await optionsOf(t)), maxConcurrentCalls: 4 }
    const { startAs, endsBefore } = await greedy(t, options, undefined, 4)

    await startAs('bob')
    await settled()

    t.ok((await endsBefore('bob')) <= 2)
  })

  for (const concurrency of [1, 2, 4]) {
    t.test(`${name}: with a concurrency of ${concurrency} taken by one subject, another’s begins next`, async t => {
      const { startAs, endsBefore } = await greedy(t, await optionsOf(t), concurrency, concurrency)

      await startAs('bob')
      await settled()

      t.ok((await endsBefore('bob')) <= 2)
    })
  }

  t.test(`${name}: the second task of another waits for two of the greedy one, too`, async t => {
    const { startAs, endsBefore, endOne, running } = await greedy(t, await optionsOf(t), 1, 1)
    for (let round = 0; round < 3; round++) {
      const who = `bob ${round}`
      await startAs(who)
      await settled()

      t.ok((await endsBefore(who)) <= 2)
      await endOne(who)
      await until(() => running.length === 1, 'the next runs')
      await settled()
    }
  })
}

contract(t, 'tasks in memory', () => ({}))

t.test('tasks in Redis', { skip: NO_REDIS, timeout: 120_000 }, async t => {
  contract(t, 'tasks in Redis', async t => ({ redisUrl: (await redisServer(t)).url }))
})
