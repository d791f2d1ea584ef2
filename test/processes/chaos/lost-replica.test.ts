// A replica that dies in the middle of a task.
import t from 'tap'
import { NO_REDIS } from '../../support/servers/redis-server.ts'
import { place, rigOf, runsFor, wireTo } from './of-rig.ts'
import { follow } from './task-clients.ts'

// They mostly wait.
t.jobs = 2

/** How long a task may be without an end when its replica is gone, ms. */
const LEASE_MS = 15_000

t.test(
  'F3: a task whose replica is killed is shown as interrupted by another, and not run again',
  { skip: NO_REDIS },
  async t => {
    const rig = await rigOf(t)
    const { task, runner, other } = await place(t, rig, 'once', { entry: 'e0', ms: 120_000 })

    await rig.kill(runner)
    // Several times as long, for a busy machine.
    await follow(wireTo(t, other.url), task, 4 * LEASE_MS)

    t.equal(task.status, 'failed')
    t.match(task.reason, /\binterrupted: /)
    t.equal(runsFor(rig, task).length, 1)
  },
)

t.test(
  'F3: a task of an idempotent tool whose replica is killed is run again by another',
  { skip: NO_REDIS },
  async t => {
    const rig = await rigOf(t)
    // Long enough to be killed in its middle.
    const { task, runner, other } = await place(t, rig, 'again', { entry: 'e1', ms: 10_000 })

    await rig.kill(runner)
    await follow(wireTo(t, other.url), task, 4 * LEASE_MS)

    t.equal(task.status, 'completed')
    t.match(
      runsFor(rig, task).map(({ how }) => how),
      ['killed', 'end'],
    )
    t.equal(runsFor(rig, task)[1]?.pid, other.pid)
  },
)
