// G6 (test/security/README.md): what a statement may try. Each is sent as a client would, to the
// embedded database and to a real server.
import { existsSync } from 'node:fs'
import fc from 'fast-check'
import type { Test } from 'tap'
import type { App } from '../app.ts'
import { query, queryOnce, rowsOf } from '../tools/databases.ts'
import { errorOf } from '../tools/shipped.ts'
import { ENDLESS, FILE, GIGABYTE, REFUSED, TRIED } from './sql-statements.ts'

/** All that a statement could have changed. */
export const STATE = `SELECT
  (SELECT md5(string_agg(u::text, '|' ORDER BY id)) FROM users.users u),
  (SELECT md5(string_agg(p::text, '|' ORDER BY id)) FROM products.products p),
  (SELECT md5(string_agg(c::text, '|' ORDER BY id)) FROM products.categories c),
  (SELECT md5(string_agg(o::text, '|' ORDER BY id)) FROM orders.orders o),
  (SELECT md5(string_agg(i::text, '|' ORDER BY id)) FROM orders.items i),
  (SELECT string_agg(concat(rolname, rolsuper, rolcreaterole, rolcanlogin, rolconfig), '|' ORDER BY rolname) FROM pg_roles),
  (SELECT md5(string_agg(concat(relname, relacl), '|' ORDER BY oid)) FROM pg_class WHERE relnamespace::regnamespace::text !~ '^pg_t'),
  (SELECT count(*) FROM pg_largeobject_metadata),
  (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'),
  (SELECT count(*) FROM pg_prepared_statements WHERE name <> ''),
  (SELECT string_agg(extname, '|') FROM pg_extension),
  current_user <> 'owner', current_setting('search_path'), current_setting('transaction_read_only'),
  current_setting('statement_timeout')`

export async function attack(t: Test, { app, isServer }: { app: App; isServer: boolean }): Promise<void> {
  const [before] = await rowsOf(app, STATE)
  t.strictSame(before?.slice(-4), [true, 'users, public', 'on', '5s'])
  const unchanged = async (t: Test) => {
    t.strictSame((await rowsOf(app, STATE))[0], before)
    t.equal(existsSync(FILE), false)
  }

  await t.test(`G6: ${REFUSED.length} statements that are no single reading one are refused`, async t => {
    for (const statement of REFUSED) {
      // What is too slow at its best is not asked anew.
      const result = await (statement === GIGABYTE ? queryOnce : query)(app, statement)

      t.equal(result.isError, true, statement)
      t.ok(errorOf(result).length < 2000, statement)
    }
    await unchanged(t)
  })

  await t.test(`G6: ${TRIED.length} functions leave nothing behind`, async t => {
    for (const statement of TRIED) await queryOnce(app, statement)

    await unchanged(t)
    // Each connection of the pool.
    const states = await Promise.all(Array.from({ length: 8 }, () => rowsOf(app, STATE)))
    for (const [state] of states) t.strictSame(state, before)
  })

  await t.test('G6: what has no end is stopped, and the server answers', async t => {
    const begunMs = Date.now()
    const results = await Promise.all(ENDLESS.slice(0, isServer ? 2 : 1).map(each => queryOnce(app, each)))

    for (const result of results) t.match(errorOf(result), /took longer than 5 s/)
    if (isServer) t.ok(Date.now() - begunMs < 60_000)
    await unchanged(t)
  })

  await t.test('G6: of a billion rows one page is given', async t => {
    const { structuredContent } = await query(app, 'SELECT generate_series(1, 1000000000)')

    t.equal(structuredContent.rowCount, 100)
  })

  await t.test('G6: neither a cell nor an error of 64 MB comes here', { skip: !isServer }, async t => {
    const before = process.memoryUsage.rss()

    const cell = await queryOnce(app, "SELECT repeat('x', 64000000)")
    const error = await queryOnce(app, "SELECT repeat('x', 64000000)::int")

    // Making it takes a busy machine longer than a query may.
    t.match(errorOf(cell), /Row 1 has 64\d+ bytes as JSON; a row may have 131072|took longer than 5 s/)
    t.match(errorOf(error), /sent more than one call may receive|took longer than 5 s/)
    t.ok(process.memoryUsage.rss() - before < 48_000_000)
  })

  await t.test('G6: 300 random texts change nothing', async t => {
    const words = fc.constantFrom(
      ...'SELECT DELETE FROM users.users ; -- /* */ \' " $$ ( ) , * 1 AS x WITH RETURNING UPDATE SET name = COMMIT BEGIN \\ E U& \n \0 INTO FOR UNION ALL DROP TABLE'.split(
        ' ',
      ),
    )
    const texts = fc.array(words, { minLength: 1, maxLength: 12 }).map(each => each.join(' '))
    await fc.assert(
      fc.asyncProperty(fc.oneof(texts, fc.string({ minLength: 1 })), async text => {
        const result = await queryOnce(app, text)
        return result.isError === true || Array.isArray(result.structuredContent.rows)
      }),
      { numRuns: 300, seed: 6 },
    )
    await unchanged(t)
  })
}
