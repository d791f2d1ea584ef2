// The metadata of a protected resource. RFC 9728, 3; specification 2026-07-28:
// basic/authorization/authorization-server-discovery.
import Fastify from 'fastify'
import t from 'tap'
import {
  definePrompt,
  defineResource,
  defineTool,
  type ServerOptions,
  toolrack,
  type Visible,
  type VisibleResource,
} from '../../../src/index.ts'
import { type App, build, request } from '../../support/app.ts'
import { signed } from '../../support/auth/tokens.ts'

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
  const options = { tools, jwt: { secret: jwtSecret }, publicUrl: 'https://mcp.example/a/mcp', title: 'Shop' }
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
  const app = await build(t, { jwt: { secret: jwtSecret }, authorizationServers })

  const reply = await app.inject({ url: PATH, headers: { host: 'localhost' } })

  t.strictSame(Object.keys(reply.json()), [
    'resource',
    'authorization_servers',
    'bearer_methods_supported',
    'resource_name',
  ])
})

t.test('without a setting the scopes are those of what only reads, as it comes and goes', async t => {
  const app = await build(t, { jwt: { secret: jwtSecret }, authorizationServers, tools })
  app.toolrack.add([
    defineResource({ uri: 'doc:a', name: 'a', scopes: ['docs:read'], handler: () => 'a' }),
    defineResource({ uriTemplate: 'item:{id}', name: 'item', scopes: ['items:read'], handler: () => 'a' }),
    definePrompt({ name: 'ask', scopes: ['prompts:read', 'docs:read'], handler: () => 'a' }),
  ])

  t.strictSame(await scopesSupported(app), ['docs:read', 'items:read', 'prices:read', 'prompts:read'])
  app.toolrack.remove('get_price')
  t.strictSame(await scopesSupported(app), ['docs:read', 'items:read', 'prompts:read'])
})

t.test('scopes of a tool that a rule hides from strangers are left out', async t => {
  const visible: Visible = ({ name }, caller) => name !== 'get_price' || caller?.subject === 'alice'
  const app = await build(t, { jwt: { secret: jwtSecret }, authorizationServers, tools, visible })

  t.equal(await scopesSupported(app), undefined)
})

t.test('scopes of prompts and resources that a rule hides from strangers are left out', async t => {
  const prompts = [definePrompt({ name: 'p', scopes: ['p'], visible: () => false, handler: () => '' })]
  const own = { uriTemplate: 'r://{id}', name: 'r', scopes: ['r'], handler: () => '' }
  const resources = [defineResource(own), defineResource({ ...own, uri: 'r:a', uriTemplate: undefined, scopes: ['a'] })]
  const visibleResource: VisibleResource = ({ uriTemplate }) => uriTemplate === undefined
  const app = await build(t, { jwt: { secret: jwtSecret }, authorizationServers, prompts, resources, visibleResource })

  t.strictSame(await scopesSupported(app), ['a'])
})

t.test('SCOPES_SUPPORTED has the scopes that clients ask for at first, whatever is served', async t => {
  for (const scopes of [['prices:write', 'profile'], []]) {
    const app = await build(t, {
      jwt: { secret: jwtSecret },
      authorizationServers,
      tools,
      scopes: { supported: scopes },
    })

    t.strictSame(await scopesSupported(app), scopes.length > 0 ? scopes : undefined)
  }
})

const NOBODY: Record<string, ServerOptions> = {
  'a secret alone': { jwt: { secret: jwtSecret } },
  'an issuer that is no URL': { jwt: { secret: jwtSecret, issuer: 'internal' } },
  'authorization servers that are none': {
    jwt: { secret: jwtSecret, issuer: 'https://as.example' },
    authorizationServers: [],
  },
}

for (const [who, access] of Object.entries(NOBODY)) {
  t.test(`${who}: there is no metadata, and no challenge points to it`, async t => {
    const app = await build(t, {
      ...access,
      tools,
      httpSse: true,
      scopes: { ...access.scopes, supported: ['prices:read'] },
    })
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
    const claims = { iss: access.jwt?.issuer, aud: 'http://127.0.0.1:3000/mcp' }
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

const SSE_RESOURCES: [string, ServerOptions, string, string[]][] = [
  ['at the root', { publicUrl: 'https://x.example/mcp' }, 'https://x.example/sse', [`${PATH}/sse`]],
  [
    'behind a path',
    { publicUrl: 'https://x.example/shop/mcp' },
    'https://x.example/shop/sse',
    [`${PATH}/sse`, `${PATH}/shop/sse`],
  ],
  [
    'with another path of the endpoint',
    { publicUrl: 'https://x.example/a/tools', mcpPath: '/tools' },
    'https://x.example/a/sse',
    [`${PATH}/sse`, `${PATH}/a/sse`],
  ],
]

for (const [where, options, resource, urls] of SSE_RESOURCES) {
  t.test(`HTTP+SSE ${where} is a resource of its own, and its challenges say so`, async t => {
    const app = await build(t, {
      ...options,
      tools,
      authorizationServers,
      httpSse: true,
      jwt: { ...options.jwt, secret: jwtSecret },
    })
    const headers = { host: 'localhost' }

    for (const url of urls) t.match((await app.inject({ url, headers })).json(), { resource }, url)
    t.match((await app.inject({ url: PATH, headers })).json(), { resource: options.publicUrl })
    const challenge = `Bearer resource_metadata="https://x.example${urls.at(-1)}"`
    t.equal((await app.inject({ url: '/sse', headers })).headers['www-authenticate'], challenge)
    const posted = await app.inject({ method: 'POST', url: '/messages?sessionId=x', headers, payload: {} })
    t.equal(posted.headers['www-authenticate'], challenge)
  })
}

t.test('within the prefix of an app, the metadata of HTTP+SSE is within it too', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  const options = {
    tools,
    jwt: { secret: jwtSecret },
    authorizationServers,
    httpSse: true,
    publicUrl: 'https://x.example/ai/mcp',
  }
  await app.register(async scope => void (await scope.register(toolrack, options)), { prefix: '/ai' })
  const headers = { host: 'localhost' }
  const url = `/ai${PATH}/sse`

  const refused = await app.inject({ url: '/ai/sse', headers })

  t.equal(refused.headers['www-authenticate'], `Bearer resource_metadata="https://x.example${url}"`)
  t.match((await app.inject({ url, headers })).json(), { resource: 'https://x.example/ai/sse' })
})

t.test('without HTTP+SSE it is no resource', async t => {
  const app = await build(t, { tools, jwt: { secret: jwtSecret }, authorizationServers })

  t.equal((await app.inject({ url: `${PATH}/sse`, headers: { host: 'localhost' } })).statusCode, 404)
})

t.test(
  'a token for either door opens both, where both are served; one for JWT_AUDIENCE alone, where that is set',
  async t => {
    const publicUrl = 'https://x.example/mcp'
    const statusOf = async (options: ServerOptions, aud: unknown) => {
      const app = await build(t, { tools, publicUrl, ...options, jwt: { secret: jwtSecret, ...options.jwt } })
      const authorization = `Bearer ${signed(jwtSecret, { aud })}`
      const { message: payload, headers } = request('tools/list', {}, { headers: { authorization } })
      return (await app.inject({ method: 'POST', url: '/mcp', headers, payload })).statusCode
    }
    const sse = 'https://x.example/sse'

    t.equal(await statusOf({ httpSse: true }, publicUrl), 200)
    t.equal(await statusOf({ httpSse: true }, sse), 200)
    t.equal(await statusOf({ httpSse: true }, ['other', sse]), 200)
    t.equal(await statusOf({ httpSse: true }, 'https://x.example/sse/'), 401)
    t.equal(await statusOf({ httpSse: true }, [sse, 1]), 401)
    t.equal(await statusOf({}, sse), 401)
    t.equal(await statusOf({ httpSse: true, jwt: { audience: 'api' } }, sse), 401)
    t.equal(await statusOf({ httpSse: true, jwt: { audience: 'api' } }, 'api'), 200)
  },
)
