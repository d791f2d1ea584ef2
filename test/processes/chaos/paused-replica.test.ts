// A replica that is paused for longer than its lease, and goes on then as if nothing had been.
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { NO_REDIS } from '../../support/servers/redis-server.ts'
import { type Placed, place, rigOf, runsWhen, wireTo } from './of-rig.ts'
import { follow, look } from './task-clients.ts'
import { TASKS, type Wire } from './wire.ts'

// They mostly wait.
t.jobs = 3

const LEASE_MS = 15_000
/** Time for a late write to be made. */
const LATE_MS = 1500
/** Long enough to be paused in its middle, and over once its replica has been paused for its lease, which is 8 s. */
const RUN_MS = 6000

async function pauseBeyondLease(t: Test, { task, runner, other }: Placed): Promise<Wire> {
  const wire = wireTo(t, other.url)
  runner.pause()
  await follow(wire, task, 4 * LEASE_MS)
  return wire
}

t.test('F4: what a paused replica says of a task too late does not count', { skip: NO_REDIS }, async t => {
  const rig = await rigOf(t)
  const placed = await place(t, rig, 'once', { entry: 'e0', ms: RUN_MS })
  const { task, runner } = placed

  const wire = await pauseBeyondLease(t, placed)
  t.equal(task.status, 'failed')
  t.match(task.reason, /\binterrupted: /)
  runner.resume()
  const [run, ...others] = await runsWhen(rig, task, ([first]) => first!.how !== 'open')
  await sleep(LATE_MS)
  await look(wire, task)

  t.equal(run!.how, 'end', 'the handler came to its end')
  t.strictSame(others, [])
  t.equal(task.status, 'failed')
  t.match(task.reason, /\binterrupted: /)
})

t.test('F4: a paused replica does not take back a task that another has run again', { skip: NO_REDIS }, async t => {
  const rig = await rigOf(t)
  const placed = await place(t, rig, 'again', { entry: 'e1', ms: RUN_MS })
  const { task, runner, other } = placed

  const wire = await pauseBeyondLease(t, placed)
  t.equal(task.status, 'completed')
  runner.resume()
  await runsWhen(rig, task, runs => runs.every(({ how }) => how !== 'open'))
  await sleep(LATE_MS)

  const { message } = await wire.modern('tasks/get', { taskId: task.taskId }, TASKS)
  t.match(message.result, { status: 'completed', result: { content: [{ text: `${task.entry} by ${other.pid}` }] } })
})

t.test('F4: a run stops whose replica was paused while another ran the task again', { skip: NO_REDIS }, async t => {
  const rig = await rigOf(t)
  const { task, runner } = await place(t, rig, 'again', { entry: 'e1', ms: 20_000 })

  runner.pause()
  await runsWhen(rig, task, runs => runs.length === 2)
  runner.resume()
  const [first, second] = await runsWhen(rig, task, runs => runs[0]!.how !== 'open')

  t.equal(first!.how, 'abort')
  t.equal(second!.how, 'open')
})
