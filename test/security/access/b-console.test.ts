// The console: who reaches it from where, and what its folder does not have.
import Fastify from 'fastify'
import t from 'tap'
import toolrack, { defineTool } from '../../../src/index.ts'
import { callTool, listen, request } from '../../support/app.ts'
import { bearer, guarded, SECRET } from '../../support/auth/guarded.ts'
import { withConsole } from '../../support/console/app.ts'
import { type RawResponse, talk } from '../../support/security/socket.ts'

const PATHS = [
  '/console',
  '/console/',
  '/console/assets/main-ABCD2345.js',
  '/console/config.json',
  '/console/api/activity',
]
const TOOLS = [defineTool({ name: 'probe', handler: () => 'here' })]

/** Sends the path as it is; `fetch` and `inject` would resolve its dots. */
async function getRaw(port: number, path: string): Promise<RawResponse> {
  const { responses } = await talk(port, `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`)
  return responses[0]!
}

t.test('B32: a foreign host or origin gets nothing of the console', async t => {
  const app = await withConsole(t, { tools: TOOLS })

  for (const url of PATHS) {
    t.equal((await app.inject({ url, headers: { host: 'evil.example' } })).statusCode, 403, url)
    t.equal((await app.inject({ url, headers: { origin: 'https://evil.example' } })).statusCode, 403, url)
    t.equal((await app.inject({ url, headers: { origin: 'null' } })).statusCode, 403, url)
  }
})

t.test('B32: without access control the console is for this machine only', async t => {
  const app = await withConsole(t, { tools: TOOLS, allowedHosts: ['localhost', 'rack.example'] })
  const elsewhere: object[] = [
    { headers: { host: 'rack.example' } },
    { headers: { 'x-forwarded-for': '203.0.113.9' } },
    { headers: { forwarded: 'for=203.0.113.9' } },
    { headers: { via: '1.1 proxy' } },
    { remoteAddress: '203.0.113.9' },
    { remoteAddress: '10.0.0.2' },
  ]

  for (const url of PATHS) {
    for (const from of elsewhere) {
      const { statusCode, body } = await app.inject({ url, ...from })
      t.equal(statusCode, 404, `${url} ${JSON.stringify(from)}`)
      t.match(JSON.parse(body).error.message, /for this machine only; set JWT_ISSUER, JWT_SECRET or API_KEYS_FILE/)
    }
    t.not((await app.inject(url)).statusCode, 404, url)
  }
})

t.test('B32: with access control the files are for all, and the calls need a token', async t => {
  const access = { jwt: { secret: SECRET }, publicUrl: 'https://tools.example/mcp' }
  const app = await withConsole(t, { tools: TOOLS, ...access })
  const from = { remoteAddress: '203.0.113.9', headers: { host: 'tools.example', 'x-forwarded-for': '203.0.113.9' } }

  for (const url of PATHS.filter(path => !path.includes('/api/')))
    t.match((await app.inject({ url, ...from })).statusCode, /^(?:200|302)$/, url)
  const { statusCode, headers } = await app.inject({ url: '/console/api/activity', ...from })
  t.equal(statusCode, 401)
  t.match(headers['www-authenticate'], /^Bearer/)
})

t.test('B32: in an app that verifies callers itself, each of them sees its own calls', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.decorateRequest('caller', undefined)
  app.addHook('onRequest', async incoming => {
    const subject = incoming.headers['x-user']
    if (typeof subject === 'string') incoming.caller = { subject, scopes: [] }
  })
  await app.register(toolrack, { tools: TOOLS, console: true })
  const { message, headers } = request('tools/call', { name: 'probe', arguments: {} })
  const payload = JSON.stringify(message)
  await app.inject({ method: 'POST', url: '/mcp', headers: { ...headers, 'x-user': 'alice' }, payload })
  const read = (more: Record<string, string>) =>
    app.inject({ url: '/console/api/activity', headers: more, remoteAddress: '203.0.113.9' })

  t.match((await read({ 'x-user': 'alice' })).json(), { scope: 'own', calls: [{ caller: 'alice' }] })
  t.match((await read({ 'x-user': 'bob' })).json(), { scope: 'own', calls: { length: 0 } })
  t.equal((await read({})).statusCode, 404)
})

t.test('B32: no path leads out of the folder of the console', async t => {
  const app = await withConsole(t)
  const port = await listen(app)
  const outside = [
    '../outside.txt',
    '../../outside.txt',
    'assets/../../outside.txt',
    '..%2foutside.txt',
    '%2e%2e/outside.txt',
    '%2e%2e%2foutside.txt',
    '.%2e/outside.txt',
    '..%252foutside.txt',
    '..%5coutside.txt',
    '..\\outside.txt',
    '%c0%ae%c0%ae/outside.txt',
    '....//outside.txt',
    '/../outside.txt',
    '%00../outside.txt',
    `${'../'.repeat(20)}etc/passwd`,
    '%2fetc%2fpasswd',
    '/etc/passwd',
  ]

  for (const path of outside) {
    const { status, body: text } = await getRaw(port, `/console/${path}`)
    t.equal(status, 404, path)
    t.notMatch(text, /^outside|root:/, path)
    t.notMatch(text, process.cwd(), path)
  }
  t.equal((await getRaw(port, '/console/')).status, 200)
})

t.test('B32: every answer of the console has its policy, also refusals and redirects', async t => {
  const app = await withConsole(t, { rateLimit: { max: 8 } })
  const policy =
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src data: blob:; ` +
    `connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; ` +
    `require-trusted-types-for 'script'`
  const statuses = new Set<number>()
  for (const url of [...PATHS, '/console/none', '/console/api/activity?after=x', ...PATHS]) {
    const { statusCode, headers } = await app.inject(url)
    statuses.add(statusCode)
    t.equal(headers['content-security-policy'], policy, url)
    t.equal(headers['x-content-type-options'], 'nosniff', url)
    t.equal(headers['referrer-policy'], 'no-referrer', url)
    t.equal(headers['set-cookie'], undefined, url)
  }
  t.strictSame([...statuses].sort(), [200, 302, 400, 404, 429])
})

t.test('B33: nobody reads the calls of others by guessing', async t => {
  const app = await guarded(t)
  await callTool(app, 'free', {}, { headers: bearer('', { sub: 'alice' }) })
  const read = (headers: Record<string, string>, query = '') =>
    app.inject({ url: `/console/api/activity${query}`, headers })

  for (const scope of ['', 'read', 'toolrack', 'toolrack:*', 'toolrack:observer', 'TOOLRACK:OBSERVE', '*'])
    t.notMatch((await read(bearer(scope, { sub: 'mallory' }))).body, 'alice', scope)
  for (const query of ['?scope=all', '?caller=alice', '?after=0&scope=toolrack:observe'])
    t.notMatch((await read(bearer('', { sub: 'mallory' }), query)).body, 'alice', query)
  for (const headers of [
    {},
    { authorization: 'Bearer x' },
    bearer('toolrack:observe', { aud: 'https://other.example' }),
  ])
    t.equal((await read(headers)).statusCode, 401)
  t.match((await read(bearer('toolrack:observe', { sub: 'ops' }))).body, 'alice')
})
