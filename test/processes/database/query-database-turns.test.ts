// Slow statements of one subject take the connections of a server, and hold another up for two of them at most.
import pg from 'pg'
import t from 'tap'
import { callTool } from '../../support/app.ts'
import { as, guarded } from '../../support/security/callers.ts'
import { until } from '../../support/security/hostile.ts'
import { NO_POSTGRES } from '../../support/servers/postgres-server.ts'
import { sampleServer } from '../../support/tools/databases.ts'
import { SHIPPED, setting } from '../../support/tools/shipped.ts'
import { turns } from '../../support/turns.ts'

const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const WAITING = "SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"

t.test('query_database: the connections are taken in turn', { skip: NO_POSTGRES }, async t => {
  const server = await sampleServer(t)
  setting(t, 'DATABASE_URL', server.url())
  const app = await guarded(t, { ...SHIPPED, toolsInclude: ['query_database'] })
  const query = (who: string, text: string) =>
    callTool(app, 'query_database', { query: text }, { headers: as(who, 'database:read') })
  await query('alice', 'SELECT 1')
  // Each waits for a lock of its own, for as long as the test has it.
  const holder = new pg.Client({ connectionString: server.url() })
  await holder.connect()
  t.teardown(() => holder.end())
  const numbers = times(12, index => index + 1)
  for (const number of numbers) await holder.query('SELECT pg_advisory_lock($1)', [number])
  const letGo = (number: number) => holder.query('SELECT pg_advisory_unlock($1)', [number])
  const ended = new Set<number>()
  const hers = numbers.map(number =>
    query('alice', `SELECT pg_advisory_xact_lock_shared(${number})::text`).then(() => ended.add(number)),
  )
  const running = async () => (await server.sql(WAITING)).map(([id]) => Number(id)).sort((a, b) => a - b)
  await until(async () => (await running()).length === 4, 'all connections are taken')

  let isAnswered = false
  const his = query('bob', 'SELECT 1').finally(() => (isAnswered = true))
  await turns()
  let ends = 0
  while (!isAnswered) {
    const [first] = await running()
    if (first === undefined) continue
    ends++
    await letGo(first)
    await until(() => ended.has(first), 'it has ended')
    await until(async () => isAnswered || (await running()).length === 4, 'the next has begun')
  }

  t.ok(ends <= 2, `${ends} had to end`)
  t.match(await his, { structuredContent: { rowCount: 1 } })
  for (const number of numbers) await letGo(number)
  await Promise.all(hers)
})
