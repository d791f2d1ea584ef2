// The copy of the sample database that `npm run build` makes.
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import t, { type Test } from 'tap'
import { COPY_FILE, createSamples, loadBuiltSamples, loadSamples } from '../../../tools/_database/sample-copy.ts'

const create = PGlite.create.bind(PGlite)
const CONTENT = `SELECT
  (SELECT jsonb_agg(to_jsonb(u) - 'signed_up_at' ORDER BY id) FROM users.users AS u) AS users,
  (SELECT jsonb_agg(p ORDER BY id) FROM products.products AS p) AS products,
  (SELECT jsonb_agg(i ORDER BY id) FROM orders.items AS i) AS items,
  (SELECT count(*) FROM pg_proc WHERE NOT has_function_privilege('reader', oid, 'EXECUTE')) AS locked`

const contentOf = async (db: PGlite) => (await db.query(CONTENT)).rows
const folderOf = (t: Test) => pathToFileURL(`${t.testdir()}/`)

t.test('the copy of the build has what a new database has, its locks too', async t => {
  const built = await loadBuiltSamples(create)
  const made = await createSamples(create)

  t.strictSame(await contentOf(built!.db), await contentOf(made.db))
  const again = await loadSamples(create, made.copy)
  t.strictSame(await contentOf(again.db), await contentOf(made.db))
  for (const { db } of [built!, made, again]) await db.close()
})

t.test('the build puts it into dist/ and beside the sources', async t => {
  const [source, dist] = ['tools', 'dist/tools'].map(folder => readFileSync(`${folder}/_database/${COPY_FILE}`))

  t.ok(source!.equals(dist!))
})

t.test('without a copy, or with one that cannot be read, the samples are to be created', async t => {
  const folder = folderOf(t)

  t.equal(await loadBuiltSamples(create, folder), undefined)
  writeFileSync(new URL(COPY_FILE, folder), 'no copy')
  t.equal(await loadBuiltSamples(create, folder), undefined)
})
