// A flood from as many networks as once filled a Redis of 24 MB in 2.4 s. `npm run attack:broker`
// prints its figures.
import t from 'tap'
import { NO_REDIS } from '../../../../test/support/servers/redis-server.ts'
import { flood, REDIS_MB, rowsOf } from './flood.ts'

t.test('O6: strangers of 46 networks fill a part of Redis, and others sign in', { skip: NO_REDIS }, async t => {
  const report = await flood(t, 46)

  for (const [what, figure] of rowsOf(report)) t.comment(`${what}: ${figure}`)
  t.ok(report.bytesAfter < REDIS_MB * 2 ** 20, 'it is not full')
  t.equal(report.refusedWrites, 0)
  t.ok(report.hasSignedIn, 'somebody else')
  t.ok(report.hasFinished, 'whoever was at the provider before')
  t.ok((report.answers['authorize 503'] ?? 0) > 0, 'what does not fit is refused')
})
