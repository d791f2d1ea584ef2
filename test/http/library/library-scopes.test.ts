// As a plugin within scopes of an app: behind a prefix, and several servers in one app.
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import toolrack, { defineTool, type ToolrackOptions } from '../../../src/index.ts'
import { request } from '../../support/app.ts'

const echo = defineTool({ name: 'echo', handler: () => 'ok' })
const jwtSecret = 'x'.repeat(32)
const access = { jwt: { secret: jwtSecret }, authorizationServers: ['https://as.example'] }
const headers = { host: 'localhost' }
const WELL_KNOWN = '/.well-known/oauth-protected-resource'

type Scope = readonly [prefix: string, options: ToolrackOptions]

/** An app with a server in each of the scopes. */
async function scoped(t: Test, ...scopes: readonly Scope[]): Promise<FastifyInstance> {
  const app = Fastify()
  t.teardown(() => app.close())
  for (const [prefix, options] of scopes)
    await app.register(async scope => void (await scope.register(toolrack, { tools: [echo], ...options })), { prefix })
  await app.ready()
  return app
}

async function list(app: FastifyInstance, url: string) {
  const { message, headers } = request('tools/list')
  const { statusCode, body } = await app.inject({ method: 'POST', url, headers, payload: message })
  return {
    statusCode,
    names: statusCode === 200 && JSON.parse(body).result.tools.map((tool: typeof echo) => tool.name),
  }
}

/** Where a client that has no token is sent, and what it finds there. */
async function discover(app: FastifyInstance, url: string) {
  const refused = await app.inject({ method: 'POST', url, headers })
  const [, metadataUrl] = /resource_metadata="([^"]*)"/.exec(String(refused.headers['www-authenticate'])) ?? []
  const metadata = await app.inject({ url: new URL(metadataUrl!).pathname, headers })
  return { statusCode: refused.statusCode, metadata: metadata.json() }
}

/** What the first event of HTTP+SSE says. */
async function endpointOf(t: Test, app: FastifyInstance, path: string): Promise<string | undefined> {
  const leaving = new AbortController()
  t.teardown(() => leaving.abort())
  const base = await app.listen({ host: '127.0.0.1', port: 0 })
  const { body } = await fetch(`${base}${path}`, { signal: leaving.signal })
  let text = ''
  for await (const chunk of body!) {
    text += Buffer.from(chunk).toString()
    if (text.endsWith('\n\n')) break
  }
  return /^data: (.*)$/m.exec(text)?.[1]
}

t.test('behind a prefix: the endpoint is there, and nowhere else', async t => {
  const app = await scoped(t, ['/ai', {}])

  t.strictSame(await list(app, '/ai/mcp'), { statusCode: 200, names: ['echo'] })
  t.match(await list(app, '/mcp'), { statusCode: 404 })
})

t.test('behind a prefix: a client without a token finds the metadata of this endpoint', async t => {
  const app = await scoped(t, ['/ai', access])

  t.match(await discover(app, '/ai/mcp'), { statusCode: 401, metadata: { resource: 'http://127.0.0.1:3000/ai/mcp' } })
})

t.test('behind a prefix: a public URL is what the operator says', async t => {
  const app = await scoped(t, ['/ai', { ...access, publicUrl: 'https://x.example/ai/mcp' }])

  t.match(await discover(app, '/ai/mcp'), { statusCode: 401, metadata: { resource: 'https://x.example/ai/mcp' } })
})

t.test('behind a prefix: HTTP+SSE names the path to post to', async t => {
  const app = await scoped(t, ['/ai', { httpSse: true }])

  t.match(await endpointOf(t, app, '/ai/sse'), /^\/ai\/messages\?/)
})

t.test(
  'behind a proxy that takes the path of the public URL away: HTTP+SSE stays, and names the public path',
  async t => {
    const app = await scoped(t, ['', { httpSse: true, publicUrl: 'https://x.example/shop/mcp' }])

    t.match(await endpointOf(t, app, '/sse'), /^\/shop\/messages\?/)
  },
)

t.test('several servers in one app: each has its own tools and its own metadata', async t => {
  const app = await scoped(
    t,
    ['', { ...access, mcpPath: '/a', name: 'first' }],
    ['', { ...access, mcpPath: '/b', name: 'second' }],
    ['/c', { tools: [defineTool({ ...echo, name: 'other' })] }],
  )

  t.match(await discover(app, '/a'), { metadata: { resource_name: 'first' } })
  t.match(await discover(app, '/b'), { metadata: { resource_name: 'second' } })
  t.strictSame(await list(app, '/c/mcp'), { statusCode: 200, names: ['other'] })
})

t.test(
  'several servers in one app: one without an authorization server has no metadata, also not of another',
  async t => {
    const app = await scoped(
      t,
      ['', { jwt: { secret: jwtSecret }, mcpPath: '/a', name: 'first' }],
      ['', { ...access, mcpPath: '/b', name: 'second' }],
    )
    const refused = await app.inject({ method: 'POST', url: '/a', headers })
    const statusOf = async (path: string) => (await app.inject({ url: `${WELL_KNOWN}${path}`, headers })).statusCode

    t.equal(refused.headers['www-authenticate'], 'Bearer realm="toolrack"')
    t.equal(await statusOf('/a'), 404)
    t.match(await discover(app, '/b'), { metadata: { resource_name: 'second' } })
  },
)

t.test('a second server in one scope is refused before it starts', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(toolrack, { tools: [echo] })
  await app.register(async scope => void (await scope.register(toolrack, {})), { prefix: '/inner' })

  await t.rejects(
    // What it would open first does not exist.
    async () => void (await app.register(toolrack, { mcpPath: '/other', state: 'sqlite:/no/such/folder/x.db' })),
    { name: 'ConfigError', message: /register each server in a scope of its own/ },
  )
})

t.test('an app that verifies its callers itself: no challenge points to metadata that nobody serves', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.decorateRequest('caller', undefined)
  app.addHook('onRequest', async request => void (request.caller = { subject: 'alice', scopes: [] }))
  const closed = defineTool({ name: 'closed', scopes: ['a'], handler: () => 'ok' })
  await app.register(toolrack, { tools: [closed], authorizationServers: ['https://as.example'] })

  const { message, headers } = request('tools/call', { name: 'closed' })
  const refused = await app.inject({ method: 'POST', url: '/mcp', headers, payload: message })

  t.equal(refused.statusCode, 403)
  t.notMatch(refused.headers['www-authenticate'], /resource_metadata/)
  t.equal((await app.inject({ url: WELL_KNOWN, headers: { host: 'localhost' } })).statusCode, 404)
})

t.test('what a server serves is in the reach of its own scope', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(async scope => {
    await scope.register(toolrack, { tools: [echo] })
    t.ok(scope.toolrack.remove('echo'))
  })

  t.notOk(app.hasDecorator('toolrack'))
  t.strictSame(await list(app, '/mcp'), { statusCode: 200, names: [] })
})
