// The official suite through two replicas, whose requests are spread round-robin, read as strictly as against one server.
import t from 'tap'
import { servingReplicas } from '../support/replicas/serve-replicas.ts'
import { NO_REDIS } from '../support/servers/redis-server.ts'
import { startAsUsersDo } from '../support/spawned.ts'
import { RUNS } from './expected.ts'
import { expectedOf } from './judge.ts'
import { runSuite } from './suite.ts'

startAsUsersDo()

for (const run of RUNS) {
  const options = { skip: NO_REDIS, timeout: 290_000 }
  t.test(`conformance: every check of ${run.name} succeeds through two replicas`, options, async t => {
    const attempt = async () => {
      const { serve, wasAlone } = servingReplicas()
      return { verdicts: await runSuite(run, AbortSignal.timeout(150_000), serve), wasAlone }
    }
    const hasFaults = ({ verdicts }: Awaited<ReturnType<typeof attempt>>) =>
      verdicts.some(({ faults }) => faults.length > 0)

    let attempted = await attempt()
    // Refused with 503, where Redis did not answer in time: the clients of the suite do not come again.
    for (let tries = 1; tries < 3 && hasFaults(attempted) && attempted.wasAlone(); tries++) attempted = await attempt()
    const { verdicts } = attempted

    t.equal(verdicts.length, expectedOf(run).size)
    for (const { scenario, faults } of verdicts) t.strictSame(faults, [], scenario)
  })
}
