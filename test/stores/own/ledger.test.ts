// The suites, on the stores of somebody who bounds nothing and tells nothing of ends.
import t from 'tap'
import { sessionsSuite } from '../../../packages/state/src/suites/sessions.ts'
import { tasksSuite } from '../../../packages/state/src/suites/tasks.ts'
import { storeContext } from '../../support/state.ts'
import { Ledger, LedgerSessions, LedgerTasks } from '../../support/stores/ledger.ts'
import { toSuite } from '../../support/suite.ts'

sessionsSuite(toSuite(t), 'sessions in a ledger', (_t, { ttlMs }) => {
  const ledger = new Ledger()
  ledger.start(storeContext({ sessionTtlMs: ttlMs }))
  return new LedgerSessions(ledger)
})

tasksSuite(toSuite(t), 'tasks in a ledger', () => new LedgerTasks(new Ledger()), { isBounded: false })
