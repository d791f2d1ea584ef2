// The official suite through two replicas, whose requests are spread round-robin, read as strictly as against one server.
import t from 'tap'
import { RUNS } from '../conformance/expected.ts'
import { expectedOf } from '../conformance/judge.ts'
import { runSuite } from '../conformance/suite.ts'
import { NO_REDIS } from '../redis/redis-server.ts'
import { serveReplicas } from './serve-replicas.ts'

for (const run of RUNS) {
  const options = { skip: NO_REDIS, timeout: 180_000 }
  t.test(`conformance: every check of ${run.name} succeeds through two replicas`, options, async t => {
    const verdicts = await runSuite(run, AbortSignal.timeout(150_000), serveReplicas)

    t.equal(verdicts.length, expectedOf(run).size)
    for (const { scenario, faults } of verdicts) t.strictSame(faults, [], scenario)
  })
}
