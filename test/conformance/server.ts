// npm run conformance:server: the fixture server alone, to point the suite or a client at by hand.
import { serveFixture } from './fixture.ts'

const { url } = await serveFixture(Number(process.env['PORT'] ?? 3000))
console.log(`conformance fixtures on ${url}`)
