// What scenarios will ask of the guarded fixtures: audiences (conformance #386) and scope challenges (SEP-2350, #480).
import { generateKeyPairSync } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { nowS, signedBy } from '../support/auth/tokens.ts'
import { freePort } from '../support/free-port.ts'
import { request } from '../support/request.ts'
import { FULL, LOW, serveAudience, serveScopes } from './guarded-fixtures.ts'

async function send(url: string, token: string, method: string, params: Record<string, unknown> = {}) {
  const { message, headers } = request(method, params, {
    headers: { authorization: `Bearer ${token}`, host: undefined },
  })
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(message) })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  const body = (await response.json().catch(() => undefined)) as any
  return { status: response.status, challenge: response.headers.get('www-authenticate') ?? '', body }
}

const SCOPED = [
  ['tools/call', { name: 'test_simple_text', arguments: {} }, 'tools:call', 'tools:test_simple_text'],
  ['resources/read', { uri: 'test://static-text' }, 'resources:read', 'resources:static'],
  ['resources/read', { uri: 'test://template/123/data' }, 'resources:read', 'resources:template:123'],
  ['prompts/get', { name: 'test_simple_prompt' }, 'prompts:get', 'prompts:test_simple_prompt'],
] as const

t.test('conformance: one challenge names all scopes that a request needs', async t => {
  const { app, url } = await serveScopes(0, { logLevel: 'silent' })
  t.teardown(() => app.close())

  for (const [method, params, ...scopes] of SCOPED) {
    const refused = await send(url, LOW, method, params)
    t.equal(refused.status, 403, scopes[1])
    t.match(refused.challenge, 'error="insufficient_scope"')
    const [, asked = ''] = /scope="([^"]*)"/.exec(refused.challenge) ?? []
    for (const scope of scopes) t.ok(asked.split(' ').includes(`mcp:conformance:${scope}`), scope)

    const served = await send(url, FULL, method, params)
    t.equal(served.status, 200, scopes[1])
    t.equal(served.body.error, undefined)
  }
  t.equal((await send(url, LOW, 'tools/list')).status, 200)
  t.equal((await send(url, 'another-text', 'tools/list')).status, 401)
})

t.test("conformance: only tokens of the suite's issuer for this server are accepted", async t => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = { ...publicKey.export({ format: 'jwk' }), kid: 'suite', alg: 'ES256' }
  const suite = http.createServer((_request, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [key] })),
  )
  await new Promise<void>(resolve => suite.listen(0, '127.0.0.1', resolve))
  t.teardown(() => suite.close())
  const issuer = `http://127.0.0.1:${(suite.address() as AddressInfo).port}`
  const { app, url } = await serveAudience(await freePort(), issuer, { logLevel: 'silent' })
  t.teardown(() => app.close())
  const token = (over: object) =>
    signedBy(privateKey, { alg: 'ES256', kid: 'suite' }, { iss: issuer, aud: url, iat: nowS(), ...over })

  t.equal((await send(url, token({}), 'tools/list')).status, 200)
  for (const over of [{ aud: 'https://another.example/mcp' }, { aud: undefined }, { iss: 'https://another.example' }])
    t.match(await send(url, token(over), 'tools/list'), { status: 401, challenge: /error="invalid_token"/ })
})
