import t from 'tap'
import { type ClaimedRun, KEPT_MS } from '../../../src/state/kept-results.ts'
import { toSuite } from '../../../test/support/suite.ts'
import { keptResultsSuite } from '../../state/src/suites/kept-results.ts'
import { MemoryKeptResults } from '../src/kept-results.ts'

keptResultsSuite(toSuite(t), 'kept in memory', () => [new MemoryKeptResults()])

t.test('kept in memory: for a day', async t => {
  let nowMs = 0
  const kept = new MemoryKeptResults(() => nowMs)
  const request = { clientKey: 'client', fingerprint: 'f', isRepeatable: false }
  const { run } = (await kept.claim('a', request)) as { run: ClaimedRun }
  nowMs = KEPT_MS
  t.match(await kept.claim('a', request), { status: 'running' }, 'what runs does not expire')
  await kept.keep(run, '1')

  nowMs = 2 * KEPT_MS - 1
  t.match(await kept.claim('a', request), { status: 'ended' })
  nowMs = 2 * KEPT_MS
  t.match(await kept.claim('a', request), { status: 'claimed' })
})
