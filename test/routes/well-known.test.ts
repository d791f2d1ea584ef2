// The metadata of a protected resource. RFC 9728, 3; specification 2026-07-28:
// basic/authorization/authorization-server-discovery.
import t from 'tap'
import { definePrompt, defineResource, defineTool, type ServerOptions } from '../../src/index.ts'
import { signed } from '../access/tokens.ts'
import { type App, build, request } from '../helper.ts'

const PATH = '/.well-known/oauth-protected-resource'
const jwtSecret = 'a secret of 32 bytes, or some more'
const authorizationServers = ['https://as.example']
const annotations = { readOnlyHint: true }
const tools = [
  defineTool({ name: 'get_price', scopes: ['prices:read'], annotations, handler: () => '3' }),
  defineTool({ name: 'set_price', scopes: ['prices:write', 'prices:read'], handler: () => 'done' }),
  defineTool({ name: 'drop_price', scopes: ['admin'], annotations: { readOnlyHint: false }, handler: () => 'done' }),
]

/** What clients ask for at first. */
async function scopesSupported(app: App) {
  const reply = await app.inject({ url: PATH, headers: { host: 'localhost' } })
  return reply.json().scopes_supported
}

t.test('it names the resource, who issues tokens for it, and the scopes, at every path that clients try', async t => {
  const options = { tools, jwtSecret, publicUrl: 'https://mcp.example/a/mcp', title: 'Shop' }
  const app = await build(t, { ...options, authorizationServers })

  for (const url of [PATH, `${PATH}/mcp`, `${PATH}/a/mcp`]) {
    const reply = await app.inject({ url, headers: { host: 'localhost' } })

    t.equal(reply.statusCode, 200, url)
    t.strictSame(reply.json(), {
      resource: 'https://mcp.example/a/mcp',
      authorization_servers: ['https://as.example'],
      scopes_supported: ['prices:read'],
      bearer_methods_supported: ['header'],
      resource_name: 'Shop',
    })
  }
})

t.test('what has no elements is left out', async t => {
  const app = await build(t, { jwtSecret, authorizationServers })

  const reply = await app.inject({ url: PATH, headers: { host: 'localhost' } })

  t.strictSame(Object.keys(reply.json()), [
    'resource',
    'authorization_servers',
    'bearer_methods_supported',
    'resource_name',
  ])
})

t.test('without a setting the scopes are those of what only reads, as it comes and goes', async t => {
  const app = await build(t, { jwtSecret, authorizationServers, tools })
  app.toolrack.add([
    defineResource({ uri: 'doc:a', name: 'a', scopes: ['docs:read'], handler: () => 'a' }),
    defineResource({ uriTemplate: 'item:{id}', name: 'item', scopes: ['items:read'], handler: () => 'a' }),
    definePrompt({ name: 'ask', scopes: ['prompts:read', 'docs:read'], handler: () => 'a' }),
  ])

  t.strictSame(await scopesSupported(app), ['docs:read', 'items:read', 'prices:read', 'prompts:read'])
  app.toolrack.remove('get_price')
  t.strictSame(await scopesSupported(app), ['docs:read', 'items:read', 'prompts:read'])
})

t.test('SCOPES_SUPPORTED has the scopes that clients ask for at first, whatever is served', async t => {
  for (const scopes of [['prices:write', 'profile'], []]) {
    const app = await build(t, { jwtSecret, authorizationServers, tools, scopesSupported: scopes })

    t.strictSame(await scopesSupported(app), scopes.length > 0 ? scopes : undefined)
  }
})

const NOBODY: Record<string, ServerOptions> = {
  'a secret alone': { jwtSecret },
  'an issuer that is no URL': { jwtSecret, jwtIssuer: 'internal' },
  'authorization servers that are none': { jwtSecret, jwtIssuer: 'https://as.example', authorizationServers: [] },
}

for (const [who, access] of Object.entries(NOBODY)) {
  t.test(`${who}: there is no metadata, and no challenge points to it`, async t => {
    const app = await build(t, { ...access, tools, httpSse: true, scopesSupported: ['prices:read'] })
    const challengeTo = async (over: Record<string, string | undefined>) => {
      const { message: payload, headers } = request('tools/call', { name: 'get_price' }, { headers: over })
      const reply = await app.inject({ method: 'POST', url: '/mcp', headers, payload })
      return reply.headers['www-authenticate']
    }

    for (const url of [PATH, `${PATH}/mcp`])
      t.equal((await app.inject({ url, headers: { host: 'localhost' } })).statusCode, 404, url)
    t.equal(await challengeTo({}), 'Bearer realm="toolrack", scope="prices:read"')
    t.equal(await challengeTo({ 'mcp-name': undefined }), 'Bearer realm="toolrack"')
    t.match(
      await challengeTo({ authorization: 'Bearer x' }),
      /^Bearer error="invalid_token", error_description="[^"]+", realm="toolrack", scope="prices:read"$/,
    )
    const claims = { iss: access.jwtIssuer, aud: 'http://127.0.0.1:3000/mcp' }
    t.equal(
      await challengeTo({ authorization: `Bearer ${signed(jwtSecret, claims)}` }),
      'Bearer error="insufficient_scope", error_description="get_price needs prices:read", realm="toolrack", scope="prices:read"',
    )
    const stream = await app.inject({ url: '/sse', headers: { host: 'localhost' } })
    t.equal(stream.headers['www-authenticate'], 'Bearer realm="toolrack"')
  })
}

t.test('without access control there is none', async t => {
  const app = await build(t, { tools })

  t.equal((await app.inject({ url: PATH, headers: { host: 'localhost' } })).statusCode, 404)
})
