// The official suite as one of our tests, and that a weak result of it does not pass for a good one.
import t from 'tap'
import { REVISIONS } from './expected.ts'
import { type Check, judge, judgeCatalogue } from './judge.ts'
import { listScenarios, runSuite } from './suite.ts'

const bounded = () => AbortSignal.timeout(120_000)
const check = (status: string): Check => ({ id: 'check', status, errorMessage: 'why' })

for (const revision of REVISIONS) {
  t.test(`conformance: every check of ${revision} succeeds`, { timeout: 150_000 }, async t => {
    const verdicts = await runSuite(revision, bounded())

    t.not(verdicts.length, 0)
    for (const { scenario, faults } of verdicts) t.strictSame(faults, [], scenario)
  })
}

t.test('conformance: every scenario of the suite is expected or left out by name', async t => {
  const scenarios = await listScenarios(bounded())

  t.not(scenarios.length, 0)
  t.strictSame(judgeCatalogue(scenarios), [])
  t.strictSame(judgeCatalogue([...scenarios, 'new-one']), ['new-one is neither expected nor left out'])
  t.strictSame(judgeCatalogue(scenarios.filter(name => name !== 'ping')), ['ping is not in the suite'])
})

for (const status of ['FAILURE', 'WARNING', 'SKIPPED', 'UNHEARD_OF']) {
  t.test(`conformance: a check that ends with ${status} is a fault`, async t => {
    const { faults } = judge('ping', [check('SUCCESS'), check(status)], 1)

    t.strictSame(faults, [`${status} check: why`])
  })
}

t.test('conformance: fewer successes than expected are a fault, whatever the rest says', async t => {
  t.strictSame(judge('ping', [check('SUCCESS'), check('INFO')], 2).faults, ['1 checks succeeded, not 2'])
  t.strictSame(judge('ping', undefined, 2).faults, ['did not run'])
  t.strictSame(judge('ping', [check('SUCCESS'), check('SUCCESS'), check('INFO')], 2).faults, [])
})
