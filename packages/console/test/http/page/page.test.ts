// The page for browsers: who gets it, and what it shows to whom.
import { relative } from 'node:path'
import Fastify from 'fastify'
import t from 'tap'
import toolrack, { definePrompt, defineResource, defineTool, type ServerOptions } from '../../../../../src/index.ts'
import { type App, build, callTool, listening } from '../../../../../test/support/app.ts'
import { keysFile, testKey } from '../../../../../test/support/auth/api-keys.ts'
import { bearer, guarded, RESOURCE } from '../../../../../test/support/auth/guarded.ts'

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

/** The names of tools by the heading above them. */
const readGroups = (body: string): Record<string, string[]> =>
  Object.fromEntries(
    body
      .slice(body.indexOf('id="tools"'), body.indexOf('id="connect"'))
      .split('<h3 class="group-head">')
      .slice(1)
      .map(group => [
        group.split('<', 1)[0],
        [...group.matchAll(/"tool-row"[^>]*><code>([^<]+)/g)].map(([, name]) => name!),
      ]),
  )

const readTools = (body: string): string[] => Object.values(readGroups(body)).flat()

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
    for (const text of ['The rack', 'rack 7, served by Toolrack ', 'Be kind.', 'The price of a product<'])
      t.ok(body.includes(text), text)
    t.strictSame(readGroups(body), { 'Read only': ['get_price'], Destructive: ['drop_all'] })
    t.match(body, /drop_all<\/code>.*destructive<\/span>/)
    t.notMatch(body, /badge[^>]*>read-only/, 'its heading says it')
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
  t.match(body, /<h2>This server needs a token<\/h2>/)
  t.match(body, /<a class="button button-primary button-l" href="\.\/console\/">.*Sign in to the console<\/a>/)
  t.match(body, /-H &quot;Authorization: Bearer \$TOKEN&quot;/)
  t.match(body, 'Authorization: Bearer <span')
  for (const word of ['Be kind', 'doubly', 'closed', '>free<']) t.notOk(body.includes(word), word)
})

t.test('a caller with a token sees what its scopes let it see', async t => {
  const app = await guarded(t, { instructions: 'Be kind.' })
  const names = async (scope: string) => {
    const { body } = await open(app, '/', bearer(scope))
    return readTools(body).sort()
  }

  t.strictSame(await names(''), ['free'])
  t.strictSame(await names('read'), ['asks', 'closed', 'free'])
  t.strictSame(await names('read write'), ['asks', 'closed', 'doubly', 'free'])
  t.match((await open(app, '/', bearer())).body, 'Be kind.')
  const offers = async (scope: string) =>
    /<p class="hero-counts">(.*)<\/p>/.exec((await open(app, '/', bearer(scope))).body)?.[1]?.replace(/<[^>]*>/g, '')
  t.equal(await offers(''), '1 tool, 1 resource, 1 prompt')
  t.equal(await offers('read'), '3 tools, 3 resources, 2 prompts')
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
  const tools = Array.from({ length: 1000 }, (_, at) =>
    defineTool({ name: `tool_${String(at).padStart(5, '0')}`, description: 'd'.repeat(5000), handler: () => 'x' }),
  )
  const { body } = await open(await build(t, { tools, pageSize: 10 }))

  t.match(body, 'The first 200 of 1000.')
  t.match(body, 'tool_00199')
  t.notMatch(body, 'tool_00200')
  t.ok(body.length < 500_000, `${body.length}`)
})

t.test('every client is there, with the URL that the browser has reached', async t => {
  const { url } = await listening(t, { tools: TOOLS })
  const body = await (await fetch(url, { headers: { accept: BROWSER } })).text()

  t.ok(body.includes(`claude mcp add --transport http toolrack ${url}`), url)
  for (const name of ['Claude.ai', 'Cursor', 'VS Code', 'Codex', 'LangChain']) t.match(body, name)
  const served = (await open(await guarded(t))).body
  t.ok(served.includes(RESOURCE), 'with tokens, the public URL')
})

t.test('links lead to the console, relative to wherever the page is', async t => {
  const at = async (path: string, options: ServerOptions) => {
    const { body } = await open(await build(t, { tools: TOOLS, ...options }), path)
    const [, link] = /<a class="button button-primary button-l" href="([^"]*console\/)">/.exec(body) ?? []
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
  const app = await build(t, { tools: TOOLS, rateLimit: { max: 2 } })

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

  const { body } = await open(await build(t, { prompts }))
  t.match(body, '<h2>Write the first tool</h2>')
  t.match(body, 'An MCP server without tools yet.')
  t.match(body, /0 tools, 0 resources, <a href="[^"]*console\/#\/prompts">1 prompt<\/a>/)
})

t.test('the file of the first tool is one that the folder serves', async t => {
  const toolsDir = t.testdir({})
  const { body } = await open(await build(t, { toolsDir }))
  const [, code = ''] = /<pre id="first-tool"[^>]*>([\s\S]*?)<\/pre>/.exec(body) ?? []
  const text = code
    .replace(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&gt;', '>')
  t.match(body, `Save this file in <code>${relative('.', toolsDir)}/</code>`)

  const served = await open(await build(t, { toolsDir: t.testdir({ 'greet.ts': text }) }))
  t.strictSame(readGroups(served.body), { 'Make changes': ['greet'] })
})

t.test('a token that may see no tool is told so, and not to write one', async t => {
  const app = await guarded(t, { visible: () => false })
  const { body } = await open(app, '/', bearer(''))

  t.match(body, 'You may see none of them.')
  t.notMatch(body, 'Write the first tool')
})

t.test('the line below the name is the description, else the first sentence of the instructions', async t => {
  const shown = async (options: ServerOptions) => {
    const { body } = await open(await build(t, { tools: TOOLS, ...options }))
    return [/<p class="lead"[^>]*>([^<]*)/.exec(body)?.[1], /Instructions<\/summary><p[^>]*>([^<]*)/.exec(body)?.[1]]
  }

  t.strictSame(await shown({ description: 'Prices.', instructions: 'Be kind. Always.' }), [
    'Prices.',
    'Be kind. Always.',
  ])
  t.strictSame(await shown({ instructions: 'Be kind. Always.' }), ['Be kind.', 'Always.'])
  t.strictSame(await shown({ instructions: 'Be kind.' }), ['Be kind.', undefined])
  t.strictSame(await shown({}), ['An MCP server.', undefined])
})

t.test('badges: what can be a task, which scopes are needed', async t => {
  const tool = defineTool({ name: 'slow', task: 'optional', scopes: ['a:b'], handler: () => '1' })
  const { body } = await open(await build(t, { tools: [tool] }))

  t.match(body, /slow<\/code>.*<\/svg>task<\/span>.*<code>a:b<\/code>/)
})

t.test('without a console a tool folds out to its signature and its call', async t => {
  const { body } = await open(await build(t, { tools: TOOLS, console: false }))

  t.match(body, /<details><summary class="tool-row"><code>get_price<\/code>/)
  t.match(body, '<code>get_price(sku: string)</code>')
  t.match(body, 'curl http://localhost:80/tools/get_price -d sku=text'.replace(':80', ''))
  t.match(body, /<a class="button button-primary button-l" href="#connect">Connect a client<\/a>/)
  t.match(body, 'The console is off; <code>CONSOLE=true</code> turns it on.')
  t.match(body, /<p class="hero-counts"><a href="#tools">2 tools<\/a>, 0 resources/)
})

t.test('without plain HTTP the page and the answer name the setting', async t => {
  const app = await build(t, { tools: TOOLS, console: false, plainHttp: false })
  const { body } = await open(app)

  t.match(body, 'Plain HTTP is off; <code>PLAIN_HTTP=true</code> turns it on.')
  t.notMatch(body, 'id="call-', 'no call that would fail')
  for (const url of ['/tools', '/tools/get_price', '/openapi.json']) {
    const answer = await app.inject({ url })
    t.equal(answer.statusCode, 404, url)
    t.match(answer.json(), { error: { message: 'Not found: plain HTTP is off; PLAIN_HTTP=true turns it on' } })
  }
  for (const url of ['/console', '/console/', '/console/config.json']) {
    const answer = await app.inject({ url })
    t.equal(answer.statusCode, 404, url)
    t.match(answer.json(), { error: { message: 'Not found: the console is off; CONSOLE=true turns it on' } })
  }
})

t.test('a console that is for this machine only is no link for those who come by a proxy', async t => {
  const app = await build(t, { tools: TOOLS })
  const { body } = await open(app, '/', { 'x-forwarded-for': '203.0.113.7' })

  t.notMatch(body, 'href="./console/')
  t.match(body, 'Without access control the console is for the machine of the server only.')
})

t.test('the URL is the one that the browser used, unless PUBLIC_URL is set', async t => {
  const endpoint = async (options: ServerOptions, headers: Record<string, string>) => {
    const app = await build(t, { tools: TOOLS, ...options })
    const { body } = await open(app, '/', headers)
    t.notMatch(body, /0\.0\.0\.0|\[::\]/)
    const config = await app.inject({ url: '/console/config.json', headers })
    const [, url] = /<code id="endpoint"[^>]*>([^<]*)/.exec(body) ?? []
    if (config.statusCode === 200) t.equal(config.json().publicUrl, url, 'the console says the same')
    return url
  }
  const everywhere = { host: '0.0.0.0', allowAnonymous: true }
  const { path: apiKeysFile } = keysFile(t, testKey())

  t.equal(await endpoint({}, { host: 'localhost:8080' }), 'http://localhost:8080/mcp')
  t.equal(await endpoint(everywhere, { host: 'localhost:8080' }), 'http://localhost:8080/mcp', 'in a container')
  t.equal(await endpoint(everywhere, { host: '0.0.0.0:8080' }), 'http://localhost:8080/mcp')
  t.equal(await endpoint({ ...everywhere, host: '::' }, { host: '[::1]:9' }), 'http://[::1]:9/mcp')
  t.equal(
    await endpoint({ ...everywhere, allowedHosts: ['box.example'] }, { host: 'box.example' }),
    'http://box.example/mcp',
  )
  const publicUrl = 'https://mcp.example/mcp'
  t.equal(await endpoint({ ...everywhere, publicUrl }, { host: 'localhost:8080' }), publicUrl)
  t.equal(
    await endpoint({ host: '0.0.0.0', apiKeysFile, console: true }, { host: 'localhost:1' }),
    'http://localhost:1/mcp',
    'keys name no URL',
  )
  const jwtSecret = 'a secret of 32 bytes, or some more'
  t.equal(
    await endpoint({ jwt: { secret: jwtSecret } }, { host: 'localhost:1' }),
    'http://localhost:1/mcp',
    'nobody compares it',
  )
  const authorizationServers = ['https://as.example']
  t.equal(
    await endpoint({ jwt: { secret: jwtSecret }, authorizationServers }, { host: 'localhost:1' }),
    'http://127.0.0.1:3000/mcp',
  )
  t.equal(await endpoint({}, { host: 'localhost:99999' }), 'http://127.0.0.1:3000/mcp', 'what is no host')
  t.equal(await endpoint({}, { host: 'localhost', 'x-forwarded-host': 'evil.example' }), 'http://localhost/mcp')
  t.equal(await endpoint({ trustProxy: '127.0.0.1' }, { 'x-forwarded-host': 'localhost:9' }), 'http://localhost:9/mcp')
})

t.test('what a trusted proxy passes on as the protocol is https, or else http', async t => {
  const app = await build(t, { tools: TOOLS, trustProxy: '127.0.0.1' })
  const endpoint = async (protocol: string) => {
    const { body } = await open(app, '/', { host: 'localhost:9', 'x-forwarded-proto': protocol })
    return /<code id="endpoint"[^>]*>([^<]*)/.exec(body)?.[1]
  }

  t.equal(await endpoint('https'), 'https://localhost:9/mcp')
  for (const protocol of ['http', 'wss', 'javascript', 'https://evil.example/?', '"><b>'])
    t.equal(await endpoint(protocol), 'http://localhost:9/mcp', protocol)
})

t.test('in an app of its own with a prefix, too', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(async scope => void (await scope.register(toolrack, { tools: TOOLS })), { prefix: '/ai' })
  const { body } = await app.inject({ url: '/ai/mcp', headers: { accept: BROWSER, host: 'localhost:8080' } })

  t.match(body, '>http://localhost:8080/ai/mcp<')
  t.match(body, 'Plain HTTP is off; <code>plainHttp: true</code> turns it on.')
  t.notMatch(body, 'PLAIN_HTTP', 'the plugin does not read the environment')
})

t.test('its links hold where an app ignores a slash at the end', async t => {
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  t.teardown(() => app.close())
  await app.register(toolrack, { tools: TOOLS, console: true })

  for (const url of ['/mcp', '/mcp/', '/mcp/?x=/']) {
    const { body } = await app.inject({ url, headers: { accept: BROWSER, host: 'localhost' } })
    const [, link] = /href="([^"]*console\/)"/.exec(body) ?? []
    t.equal(new URL(link!, `http://localhost${url}`).pathname, '/console/', url)
  }
})
