// What only a server of PostgreSQL can show: who reads, what its troubles look like, and that nothing goes on there.
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type App, build, call, listening, request } from '../../support/app.ts'
import { freePort } from '../../support/free-port.ts'
import { NO_POSTGRES, type PostgresServer } from '../../support/servers/postgres-server.ts'
import { query, rowsOf, sampleServer } from '../../support/tools/databases.ts'
import { errorOf, SHIPPED, setting } from '../../support/tools/shipped.ts'

const RUNNING =
  "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND datname IS NOT NULL"

async function toolsOn(t: Test, url: string, readUrl?: string): Promise<App> {
  setting(t, 'DATABASE_URL', url)
  setting(t, 'DATABASE_READ_URL', readUrl)
  return await build(t, SHIPPED)
}

t.test('query_database on a server', { skip: NO_POSTGRES }, async t => {
  const server = await sampleServer(t)

  await t.test('a login that can only read is made, once, and is told', async t => {
    const apps = [await toolsOn(t, server.url()), await build(t, SHIPPED)]

    const users = await Promise.all(apps.map(app => rowsOf(app, 'SELECT current_user, session_user')))

    for (const rows of users) t.strictSame(rows, [['toolrack_reader', 'toolrack_reader']])
    t.match(apps[0]!.logs.text, 'Made the role toolrack_reader')
    t.match(errorOf(await query(apps[0]!, 'SELECT * FROM pg_authid')), /permission denied/)
  })

  await t.test('what is in no schema that was named is not seen', async t => {
    await server.sql('CREATE SCHEMA salaries; CREATE TABLE salaries.salaries (a int)')
    const app = await toolsOn(t, server.url())

    t.match(errorOf(await query(app, 'TABLE salaries.salaries')), /permission denied for schema salaries/)
  })

  await t.test('a login that can only read is used as it is', async t => {
    await server.sql(
      "CREATE ROLE mere LOGIN PASSWORD 'x'; GRANT USAGE ON SCHEMA users TO mere; GRANT SELECT ON users.users TO mere",
    )
    const mere = server.url({ user: 'mere', password: 'x' })

    t.strictSame(await rowsOf(await toolsOn(t, mere), 'SELECT current_user'), [['mere']])
    t.strictSame(await rowsOf(await toolsOn(t, server.url(), mere), 'SELECT current_user'), [['mere']])
  })

  await t.test('a login that can write is refused for reading, and what to do is said', async t => {
    await server.sql("CREATE ROLE writer LOGIN PASSWORD 'x'; GRANT INSERT ON users.users TO writer")
    const writer = server.url({ user: 'writer', password: 'x' })

    const given = errorOf(await query(await toolsOn(t, server.url(), writer), 'SELECT 1'))
    const alone = errorOf(await query(await toolsOn(t, writer), 'SELECT 1'))

    t.match(given, /The role of DATABASE_READ_URL may write to users.*CREATE ROLE/)
    t.match(alone, /cannot make one that only reads.*DATABASE_READ_URL/)
  })

  await t.test('a member of a role that can write is refused', async t => {
    await server.sql("CREATE ROLE member LOGIN NOINHERIT PASSWORD 'x' IN ROLE writer")

    const app = await toolsOn(t, server.url(), server.url({ user: 'member', password: 'x' }))

    t.match(errorOf(await query(app, 'SELECT 1')), /may write to users/)
  })

  await t.test('DATABASE_SCHEMAS names the databases; the first is the default', async t => {
    await server.sql('CREATE SCHEMA stock; CREATE TABLE stock.shelves AS SELECT 7 AS height')
    setting(t, 'DATABASE_SCHEMAS', 'stock, users')
    const app = await toolsOn(t, server.url())

    const { result } = await call(app, 'tools/list')
    const { inputSchema } = result.tools.find(({ name }: { name: string }) => name === 'query_database')
    t.strictSame(inputSchema.properties.database.enum, ['stock', 'users'])
    t.strictSame(await rowsOf(app, 'SELECT height FROM shelves'), [[7]])
  })

  await t.test('who leaves has the statement cancelled on the server', async t => {
    setting(t, 'DATABASE_URL', server.url())
    const { app, url } = await listening(t, SHIPPED)
    await rowsOf(app, 'SELECT 1')
    const { message, headers } = request('tools/call', {
      name: 'query_database',
      arguments: { query: 'SELECT pg_sleep(60)' },
    })
    const { host: _, ...rest } = headers
    /** Whether it was left while the statement ran, which is so for 5 s. */
    const leave = async () => {
      const leaving = new AbortController()
      const sent = { method: 'POST', headers: rest, body: JSON.stringify(message), signal: leaving.signal }
      const gone = fetch(url, sent).then(
        () => false,
        () => true,
      )
      const isRunning = await Promise.race([until(server, '1').then(() => true), gone])
      leaving.abort()
      return isRunning && (await gone)
    }

    let hasLeft = await leave()
    for (let tries = 1; tries < 5 && !hasLeft; tries++) hasLeft = await leave()

    t.ok(hasLeft)
    await until(server, '0')
  })

  await t.test('a server that restarts is found again', async t => {
    const app = await toolsOn(t, server.url())
    await rowsOf(app, 'SELECT 1')
    await server.stop()

    t.match(errorOf(await query(app, 'SELECT 1')), /The database (refuses connections|cannot be reached)/)
    await server.start()
    t.strictSame(await rowsOf(app, 'SELECT 1'), [[1]])
  })

  await t.test('troubles of the way there are told without its address', async t => {
    const port = await freePort()
    const urls = [
      [server.url({ password: 'secret-x' }), /does not accept the login/],
      [server.url({ database: 'secret_db' }), /does not exist/],
      [`postgres://secret_user:secret@127.0.0.1:${port}/x`, /refuses connections/],
      ['postgres://secret_user:secret@secret.invalid/x', /host of the database is not known|cannot be reached/],
    ] as const

    for (const [url, expected] of urls) {
      const app = await toolsOn(t, url)
      const error = errorOf(await query(app, 'SELECT 1'))
      t.match(error, expected)
      t.notMatch(error + app.logs.text, /secret|127\.0\.0\.1:\d/)
    }
  })

  await t.test('more calls than connections wait their turn', async t => {
    const app = await toolsOn(t, server.url())

    const all = await Promise.all(
      Array.from({ length: 30 }, (_, index) => rowsOf(app, `SELECT ${index}, pg_sleep(0.02)`)),
    )

    t.equal(all.length, 30)
    const [[count] = []] = await server.sql("SELECT count(*) FROM pg_stat_activity WHERE usename = 'toolrack_reader'")
    t.ok(Number(count) <= 12, `${count} connections, those of earlier tests included`)
  })
})

async function until(server: PostgresServer, count: string): Promise<void> {
  for (const endMs = Date.now() + 30_000; Date.now() < endMs; await sleep(20)) {
    if ((await server.sql(RUNNING))[0]?.[0] === count) return
  }
  throw new Error(`${count} statements were expected to run`)
}
