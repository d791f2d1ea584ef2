// Row G6 on a server of PostgreSQL; test/tools/query-database-embedded.test.ts has it for the embedded one.
import t from 'tap'
import { NO_POSTGRES } from '../postgres/postgres-server.ts'
import { openServer } from '../tools/databases.ts'
import { attack } from './g-sql-attacks.ts'

t.test('G6 (server)', { skip: NO_POSTGRES }, async t => {
  const { app } = await openServer(t)
  await attack(t, { app, isServer: true })
})
