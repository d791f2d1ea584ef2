// What goes wrong on the way to a server of PostgreSQL, and what an operator's own functions, views and tables may do.
import { chownSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { build, listening, readMessages, request } from '../../support/app.ts'
import { NO_POSTGRES, type PostgresServer } from '../../support/servers/postgres-server.ts'
import { certificate } from '../../support/tools/certificate.ts'
import { openServer, query, queryOnce, rowsOf } from '../../support/tools/databases.ts'
import { errorOf, SHIPPED, setting } from '../../support/tools/shipped.ts'

const OPERATORS = `
CREATE SCHEMA hidden; CREATE TABLE hidden.salaries AS SELECT 1 AS euros;
CREATE VIEW public.summary AS SELECT sum(euros) FROM hidden.salaries;
CREATE TABLE public.marks (a int);
CREATE FUNCTION public.marked() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS
  $$ BEGIN INSERT INTO public.marks VALUES (1); RETURN 1; END $$;
CREATE FUNCTION public.freed() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS
  $$ BEGIN SET LOCAL transaction_read_only = off; INSERT INTO public.marks VALUES (1); RETURN 1; END $$;
CREATE FUNCTION public.noisy() RETURNS int LANGUAGE plpgsql AS
  $$ BEGIN FOR n IN 1..10000 LOOP RAISE NOTICE '%', repeat('x', 1000); END LOOP; RETURN 1; END $$;
DO $$ BEGIN EXECUTE (SELECT 'CREATE TABLE public.wide (' || string_agg(rpad('c' || n || '_', 63, 'x') || ' int', ',') || ')'
  FROM generate_series(1, 1590) n); END $$;
INSERT INTO public.wide DEFAULT VALUES;
`

t.test('query_database and its troubles', { skip: NO_POSTGRES }, async t => {
  const { app, server } = await openServer(t)
  await server.sql(OPERATORS)
  await rowsOf(app, 'SELECT 1')

  await t.test('a function of the operator cannot write, whoever defined it', async t => {
    t.match(errorOf(await query(app, 'SELECT marked()')), /cannot execute INSERT in a read-only transaction/)
    t.match(errorOf(await query(app, 'SELECT freed()')), /read-write mode/)
    t.strictSame(await server.sql('SELECT count(*) FROM marks'), [['0']])
  })

  await t.test('a view shows what its owner may see, and no more can be reached through it', async t => {
    t.strictSame(await rowsOf(app, 'TABLE summary'), [[1]])
    t.match(errorOf(await query(app, 'TABLE hidden.salaries')), /permission denied/)
  })

  await t.test('1,590 columns of long names are a page; 10 MB of notices are none', async t => {
    t.equal((await query(app, 'TABLE wide')).structuredContent.columns.length, 1590)
    t.match(errorOf(await query(app, 'SELECT noisy()')), /sent more than one call may receive/)
    t.strictSame(await rowsOf(app, 'SELECT 1'), [[1]])
  })

  await t.test('a table that is made later is granted, at most once a minute', async t => {
    const { now } = Date
    t.teardown(() => Object.assign(Date, { now }))
    await server.sql('CREATE TABLE users.later AS SELECT 1 AS a')

    t.match(errorOf(await query(app, 'TABLE later')), /permission denied/)
    Date.now = () => now() + 61_000
    t.strictSame(await rowsOf(app, 'TABLE later'), [[1]])
    await server.sql('CREATE TABLE users.latest AS SELECT 1 AS a')
    t.match(errorOf(await query(app, 'TABLE latest')), /permission denied/)
  })

  await t.test('a password that another server has set is set again', async t => {
    await server.sql("ALTER ROLE toolrack_reader PASSWORD 'other'")
    await server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'toolrack_reader'")

    t.strictSame(await rowsOf(app, 'SELECT current_user'), [['toolrack_reader']])
  })

  await t.test('a login that the URL has as a parameter makes a reader too', async t => {
    const { host, pathname } = new URL(server.url())
    setting(t, 'DATABASE_URL', `postgres://${host}${pathname}?user=owner&password=${server.password}`)

    t.strictSame(await rowsOf(await build(t, SHIPPED), 'SELECT session_user'), [['toolrack_reader']])
  })

  await t.test('50 callers, of whom some leave, get their own rows, and no connection stays', async t => {
    const { url } = await listening(t, SHIPPED)
    const send = async (index: number) => {
      const text = `SELECT ${index}, pg_sleep(${index % 3 === 0 ? 3 : 0.01})`
      const { message, headers } = request('tools/call', { name: 'query_database', arguments: { query: text } })
      const { host: _, ...rest } = headers
      const signal = index % 3 === 0 ? AbortSignal.timeout(200) : undefined
      const reply = await fetch(url, {
        method: 'POST',
        headers: rest,
        body: JSON.stringify(message),
        ...(signal && { signal }),
      })
      const answer = readMessages(reply.headers.get('content-type') ?? '', await reply.text()).at(-1)
      // biome-ignore lint/suspicious/noExplicitAny: tests look into messages freely
      const { isError, structuredContent } = (answer as any).result
      return isError ? undefined : structuredContent.rows[0][0]
    }

    const all = await Promise.allSettled(Array.from({ length: 50 }, (_, index) => send(index)))

    for (const [index, each] of all.entries()) {
      if (each.status === 'fulfilled') t.ok(each.value === undefined || each.value === index)
    }
    t.ok(all.some(each => each.status === 'fulfilled' && each.value !== undefined))
    t.strictSame(await rowsOf(app, 'SELECT 1'), [[1]])
    const [[count] = []] = await server.sql("SELECT count(*) FROM pg_stat_activity WHERE usename = 'toolrack_reader'")
    t.ok(Number(count) <= 16, `${count}`)
  })

  await t.test(
    'no free connection, TLS that is asked for and not there: told, and nothing sent without it',
    async t => {
      await server.sql("CREATE ROLE crowd LOGIN PASSWORD 'x' CONNECTION LIMIT 0")
      setting(t, 'DATABASE_URL', server.url({ user: 'crowd', password: 'x' }))
      const crowded = await build(t, SHIPPED)
      setting(t, 'DATABASE_URL', `${server.url()}?sslmode=require`)
      const secure = await build(t, SHIPPED)

      t.match(errorOf(await query(crowded, 'SELECT 1')), /no free connection.*Try again/)
      t.match(errorOf(await query(secure, 'SELECT 1')), /cannot be reached/)
    },
  )

  await t.test('a certificate that is not trusted, or of another host, is told, and nothing sent to it', async t => {
    const root = await secured(t, server)
    const byName = new URL(server.url())
    byName.hostname = 'localhost'
    const refusals = [
      [server.url(), 'sslmode=require', /certificate of the database is not accepted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/],
      [server.url(), `sslmode=verify-full&sslrootcert=${root}`, /not accepted \(ERR_TLS_CERT_ALTNAME_INVALID\)/],
    ] as const

    for (const [url, parameters, expected] of refusals) {
      setting(t, 'DATABASE_URL', `${url}?${parameters}`)
      t.match(errorOf(await query(await build(t, SHIPPED), 'SELECT 1')), expected)
    }
    setting(t, 'DATABASE_URL', `${byName}?sslmode=verify-full&sslrootcert=${root}`)
    const isSecure = 'SELECT ssl, session_user FROM pg_stat_ssl WHERE pid = pg_backend_pid()'
    t.strictSame(await rowsOf(await build(t, SHIPPED), isSecure), [[true, 'toolrack_reader']])
  })

  await t.test('an extension that reaches out of the database has to be revoked first', async t => {
    await server.sql('CREATE EXTENSION dblink')
    const other = await build(t, SHIPPED)

    t.match(errorOf(await query(other, 'SELECT 1')), /PUBLIC, .*may call functions of the extension dblink/)
    await server.sql('REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC')
    t.strictSame(await rowsOf(other, 'SELECT 1'), [[1]])
  })

  await t.test('a server that says nothing any more is waited for no longer than the deadline', async t => {
    const fresh = await build(t, SHIPPED)
    await rowsOf(app, 'SELECT 1')
    const goOn = await server.pause()
    t.teardown(goOn)
    const begunMs = Date.now()

    const [known, unknown] = await Promise.all([queryOnce(app, 'SELECT 1'), queryOnce(fresh, 'SELECT 1')])

    t.match(errorOf(known), /took longer than 5 s|cannot be reached/)
    t.match(errorOf(unknown), /cannot be reached/)
    // It would else be waited for until it goes on.
    t.ok(Date.now() - begunMs < 30_000)
    goOn()
    t.strictSame(await rowsOf(app, 'SELECT 1'), [[1]])
  })

  await t.test('a connection that ends while a query runs is replaced, a server that ends is told', async t => {
    const end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
    /** Whether it was ended while it ran, for which there is half a second. */
    const interrupted = async () => {
      let [isOver, wasEnded] = [false, false]
      const again = rowsOf(app, 'SELECT pg_sleep(0.5) IS NULL').finally(() => (isOver = true))
      while (!isOver && !wasEnded) wasEnded = (await server.sql(end)).length > 0
      t.strictSame(await again, [[false]])
      return wasEnded
    }
    let wasEnded = await interrupted()
    for (let tries = 1; tries < 20 && !wasEnded; tries++) wasEnded = await interrupted()
    t.ok(wasEnded)

    const lost = queryOnce(app, 'SELECT pg_sleep(3)')
    await server.stop()
    t.match(errorOf(await lost), /^The database .* Try again/)
  })
})

/** The server takes TLS from now on, as `localhost`. @returns a file with what to trust for it */
async function secured(t: Test, server: PostgresServer): Promise<string> {
  const { key, cert } = certificate('localhost')
  const { uid, gid } = statSync(server.data)
  for (const [name, content] of Object.entries({ 'server.key': key, 'server.crt': cert })) {
    const file = join(server.data, name)
    writeFileSync(file, content, { mode: 0o600 })
    chownSync(file, uid, gid)
  }
  await server.sql('ALTER SYSTEM SET ssl = on')
  await server.sql('SELECT pg_reload_conf()')
  while (!(await takesTls(server))) await sleep(20)
  const root = join(t.testdir({}), 'root.pem')
  writeFileSync(root, cert)
  return root
}

const takesTls = (server: PostgresServer) =>
  server.sql('SELECT 1', `${server.url()}?sslmode=no-verify`).then(
    () => true,
    () => false,
  )
