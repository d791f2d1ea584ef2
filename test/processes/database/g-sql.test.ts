// G6 on a server of PostgreSQL. query-database-embedded.test.ts has it for the embedded database.
import t from 'tap'
import { attack } from '../../support/security/sql-attacks.ts'
import { NO_POSTGRES } from '../../support/servers/postgres-server.ts'
import { openServer } from '../../support/tools/databases.ts'

t.test('G6: a server of PostgreSQL', { skip: NO_POSTGRES }, async t => {
  const { app } = await openServer(t)
  await attack(t, { app, isServer: true })
})
