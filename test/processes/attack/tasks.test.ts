// What `npm run attack:tasks` does, with fewer tasks: enough to take the shares of two subjects.
import t from 'tap'
import { NO_REDIS } from '../../support/servers/redis-server.ts'
import { attackTasks, rowsOf } from './tasks.ts'

const FLOOD = { tasks: 50, bytes: 900_000 }

for (const withRedis of [false, true]) {
  const name = `two subjects fill the store of tasks ${withRedis ? 'in Redis' : 'in memory'}, and a third is served`
  t.test(name, { skip: withRedis && NO_REDIS }, async t => {
    const report = await attackTasks(FLOOD, { withRedis })

    for (const [what, figure] of rowsOf(report)) t.comment(`${what}: ${figure}`)
    const { 200: taken = 0, 429: refused = 0 } = report.statuses
    t.equal(taken + refused, 2 * FLOOD.tasks, JSON.stringify(report.statuses))
    t.ok(refused > 0, 'who is over its share is refused')
    t.strictSame(report.third, ['completed', 'a session'])
    t.ok(report.isGood)
  })
}
