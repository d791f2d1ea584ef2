// What query_database does on a server of PostgreSQL; query-database-embedded.test.ts asks the same of the embedded one.
import t from 'tap'
import { build, call } from '../../support/app.ts'
import { imageEnvironment } from '../../support/deploy-files.ts'
import { NO_POSTGRES } from '../../support/servers/postgres-server.ts'
import { openServer } from '../../support/tools/databases.ts'
import { QUERY_CONTRACT } from '../../support/tools/query-database-contract.ts'
import { SHIPPED, setting, toolModule } from '../../support/tools/shipped.ts'

t.test('query_database (server)', { skip: NO_POSTGRES }, async t => {
  const { app } = await openServer(t)
  for (const [sentence, check] of Object.entries(QUERY_CONTRACT)) await t.test(sentence, t => check(t, app))
})

t.test('query_database: a setting that is malformed is named, and its tools are not served', async t => {
  for (const [name, value] of [
    ['DATABASE_URL', 'mysql://u:secret@h/d'],
    ['DATABASE_SCHEMAS', 'a,b;c'],
    ['DATABASE_SCHEMAS', 'pg_catalog'],
  ]) {
    setting(t, 'DATABASE_URL', 'postgres://127.0.0.1/x')
    setting(t, name!, value)
    const app = await build(t, SHIPPED)

    t.match(app.logs.text, `${name} is not`)
    t.notMatch(app.logs.text, 'secret')
    setting(t, name!, undefined)
  }
})

t.test(
  'query_database: without a database its tools and resources are not served, and the start-up says why',
  async t => {
    setting(t, 'DATABASE_URL', undefined)
    setting(t, 'SAMPLE_DATABASE', 'false')
    const app = await build(t, SHIPPED)

    t.match(app.toolrack.startUp['tools that need'], /create_record: DATABASE_URL, .*query_database: DATABASE_URL/)
    t.notMatch(app.toolrack.startUp['tools'], /create_record|query_database/)
    const { resources = [] } = (await call(app, 'resources/list')).result ?? {}
    t.notMatch(JSON.stringify(resources), 'database:')
  },
)

t.test('query_database: SAMPLE_DATABASE is true or false, and nothing beside a server', async t => {
  const { readSettings } =
    await toolModule<typeof import('../../../tools/_database/settings.ts')>('_database/settings.ts')

  for (const SAMPLE_DATABASE of [undefined, '', 'true'])
    t.match(readSettings({ SAMPLE_DATABASE }).requires, [{ isMet: true }])
  t.strictSame(readSettings({ SAMPLE_DATABASE: 'false' }).requires, ['DATABASE_URL'])
  t.strictSame(readSettings({ SAMPLE_DATABASE: 'false', DATABASE_URL: 'postgres://h/d' }).requires, [])
  t.throws(() => readSettings({ SAMPLE_DATABASE: 'no' }), { message: 'SAMPLE_DATABASE is not true or false.' })
  t.equal(imageEnvironment()['SAMPLE_DATABASE'], 'false', 'the image has none')
})

t.test('query_database: settings of a server without its URL are no silent way to the samples', async t => {
  const { readSettings } =
    await toolModule<typeof import('../../../tools/_database/settings.ts')>('_database/settings.ts')

  for (const name of ['DATABASE_READ_URL', 'DATABASE_SCHEMAS']) {
    t.throws(() => readSettings({ [name]: 'users' }), { message: `${name} needs DATABASE_URL beside it.` })
    t.equal(readSettings({ [name]: ' ' }).url, undefined)
  }
})
