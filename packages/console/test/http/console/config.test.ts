// What the console has to know of its server: where its doors are, seen from the console.
import Fastify from 'fastify'
import t from 'tap'
import toolrack from '../../../../../src/index.ts'
import { VERSIONS } from '../../../../../src/protocol/revisions/index.ts'
import { guarded, RESOURCE } from '../../../../../test/support/auth/guarded.ts'
import { withConsole } from '../../../../../test/support/console/app.ts'

t.test('an open server', async t => {
  const app = await withConsole(t, { name: 'rack', title: 'The rack', version: '7', plainHttp: true })

  const { statusCode, headers, body } = await app.inject('/console/config.json')
  t.equal(statusCode, 200)
  t.equal(headers['cache-control'], 'no-store')
  t.strictSame(JSON.parse(body), {
    name: 'rack',
    title: 'The rack',
    version: '7',
    endpoint: '../mcp',
    publicUrl: 'http://localhost/mcp',
    isUrlFixed: false,
    revisions: [...VERSIONS],
    access: 'open',
    authorizationServers: [],
    resource: 'http://127.0.0.1:3000/mcp',
    plainHttp: '../tools',
    isPlugin: false,
  })
})

t.test('the public URL is the one that the browser has reached, on whatever port', async t => {
  const app = await withConsole(t)
  const at = async (host: string) => (await app.inject({ url: '/console/config.json', headers: { host } })).json()

  t.equal((await at('127.0.0.1:4711')).publicUrl, 'http://127.0.0.1:4711/mcp')
  t.equal((await at('[::1]:4711')).publicUrl, 'http://[::1]:4711/mcp')
})

t.test('a server with tokens says who issues them, and for which resource', async t => {
  const app = await guarded(t, { console: true, plainHttp: false, mcpPath: '/v1/mcp' })

  t.match((await app.inject('/console/config.json')).json(), {
    endpoint: '../v1/mcp',
    publicUrl: RESOURCE,
    isUrlFixed: true,
    access: 'token',
    authorizationServers: ['https://as.example'],
    resource: RESOURCE,
    plainHttp: null,
  })
})

t.test('the console may connect to the authorization servers', async t => {
  const servers = ['https://as.example/tenant', 'https://as.example/other', 'https://login.example:8443']
  const app = await guarded(t, { authorizationServers: servers })

  const policy = String((await app.inject('/console/config.json')).headers['content-security-policy'])
  t.match(policy, "connect-src 'self' https://as.example https://login.example:8443;")
})

t.test('in an app of its own it is off by default, and below the prefix of the plugin', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(async scope => scope.register(toolrack, { console: true }), { prefix: '/api' })
  await app.register(async scope => scope.register(toolrack), { prefix: '/off' })

  const { headers } = await app.inject('/api/console')
  t.equal(headers.location, 'console/')
  t.match((await app.inject('/api/console/config.json')).json(), {
    endpoint: '../mcp',
    publicUrl: 'http://localhost/api/mcp',
  })
  t.equal((await app.inject('/off/console/config.json')).statusCode, 404)
})
