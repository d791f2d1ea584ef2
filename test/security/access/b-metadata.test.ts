// The page where a client learns how to get a token: open to everyone, without secrets.
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { build } from '../../support/app.ts'
import { SECRET } from '../../support/auth/forge.ts'
import { assertClean } from '../../support/security/probe.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const RESOURCE = 'https://tools.example/mcp'
const tools = [
  defineTool({ name: 'a', scopes: ['b:write', 'a:read'], handler: () => 'x' }),
  defineTool({ name: 'b', scopes: ['a:read'], annotations: { readOnlyHint: true }, handler: () => 'x' }),
]
const access = { jwt: { secret: SECRET, issuer: 'https://as.example' }, publicUrl: RESOURCE, title: 'Shop', tools }
const headers = { host: 'localhost' }

t.test('B30: the document is at both paths, open, exact and without secrets', async t => {
  const app = await build(t, { ...access, jwt: { ...access.jwt, audience: 'api' } })

  for (const url of [WELL_KNOWN, `${WELL_KNOWN}/mcp`]) {
    const response = await app.inject({ url, headers })
    t.equal(response.statusCode, 200)
    t.match(response.headers['content-type'], /^application\/json/)
    t.strictSame(response.json(), {
      resource: RESOURCE,
      authorization_servers: ['https://as.example'],
      scopes_supported: ['a:read'],
      bearer_methods_supported: ['header'],
      resource_name: 'Shop',
    })
    t.notOk(response.body.includes('offline_access') || response.body.includes(SECRET))
    assertClean(response.body, 'document')
  }
})

t.test('B30: the challenge points to a path that is served, also below a prefix', async t => {
  for (const publicUrl of [RESOURCE, 'https://tools.example/a/b/mcp', 'https://tools.example:8443']) {
    const app = await build(t, { ...access, publicUrl })
    const refused = await app.inject({ method: 'POST', url: '/mcp', headers })
    const [, url] = /resource_metadata="([^"]+)"/.exec(String(refused.headers['www-authenticate'])) ?? []

    const response = await app.inject({ url: new URL(url!).pathname, headers })

    t.equal(response.json().resource, publicUrl, 'letter for letter')
  }
})

t.test('B30: a public path with a colon is a path like any other; one with an asterisk stops nothing', async t => {
  const app = await build(t, { ...access, publicUrl: 'https://tools.example/a:b/mcp' })
  const starred = await build(t, { ...access, publicUrl: 'https://tools.example/*/mcp' })
  const statusOf = async (path: string, of = app) => (await of.inject({ url: WELL_KNOWN + path, headers })).statusCode

  t.equal(await statusOf('/a:b/mcp'), 200)
  t.equal(await statusOf('/aX/mcp'), 404)
  t.equal(await statusOf('/X/mcp', starred), 404)
  t.equal(await statusOf('', starred), 200)
})

t.test('B30: pages of other origins are refused, other verbs and paths are unknown, and it is limited', async t => {
  const app = await build(t, { ...access, rateLimit: { max: 8 } })
  const statusOf = async (more: object) => (await app.inject({ url: WELL_KNOWN, headers, ...more })).statusCode

  t.equal(await statusOf({ headers: { ...headers, origin: 'https://evil.example' } }), 403)
  t.equal(await statusOf({ headers: { host: 'evil.example' } }), 403)
  for (const method of ['POST', 'PUT', 'DELETE']) t.equal(await statusOf({ method }), 404, method)
  t.equal(await statusOf({ url: `${WELL_KNOWN}/other` }), 404)
  const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf({})))
  t.ok(statuses.includes(429))
})

t.test('B30: without access control there is no such document', async t => {
  const app = await build(t)

  t.equal((await app.inject({ url: WELL_KNOWN, headers })).statusCode, 404)
})
