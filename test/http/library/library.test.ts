import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import toolrack, * as face from '../../../src/index.ts'
import { createServer, defineTool, type ToolrackOptions } from '../../../src/index.ts'
import { build, call, callTool, jsonLines } from '../../support/app.ts'
import { until } from '../../support/security/hostile.ts'
import { source, tempFolder } from '../../support/tools-folder.ts'

const handler = () => 'ok'
const echo = defineTool({ name: 'echo', handler })

/** An app with ways of its own. */
async function shop(t: Test, options: ToolrackOptions = {}): Promise<FastifyInstance> {
  const app = Fastify()
  t.teardown(() => app.close())
  app.addContentTypeParser('text/csv', { parseAs: 'string' }, (_request, body, done) => done(null, { csv: body }))
  app.setErrorHandler<Error>((error, _request, reply) => reply.code(418).send({ shop: error.message }))
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ shop: 'not here' }))
  app.post('/before', request => ({ got: request.body }))
  await app.register(toolrack, { tools: [echo], ...options })
  app.post('/after', request => ({ got: request.body }))
  app.get('/fail', () => {
    throw new Error('broken')
  })
  app.post('/checked', { schema: { body: { type: 'object', properties: { n: { type: 'integer' } } } } }, request => ({
    got: request.body,
  }))
  return app
}

t.test(
  'as a plugin: what a tool file leaves behind is in the log of the app, which keeps its own way to end',
  async t => {
    const { exit, abort, kill } = process
    const { stream, lines } = jsonLines()
    const app = Fastify({ logger: { stream } })
    t.teardown(() => app.close())
    const folder = tempFolder(t, { 'a.mjs': `setTimeout(() => { throw new Error('left') })\n${source('a')}` })

    await app.register(toolrack, { toolsDir: folder.path, watchTools: false })

    await until(() => lines.some(({ msg }) => msg === 'unhandled error of a tool file'), 'it was logged')
    t.match(
      lines.filter(({ level }) => level >= 40),
      [{ file: /a\.mjs$/, reason: 'left' }],
    )
    t.strictSame([process.exit, process.abort, process.kill], [exit, abort, kill])
    t.equal((await callTool(app, 'a')).content[0].text, 'a')
  },
)

t.test('as a plugin: tools are served beside the routes of the app', async t => {
  const app = await shop(t, { name: 'shop', version: '1.2.3' })

  const { result } = await call(app, 'server/discover')

  t.match(await callTool(app, 'echo'), { content: [{ text: 'ok' }] })
  t.strictSame(result._meta['io.modelcontextprotocol/serverInfo'], { name: 'shop', version: '1.2.3' })
})

for (const url of ['/before', '/after']) {
  t.test(`as a plugin: the parsers of ${url} are those of the app`, async t => {
    const app = await shop(t)

    const json = await app.inject({ method: 'POST', url, payload: { a: 1 } })
    const csv = await app.inject({ method: 'POST', url, headers: { 'content-type': 'text/csv' }, payload: 'a,b' })
    const form = await app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'a=1',
    })
    const broken = await app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json' },
      payload: '{',
    })

    t.strictSame(json.json(), { got: { a: 1 } })
    t.strictSame(csv.json(), { got: { csv: 'a,b' } })
    t.equal(form.statusCode, 418)
    t.match(broken.json(), { shop: String })
  })
}

t.test('as a plugin: errors, unknown routes and schemas of the app are its own', async t => {
  const app = await shop(t)

  const failed = await app.inject('/fail')
  const missing = await app.inject('/nowhere')
  const checked = await app.inject({ method: 'POST', url: '/checked', payload: { n: '5' } })

  t.match(failed, { statusCode: 418 })
  t.strictSame(failed.json(), { shop: 'broken' })
  t.strictSame(missing.json(), { shop: 'not here' })
  t.strictSame(checked.json(), { got: { n: 5 } }, 'still coerced, as Fastify does')
})

t.test('as a plugin: errors of the endpoint are JSON-RPC, whatever the app does with its own', async t => {
  const app = await shop(t)

  const broken = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { host: 'localhost', 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    payload: '{',
  })

  t.equal(broken.statusCode, 400)
  t.match(broken.json(), { jsonrpc: '2.0', error: { code: -32700 } })
})

t.test('as a plugin: the app has no routes that it did not ask for', async t => {
  const app = await shop(t)

  for (const url of ['/health', '/ready', '/metrics']) t.equal((await app.inject(url)).statusCode, 404, url)
  t.equal((await app.inject({ method: 'PUT', url: '/mcp', headers: { host: 'localhost' } })).statusCode, 405)
})

t.test('as a plugin: the routes of the app have no limit of ours', async t => {
  const app = await shop(t, { rateLimit: { max: 1 } })

  await callTool(app, 'echo')
  const limited = await call(app, 'tools/list')

  t.equal(limited.status, 429)
  for (let n = 0; n < 3; n++) t.equal((await app.inject('/nowhere')).statusCode, 404)
})

t.test('as a plugin: at another path', async t => {
  const app = await shop(t, { mcpPath: '/ai/tools' })

  t.equal((await app.inject('/mcp')).statusCode, 404)
  t.equal((await app.inject({ method: 'PUT', url: '/ai/tools', headers: { host: 'localhost' } })).statusCode, 405)
})

t.test('as a plugin: no folder is read unless one is named', async t => {
  const folder = tempFolder(t, { 'a.ts': source('a') })
  const without = await shop(t, { tools: [] })
  const within = await shop(t, { tools: [], toolsDir: folder.path, watchTools: false })

  t.strictSame((await call(without, 'server/discover')).result.capabilities.tools, undefined)
  t.match((await call(within, 'tools/list')).result.tools, [{ name: 'a' }])
})

t.test('two servers in one process know nothing of each other', async t => {
  const first = await shop(t, { name: 'first' })
  const second = await build(t, { name: 'second', tools: [defineTool({ name: 'other', handler })], pageSize: 1 })

  first.toolrack.add(defineTool({ name: 'added', handler }))
  second.toolrack.remove('other')

  t.strictSame(
    (await call(first, 'tools/list')).result.tools.map(({ name }: { name: string }) => name),
    ['added', 'echo'],
  )
  t.strictSame((await call(second, 'tools/list')).result.tools, [])
  await first.close()
  t.equal((await call(second, 'tools/list')).status, 200, 'one goes on when the other has closed')
})

for (const [options, message] of [
  [{ toolz: [] }, /^toolz: no such option; did you mean tools\?$/],
  [{ RATE_LIMIT_MAX: 5 }, /^RATE_LIMIT_MAX: no such option; did you mean rateLimit\.max\?$/],
  [{ rateLimit: { max: 0 } }, /^rateLimit\.max: expected an integer/],
  [{ pageSize: '5x' }, /^pageSize: expected an integer/],
  [{ mcpPath: 'mcp' }, /^mcpPath: expected a path/],
  [{ watchTools: 'yes' }, /^watchTools: expected true or false/],
  [{ tools: echo }, /^tools: expected an array/],
  [{ resources: {} }, /^resources: expected an array/],
  [{ name: 5 }, /^name: expected a text/],
  [{ icons: 'icon.png' }, /^icons: expected/],
  [{ icons: [{ src: 'icon.png' }] }, /^icons: .*src/],
  [{ toolsDir: '/nowhere/tools' }, /^toolsDir: expected/],
  [{ toolsDir: import.meta.filename }, /^toolsDir: expected/],
] as const) {
  t.test(`options: ${JSON.stringify(options).slice(0, 60)} is refused by its name`, async t => {
    const app = Fastify()
    t.teardown(() => app.close())

    await t.rejects(async () => await app.register(toolrack, options as never), { name: 'ConfigError', message })
    await t.rejects(createServer({ logLevel: 'silent', ...(options as object) }), { name: 'ConfigError', message })
  })
}

t.test('options: a tools folder that is given in code and is not there is refused, the usual one too', async t => {
  const source = JSON.stringify(new URL('../../../src/index.ts', import.meta.url).href)
  const program = `
    import toolrack, { createServer } from ${source}
    import Fastify from ${JSON.stringify(import.meta.resolve('fastify'))}
    const refused = await Promise.allSettled([
      createServer({ toolsDir: './tools' }),
      Promise.resolve(Fastify().register(toolrack, { toolsDir: './tools' })),
    ])
    console.log(refused.map(({ reason }) => reason?.message).join('\\n'))`
  const cwd = tempFolder(t, {}, 'empty').path

  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { cwd })

  const message = 'toolsDir: expected a folder that exists, not ./tools\n'
  t.equal(stdout, message + message)
})

t.test('the package exports what tools are written with, and nothing by accident', async t => {
  t.strictSame(Object.keys(face).sort(), [
    'ConfigError',
    'RegistrationError',
    'ToolError',
    'Type',
    'audio',
    'content',
    'createServer',
    'default',
    'definePrompt',
    'defineResource',
    'defineTool',
    'embeddedResource',
    'file',
    'image',
    'json',
    'resourceLink',
    'text',
    'toolrack',
  ])
  t.equal(face.default, face.toolrack)
})

t.test('plain objects among resources and prompts are resources and prompts', async t => {
  const app = await build(t, {
    resources: [{ uri: 'doc:a', name: 'a', handler: () => 'text' }],
    prompts: [{ name: 'greet', handler: () => 'Hello' }],
  })

  t.match((await call(app, 'resources/read', { uri: 'doc:a' })).result, { contents: [{ text: 'text' }] })
  t.match((await call(app, 'prompts/get', { name: 'greet' })).result, { messages: [{ content: { text: 'Hello' } }] })
  t.equal((await call(app, 'tools/list')).error.code, -32601)
})
