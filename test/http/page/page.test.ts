// The page for browsers: who gets it, and what it shows to whom.
import Fastify from 'fastify'
import t from 'tap'
import toolrack, { definePrompt, defineResource, defineTool, type ServerOptions } from '../../../src/index.ts'
import { type App, build, callTool, listening } from '../../support/app.ts'
import { bearer, guarded, RESOURCE } from '../../support/auth/guarded.ts'

/** As browsers send it. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

const TOOLS = [
  defineTool({
    name: 'get_price',
    title: 'Price',
    description: 'The price of\na product.',
    annotations: { readOnlyHint: true },
    inputSchema: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
    handler: () => '1',
  }),
  defineTool({ name: 'drop_all', annotations: { destructiveHint: true }, handler: () => '1' }),
]

const open = (app: App, url = '/', headers: Record<string, string> = {}) =>
  app.inject({ url, headers: { accept: BROWSER, ...headers } })

t.test('a browser gets the page at / and at the endpoint', async t => {
  const app = await build(t, { tools: TOOLS, name: 'rack', title: 'The rack', version: '7', instructions: 'Be kind.' })

  for (const url of ['/', '/mcp', '/?a=1']) {
    const { statusCode, headers, body } = await open(app, url)
    t.equal(statusCode, 200, url)
    t.equal(headers['content-type'], 'text/html; charset=utf-8')
    t.match(headers.vary, /\bAccept\b/)
    t.equal(headers['cache-control'], 'no-store')
    t.equal(headers['set-cookie'], undefined)
    for (const text of ['The rack', 'rack 7', 'Be kind.', 'get_price(sku: string)', 'The price of\na product.'])
      t.ok(body.includes(text), text)
    t.match(body, /get_price<\/code> <span class="mark">reads only/)
    t.match(body, /drop_all<\/code> <span class="mark warn">destructive/)
  }
})

t.test('HEAD has the headers of the page, and no body', async t => {
  const { url, app } = await listening(t, { tools: TOOLS })

  for (const path of ['/', '/mcp']) {
    const reply = await fetch(new URL(path, url), { method: 'HEAD', headers: { accept: BROWSER } })
    t.equal(reply.status, 200, path)
    t.match(reply.headers.get('content-type'), 'text/html')
    t.equal(await reply.text(), '')
  }
  t.equal((await app.inject({ method: 'HEAD', url: '/mcp' })).statusCode, 405)
  t.equal((await app.inject({ method: 'HEAD', url: '/' })).statusCode, 404)
})

t.test('clients see no difference, whatever they ask for', async t => {
  const app = await build(t, { tools: TOOLS })
  const clients: (string | undefined)[] = [
    undefined,
    '*/*',
    'application/json',
    'text/event-stream',
    'application/json, text/event-stream',
    'text/html, application/json',
    'text/html, text/event-stream;q=0.1',
    'text/*',
    'text/html;q=0, */*',
    'application/xhtml+xml',
    'text/htmlx',
  ]
  for (const accept of clients) {
    const headers = accept === undefined ? {} : { accept }
    const root = await app.inject({ url: '/', headers })
    t.equal(root.statusCode, 404, String(accept))
    t.match(root.headers.vary, /\bAccept\b/, 'a cache must not show it to a browser')
    t.match(root.json(), { jsonrpc: '2.0', error: { code: 40400, message: 'Not found: the endpoint is /mcp' } })
    const endpoint = await app.inject({ url: '/mcp', headers })
    t.equal(endpoint.statusCode, 400, String(accept))
    t.match(endpoint.headers.vary, /\bAccept\b/)
    t.match(endpoint.json(), { error: { code: -32600 } })
  }
  const session = await open(app, '/mcp', { 'mcp-session-id': 'a-session' })
  t.equal(session.statusCode, 404, 'a client with a session, even if it names HTML')
  t.match(session.json(), { error: { message: /Session not found/ } })
})

t.test('other verbs at / are refused as everywhere', async t => {
  const app = await build(t, { tools: TOOLS })

  for (const method of ['POST', 'PUT', 'DELETE'] as const)
    t.equal((await app.inject({ method, url: '/', headers: { accept: BROWSER } })).statusCode, 404, method)
})

t.test('with access control a stranger sees neither tools nor instructions, but how to come in', async t => {
  const app = await guarded(t, { title: 'The rack', instructions: 'Be kind.' })
  const { statusCode, body } = await open(app, '/mcp')

  t.equal(statusCode, 200)
  t.match(body, 'The rack')
  t.match(body, /asks for a token/)
  t.match(body, /<a href="\.\/console\/">Open the console<\/a>/)
  for (const word of ['Be kind', 'doubly', 'closed', '>free<']) t.notOk(body.includes(word), word)
})

t.test('a caller with a token sees what its scopes let it see', async t => {
  const app = await guarded(t, { instructions: 'Be kind.' })
  const names = async (scope: string) => {
    const { body } = await open(app, '/', bearer(scope))
    return [...body.matchAll(/<li><h3><code>(\w+)/g)].map(([, name]) => name)
  }

  t.strictSame(await names(''), ['free'])
  t.strictSame(await names('read'), ['asks', 'closed', 'free'])
  t.strictSame(await names('read write'), ['asks', 'closed', 'doubly', 'free'])
  t.match((await open(app, '/', bearer())).body, 'Be kind.')
  const offers = async (scope: string) => /<dt>Offers<\/dt><dd>([^<]*)/.exec((await open(app, '/', bearer(scope))).body)
  t.equal((await offers(''))?.[1], '1 tool, 1 resource, 1 prompt')
  t.equal((await offers('read'))?.[1], '3 tools, 3 resources, 2 prompts')
})

t.test('a token that is not good is refused, as for a client', async t => {
  const app = await guarded(t)

  for (const url of ['/', '/mcp'])
    t.equal((await open(app, url, { authorization: 'Bearer nonsense' })).statusCode, 401, url)
})

t.test('hidden tools are never shown', async t => {
  const visible = ({ name }: { name: string }) => name !== 'drop_all'
  const { body } = await open(await build(t, { tools: TOOLS, visible }))

  t.match(body, 'get_price')
  t.notMatch(body, 'drop_all')
})

t.test('of many tools the first 200 are shown, with the count', async t => {
  const tools = Array.from({ length: 10_000 }, (_, at) =>
    defineTool({ name: `tool_${String(at).padStart(5, '0')}`, description: 'd'.repeat(5000), handler: () => 'x' }),
  )
  const { body } = await open(await build(t, { tools, pageSize: 10 }))

  t.match(body, 'The first 200 of 10000.')
  t.match(body, 'tool_00199')
  t.notMatch(body, 'tool_00200')
  t.ok(body.length < 500_000, `${body.length}`)
})

t.test('every client is there, with the URL that the browser has reached', async t => {
  const { url } = await listening(t, { tools: TOOLS })
  const body = await (await fetch(url, { headers: { accept: BROWSER } })).text()

  t.ok(body.includes(`claude mcp add --transport http toolrack ${url}`), url)
  for (const name of ['Claude.ai connectors', 'Cursor', 'VS Code', 'Codex', 'LangChain']) t.match(body, name)
  const served = (await open(await guarded(t))).body
  t.ok(served.includes(RESOURCE), 'with tokens, the public URL')
})

t.test('links lead to the console, relative to wherever the page is', async t => {
  const at = async (path: string, options: ServerOptions) => {
    const { body } = await open(await build(t, { tools: TOOLS, ...options }), path)
    const [, link] = /<a href="([^"]*console\/)">/.exec(body) ?? []
    return link && new URL(link, `https://proxy.example/rack${path}`).pathname
  }

  t.equal(await at('/', {}), '/rack/console/')
  t.equal(await at('/mcp', {}), '/rack/console/')
  t.equal(await at('/v1/mcp', { mcpPath: '/v1/mcp' }), '/rack/console/')
  t.equal(await at('/v1/mcp/', { mcpPath: '/v1/mcp/' }), '/rack/console/')
  t.equal(await at('/', { mcpPath: '/' }), '/rack/console/')
  t.equal(await at('/', { console: false }), undefined)
})

t.test('an endpoint at / is both', async t => {
  const app = await build(t, { tools: TOOLS, mcpPath: '/' })

  t.equal((await open(app)).statusCode, 200)
  t.equal((await app.inject('/')).statusCode, 400)
})

t.test('in an app of its own the page is at the endpoint only', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.get('/', () => 'the app')
  await app.register(toolrack, { tools: TOOLS })

  t.equal((await app.inject({ url: '/', headers: { accept: BROWSER } })).body, 'the app')
  const page = await app.inject({ url: '/mcp', headers: { accept: BROWSER } })
  t.match(page.body, 'get_price')
  t.notMatch(page.body, 'console/')
})

t.test('the page has the guards of the endpoint: host, origin and rate limit', async t => {
  const app = await build(t, { tools: TOOLS, rateLimitMax: 2 })

  for (const url of ['/', '/mcp']) {
    t.equal((await open(app, url, { host: 'evil.example' })).statusCode, 403, url)
    t.equal((await open(app, url, { origin: 'https://evil.example' })).statusCode, 403, url)
  }
  t.equal((await open(app, '/')).statusCode, 200)
  t.equal((await open(app, '/mcp')).statusCode, 200)
  t.equal((await open(app, '/')).statusCode, 429)
  t.equal((await app.inject('/')).statusCode, 429, 'as without a page')
})

t.test('a page costs no call: it is not counted as one', async t => {
  const app = await build(t, {
    tools: TOOLS,
    resources: [defineResource({ uri: 'a:b', name: 'b', handler: () => 'b' })],
  })
  await open(app)

  t.equal((await app.inject('/console/api/activity')).json().calls.length, 0)
  await callTool(app, 'drop_all')
  t.equal((await app.inject('/console/api/activity')).json().calls.length, 1)
})

t.test('a server without anything says so', async t => {
  const prompts = [definePrompt({ name: 'p', handler: () => 'p' })]

  t.match((await open(await build(t, { prompts }))).body, /There are none yet.*/)
})
