// A replica that is asked to end while it has all kinds of work.
import t, { type Test } from 'tap'
import type { Replica } from '../../support/replicas/replica.ts'
import { NO_REDIS } from '../../support/servers/redis-server.ts'
import { type Heard, listen } from './listeners.ts'
import { type Placed, place, rigOf, runsFor, wireTo } from './of-rig.ts'
import type { Rig } from './rig.ts'
import { SessionClient } from './session-clients.ts'
import { follow } from './task-clients.ts'

/** Longer than it takes to hand a task over, and less than a lease. */
const AT_ONCE_MS = 6000
const SETTLE_MS = 80_000
/** Long enough for what is short, on a busy machine too; what is long goes on behind it. */
const [DRAIN_MS, SHORT_MS, LONG_MS] = [8000, 2000, 16_000]

async function placeAt(
  t: Test,
  rig: Rig,
  tool: string,
  { entry, ms, at }: { entry: string; ms: number; at: Replica },
): Promise<Placed> {
  for (let number = 0; number < 30; number++) {
    const placed = await place(t, rig, tool, { entry: `${entry}${number}`, ms })
    if (placed.runner === at) return placed
  }
  throw new Error(`${tool} never ran there`)
}

/** @returns the code of what a client of 2025-11-25 is answered that waits for a task, as JSON or at the end of a stream */
async function waitForResult(t: Test, { url }: Replica): Promise<{ answer: Promise<number> }> {
  const session = new SessionClient(wireTo(t, url), { mayBeRefused: false })
  await session.open()
  const { message } = await session.ask('tools/call', {
    name: 'again',
    arguments: { entry: 'w1', ms: 60_000 },
    task: {},
  })
  const { taskId } = message.result.task
  return { answer: session.ask('tasks/result', { taskId }).then(({ message }) => message.error?.code) }
}

t.test('a replica that is asked to end hands over what may run again, and ends with 0', { skip: NO_REDIS }, async t => {
  const rig = await rigOf(t, { DRAIN_MS: String(DRAIN_MS) })
  const { task: once, runner, other } = await place(t, rig, 'once', { entry: 'long', ms: 60_000 })
  const { answer } = await waitForResult(t, runner)
  const heard: Heard = { opened: 0, completed: 0, cut: 0, changes: 0, isOpen: false }
  const leave = new AbortController()
  t.teardown(() => leave.abort())
  void listen(runner.url, heard, leave.signal)
  while (!heard.isOpen) await new Promise(resolve => setTimeout(resolve, 20))
  // Last, since they end by themselves.
  const { task: again } = await placeAt(t, rig, 'again', { entry: 'first', ms: LONG_MS, at: runner })
  const { task: short } = await placeAt(t, rig, 'once', { entry: 'short', ms: SHORT_MS, at: runner })

  const code = await runner.stop()

  t.equal(code, 0)
  t.equal(await answer, 50300)
  t.match(heard, { opened: 1, completed: 1, cut: 0 })
  const wire = wireTo(t, other.url)
  await Promise.all([again, once, short].map(task => follow(wire, task, SETTLE_MS)))
  t.match(once, { status: 'failed', reason: /\binterrupted: / })
  t.equal(short.status, 'completed')
  t.equal(again.status, 'completed')
  const [first, second] = runsFor(rig, again)
  t.match([first, second], [{ how: 'abort' }, { how: 'end', pid: other.pid }])
  t.ok(second!.startMs - first!.endMs < AT_ONCE_MS, `${second!.startMs - first!.endMs} ms`)
})
