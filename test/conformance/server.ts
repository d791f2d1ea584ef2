// npm run conformance:server: the fixture server alone, to point the suite or a client at by hand; with `-- audience` or
// `-- scopes` the one for that scenario.
import { serveFixture } from './fixture.ts'
import { serveAudience, serveScopes } from './guarded-fixtures.ts'

const SERVERS: Record<string, (port: number) => Promise<{ url: string }>> = {
  open: serveFixture,
  audience: serveAudience,
  scopes: serveScopes,
}

const [name = 'open'] = process.argv.slice(2)
const serve = SERVERS[name]
if (serve === undefined) throw new Error(`expected one of ${Object.keys(SERVERS).join(', ')}`)
const { url } = await serve(Number(process.env['PORT'] ?? 3000))
console.log(`conformance fixtures on ${url}`)
