// Redis is away for longer than a lease.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { NO_REDIS } from '../../support/servers/redis-server.ts'
import { overlap } from './ledger.ts'
import { place, rigOf, runsFor, wireTo } from './of-rig.ts'
import { follow } from './task-clients.ts'

const AWAY_MS = 10_000
const SETTLE_MS = 40_000

t.test(
  'a task of an idempotent tool is never run twice at the same time, though its lease has ended',
  { skip: NO_REDIS },
  async t => {
    const rig = await rigOf(t)
    const { task, other } = await place(t, rig, 'again', { entry: 'e1', ms: 14_000 })

    await rig.redis!.kill()
    await sleep(AWAY_MS)
    await rig.redis!.start()
    await follow(wireTo(t, other.url), task, SETTLE_MS)

    t.equal(task.status, 'completed')
    t.notOk(overlap(runsFor(rig, task)), JSON.stringify(runsFor(rig, task)))
  },
)

t.test('a task that ends while Redis is away is completed', { skip: NO_REDIS }, async t => {
  const rig = await rigOf(t)
  const { task, other } = await place(t, rig, 'once', { entry: 'e0', ms: 1000 })

  await rig.redis!.kill()
  await sleep(2000)
  await rig.redis!.start()
  await follow(wireTo(t, other.url), task, SETTLE_MS)

  t.equal(task.status, 'completed')
  t.equal(runsFor(rig, task).length, 1)
})
