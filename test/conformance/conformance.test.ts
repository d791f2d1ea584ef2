// The official suite as one of our tests, and that a weak result of it does not pass for a good one.
import t from 'tap'
import { startAsUsersDo } from '../support/spawned.ts'
import { LEFT_OUT, RUNS, type Successes } from './expected.ts'
import { type Check, countOf, expectedOf, judge, judgeCatalogue, judgeRun } from './judge.ts'
import { listScenarios, readChecks, runSuite } from './suite.ts'

startAsUsersDo()

const bounded = () => AbortSignal.timeout(100_000)
/** Its scenarios have clocks of their own: on a machine that stood still they may find what is not so. */
const TRIES = 2
const check = (status: string, id = 'check'): Check => ({ id, status })

for (const run of RUNS) {
  t.test(`conformance: every check of ${run.name} succeeds`, { timeout: 250_000 }, async t => {
    let verdicts = await runSuite(run, bounded())
    const isClean = () => verdicts.every(({ faults }) => faults.length === 0)
    for (let tries = 1; !isClean() && tries < TRIES; tries++) verdicts = await runSuite(run, bounded())

    t.not(verdicts.length, 0)
    for (const { scenario, faults } of verdicts) t.strictSame(faults, [], scenario)
  })
}

t.test('conformance: every scenario of the suite is expected or left out by name', async t => {
  const scenarios = await listScenarios(bounded())

  t.equal(scenarios.length, 65)
  t.strictSame(judgeCatalogue(scenarios), [])
  t.strictSame(judgeCatalogue([...scenarios, 'new-one']), ['new-one is not expected'])
  t.strictSame(judgeCatalogue(scenarios.filter(name => name !== 'ping')), ['ping is not in the suite'])
})

t.test('conformance: between them the runs judge every scenario but skills', async t => {
  const judged = RUNS.map(run => expectedOf(run))
  const leftOut = Object.values(LEFT_OUT).flat()

  t.strictSame(
    judged.map(expected => [expected.size, expected.values().reduce((sum, successes) => sum + countOf(successes), 0)]),
    [
      [1, 3],
      [27, 56],
      [33, 84],
      [50, 197],
      [65 - leftOut.length, 231],
    ],
  )
  t.equal(leftOut.length, 3)
  t.ok(leftOut.every(name => name.startsWith('sep-2640-skills-')))
})

for (const status of ['FAILURE', 'WARNING', 'SKIPPED', 'UNHEARD_OF']) {
  t.test(`conformance: a check that ends with ${status} is a fault`, async t => {
    const { faults } = judge('ping', [check('SUCCESS'), { ...check(status), errorMessage: 'why' }], { check: 1 })

    t.strictSame(faults, [`${status} check: why`])
  })
}

t.test('conformance: other successes than expected are a fault, whatever the rest says', async t => {
  const faultsOf = (checks: readonly Check[] | undefined, successes: Successes) =>
    judge('ping', checks, successes).faults

  t.strictSame(faultsOf([check('SUCCESS')], { check: 2 }), ['check: 1 successes, not 2'])
  t.strictSame(faultsOf([check('SUCCESS'), check('SUCCESS')], { check: 1 }), ['check: 2 successes, not 1'])
  t.strictSame(faultsOf([check('SUCCESS', 'other')], { check: 1 }), [
    'check: 0 successes, not 1',
    'other: 1 successes, not 0',
  ])
  t.strictSame(faultsOf([check('INFO'), check('INFO')], { check: 2 }), ['check: 0 successes, not 2'])
  t.strictSame(faultsOf([check('SUCCESS'), check('INFO')], { check: 1 }), [])
  t.strictSame(faultsOf(undefined, { check: 2 }), ['did not run'])
})

t.test('conformance: only the scenario that is skipped for everybody may be skipped', async t => {
  t.strictSame(judge('tasks-status-notifications', [check('SKIPPED')], {}).faults, [])
  t.strictSame(judge('tasks-lifecycle', [check('SKIPPED')], {}).faults, ['SKIPPED check'])
})

t.test('conformance: a run whose files are bad, missing or of another scenario is not clean', async t => {
  const stamp = '2026-07-28T10-11-12-131Z'
  const folder = t.testdir({
    [`server-ping-${stamp}`]: { 'checks.json': JSON.stringify([check('SUCCESS'), check('WARNING', 'wire')]) },
    [`server-server-sse-polling-${stamp}`]: { 'checks.json': JSON.stringify([check('INFO', 'content-type')]) },
    [`server-tools-list-${stamp}`]: {},
    [`server-caching-${stamp}`]: { 'checks.json': JSON.stringify([check('SUCCESS')]) },
  })

  const run = RUNS.find(({ name }) => name === '2025-11-25')!
  const verdicts = judgeRun(run, await readChecks(folder))

  const faultsOf = (name: string) => verdicts.find(({ scenario }) => scenario === name)?.faults
  t.strictSame(faultsOf('ping'), [
    'WARNING wire',
    'ping: 0 successes, not 1',
    'wire-schema-valid: 0 successes, not 1',
    'check: 1 successes, not 0',
  ])
  t.ok(faultsOf('server-sse-polling')!.includes('server-sse-retry-field: 0 successes, not 1'))
  t.strictSame(faultsOf('tools-list'), ['did not run'])
  t.strictSame(faultsOf('caching'), ['ran, and is not expected'])
  t.ok(verdicts.every(({ faults }) => faults.length > 0))
  t.equal(verdicts.length, expectedOf(run).size + 1)
})
