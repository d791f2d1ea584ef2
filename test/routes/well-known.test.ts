// The metadata of a protected resource. RFC 9728, 3; specification 2026-07-28:
// basic/authorization/authorization-server-discovery.
import t from 'tap'
import { defineTool } from '../../src/index.ts'
import { build } from '../helper.ts'

const PATH = '/.well-known/oauth-protected-resource'
const jwtSecret = 'a secret of 32 bytes, or some more'
const tools = [defineTool({ name: 'get_price', scopes: ['prices:read'], handler: () => '3' })]

t.test('it names the resource, who issues tokens for it, and the scopes, at every path that clients try', async t => {
  const options = { tools, jwtSecret, publicUrl: 'https://mcp.example/a/mcp', title: 'Shop' }
  const app = await build(t, { ...options, authorizationServers: ['https://as.example'] })

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
  const app = await build(t, { jwtSecret })

  const reply = await app.inject({ url: PATH, headers: { host: 'localhost' } })

  t.strictSame(Object.keys(reply.json()), ['resource', 'bearer_methods_supported', 'resource_name'])
})

t.test('without access control there is none', async t => {
  const app = await build(t, { tools })

  t.equal((await app.inject({ url: PATH, headers: { host: 'localhost' } })).statusCode, 404)
})
