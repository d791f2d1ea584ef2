// docs/guides/databases.md: its tools read and write SQLite, also with the oldest Node, and a real PostgreSQL; a write that
// is repeated acts once, and a reader cannot write.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { guideProject, type Project, readPage } from '../../support/guide.ts'
import { findOldestNode } from '../../support/installed-package.ts'
import { NO_POSTGRES, postgresServer } from '../../support/servers/postgres-server.ts'

const page = readPage('docs/guides/databases.md')
const calls = page.take('sh', 'npx toolrack call find_products')
const startSqlite = page.take('sh', 'npx toolrack dev\n')
const schema = page.take('sql', 'CREATE TABLE products')
const startPostgres = page.take('sh', 'SHOP_READ_URL')

const SQLITE = {
  'tools/_sqlite.ts': '_sqlite.ts',
  'tools/find-products.ts': 'find-products.ts',
  'tools/reserve-product.ts': 'reserve-product.ts',
}
const POSTGRES = {
  'tools/_postgres.ts': '_postgres.ts',
  'tools/find-products.ts': 'find-products-postgres.ts',
  'tools/reserve-product.ts': 'reserve-product-postgres.ts',
}

/** What the four calls of the page print. */
const ANSWERS = [
  { products: [{ sku: 'LAMP-1', name: 'Desk lamp', stock: 3 }], hasMore: false },
  { reservation: 1 },
  { reservation: 1 },
  { products: [{ sku: 'LAMP-1', name: 'Desk lamp', stock: 2 }], hasMore: false },
]

async function answersOf(project: Project): Promise<unknown[]> {
  const { stdout } = await project.run(calls)
  return stdout
    .replaceAll('}\n{', '}\0{')
    .split('\0')
    .map(text => JSON.parse(text))
}

t.test('SQLite: found, reserved once, and not more than there are', async t => {
  const project = await guideProject(t, 'databases', SQLITE)
  const server = await project.start(startSqlite)

  t.strictSame(await answersOf(project), ANSWERS)
  const { stdout, stderr } = await project.run('npx toolrack call reserve_product sku=LAMP-1 quantity=3')
  t.match(stdout + stderr, 'There are not 3 of LAMP-1. Look with find_products.')
  t.match((await project.run('npx toolrack call reserve_product sku=LAMP-1 quantity=2')).stdout, '"reservation":2')
  await server.stop()
})

t.test('SQLite: the modules of the page work with the oldest Node, and its reader cannot write', async t => {
  const { folder } = await guideProject(t, 'databases', SQLITE)
  const code = `import { close, reader, setup, writer } from './tools/_sqlite.ts'
setup()
console.log(reader.prepare('SELECT count(*) AS count FROM products').get().count)
try { reader.exec('DELETE FROM products') } catch (error) { console.log(error.message) }
close()`
  const args = ['--experimental-strip-types', '--no-warnings', '--input-type=module', '--eval', code]

  const { stdout, stderr } = spawnSync(findOldestNode().path, args, { cwd: folder, encoding: 'utf8' })

  t.equal(stdout, '2\nattempt to write a readonly database\n', stderr)
})

t.test('PostgreSQL: the same, by two users', { skip: NO_POSTGRES }, async t => {
  const server = await postgresServer(t)
  await server.sql('CREATE DATABASE shop')
  await server.sql(schema, server.url({ database: 'shop' }))
  const project = await guideProject(t, 'databases', POSTGRES)

  await project.start(startPostgres.replaceAll('127.0.0.1:5432', `127.0.0.1:${server.port}`))

  t.strictSame(await answersOf(project), ANSWERS)
  const { stdout, stderr } = await project.run('npx toolrack call reserve_product sku=CHAIR-1 quantity=1')
  t.match(stdout + stderr, 'There are not 1 of CHAIR-1.')

  const reader = server.url({ user: 'shop_reader', password: 'change-me', database: 'shop' })
  await t.rejects(server.sql('DELETE FROM reservations', reader), {
    message: /read-only transaction|permission denied/,
  })
  const grab = 'BEGIN READ WRITE; DELETE FROM reservations'
  await t.rejects(server.sql(grab, reader), { message: /permission denied/ })
})

t.test('PostgreSQL: values come as the page says', { skip: NO_POSTGRES }, async t => {
  const server = await postgresServer(t)
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: server.url() })
  await client.connect()
  const { rows } = await client.query(
    `SELECT 1::bigint AS a, 1.5::numeric AS b, count(*) AS c, count(*)::int AS d, now() AS e, now()::text AS f, '\\x01'::bytea AS g`,
  )
  await client.end()

  t.match(rows[0], { a: '1', b: '1.5', c: '1', d: 1, e: Date, f: String, g: Buffer })
})

t.test('a database that is not there keeps the tools from being served, and the log says why', async t => {
  const project = await guideProject(t, 'databases', POSTGRES)

  const { code, stdout, stderr } = await project.run('npx toolrack check', {
    SHOP_READ_URL: 'postgres://nobody@127.0.0.1:9/shop',
    SHOP_WRITE_URL: 'postgres://nobody@127.0.0.1:9/shop',
  })

  t.equal(code, 1)
  t.match(stdout + stderr, 'ECONNREFUSED')
  t.match(stdout + stderr, join('tools', 'find-products.ts'))
})

t.test('each block of the page was run', async t => {
  t.strictSame(page.left(), [])
})
