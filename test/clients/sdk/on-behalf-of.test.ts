// On behalf of a user, with real parts: an authorization server that exchanges tokens (RFC 8693), a
// user who signs in with an official client, and another service that verifies whom a tool calls it
// for.
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import t, { type Test } from 'tap'
import { defineTool } from '../../../src/index.ts'
import { build } from '../../support/app.ts'
import { giveNothingUp } from '../../support/auth/jwks-rack.ts'
import { authorizationServer } from '../../support/clients/authorization-server.ts'
import { CLIENTS, oauthClient, REDIRECT_URL } from '../../support/clients/oauth-clients.ts'
import { freePort } from '../../support/free-port.ts'
import { valueIn } from '../../support/metrics/series.ts'
import { until } from '../../support/security/hostile.ts'

const READ = 'prices:read'
const REPORTS = 'https://reports.example'
const CLIENT = { id: 'tools', secret: 'a-secret-of-the-client-4713', services: { [REPORTS]: ['reports:read'] } }

interface Authority {
  readonly issuer: string
  readonly jwksUrl: string
}

/** A service of the company, which says who it is called for. */
async function reportService(t: Test, { issuer, jwksUrl }: Authority) {
  const keys = createRemoteJWKSet(new URL(jwksUrl))
  const tokens: string[] = []
  const server = http.createServer(async (request, response) => {
    const token = String(request.headers.authorization).replace('Bearer ', '')
    tokens.push(token)
    const { payload } = await jwtVerify(token, keys, { issuer, audience: REPORTS }).catch(() => ({
      payload: undefined,
    }))
    response.writeHead(payload === undefined ? 401 : 200).end(payload && `${payload['scope']} of ${payload.sub}`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, tokens }
}

for (const which of CLIENTS) {
  t.test(`${which}: a tool calls another service for the user who has signed in`, async t => {
    const authority = await authorizationServer(t, [READ], REDIRECT_URL, { exchanges: CLIENT })
    const reports = await reportService(t, authority)
    const callReports = async (token: string) => {
      const response = await fetch(reports.url, { headers: { authorization: `Bearer ${token}` } })
      return `${response.status} ${await response.text()}`
    }
    const tools = [
      defineTool({
        name: 'list_reports',
        scopes: [READ],
        annotations: { readOnlyHint: true },
        handler: async (_, { caller }) =>
          callReports(await caller!.tokenFor({ audience: REPORTS, scope: 'reports:read' })),
      }),
      defineTool({
        name: 'delete_reports',
        scopes: [READ],
        handler: (_, { caller }) => caller!.tokenFor({ audience: REPORTS, scope: 'reports:delete' }),
      }),
    ]
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/mcp`
    giveNothingUp(t)
    const app = await build(t, {
      tools,
      port,
      jwt: { jwksUrl: authority.jwksUrl, issuer: authority.issuer },
      tokenExchange: { clientId: CLIENT.id, clientSecret: CLIENT.secret },
    })
    await app.listen({ host: '127.0.0.1', port })
    await until(
      async () => (await valueIn(app, 'toolrack_jwks_fetches_total', { outcome: 'ok' })) === 1,
      'keys are there',
    )
    const signIn = async (account: string) => {
      const client = oauthClient(t, which, { url, user: { account, grants: [READ] } })
      await t.rejects(client.connect(), { message: /Unauthorized/ })
      await client.finish()
      return client
    }

    const alice = await signIn('alice')
    t.match(await alice.callTool('list_reports'), [{ text: '200 reports:read of alice' }])
    t.match(await alice.callTool('list_reports'), [{ text: '200 reports:read of alice' }])
    t.match(await alice.callTool('delete_reports'), [{ text: /\(invalid_scope: .* has no such scope\)/ }])
    const bob = await signIn('bob')
    t.match(await bob.callTool('list_reports'), [{ text: '200 reports:read of bob' }])

    t.equal(reports.tokens[0], reports.tokens[1], 'kept')
    t.equal(await valueIn(app, 'toolrack_token_exchanges_total', { outcome: 'ok' }), 2)
    const subjects = [...alice.sent, ...bob.sent].map(({ token }) => token).filter(token => token !== undefined)
    const isPassedOn = reports.tokens.some(token => subjects.includes(token))
    t.notOk(isPassedOn, 'no token of this server has reached the service')
    const said = app.logs.text + app.audit.text
    for (const secret of [...subjects, ...reports.tokens, CLIENT.secret]) t.notOk(said.includes(secret))
  })
}
