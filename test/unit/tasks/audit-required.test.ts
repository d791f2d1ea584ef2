// With AUDIT_REQUIRED, a task whose end could not be audited goes back to the queue.
import t from 'tap'
import { closeState } from '../../../src/state/state.ts'
import { taskRunner } from '../../../src/tasks/runner.ts'
import { partsWith } from '../../support/tasks/parts.ts'

t.test('a task waits while its end could not be audited', async t => {
  let runs = 0
  const parts = partsWith({ name: 'counts', handler: () => `run ${++runs}` })
  const audit = { isReady: false }
  const run = taskRunner({ ...parts, audit })
  const { id } = await parts.open('counts')
  const before = runs

  t.equal(await run(id, undefined), false)
  t.equal(runs, before)
  await closeState(parts.state, parts.log)
})
