// What a plugin and a server do with their options: prefix and log level of Fastify, host and port.
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import toolrack, { createServer, type ServerOptions } from '../../../src/index.ts'
import { jsonLines } from '../../support/app.ts'
import { freePort } from '../../support/free-port.ts'

async function server(t: Test, options: ServerOptions) {
  const app = await createServer({ logLevel: 'silent', ...options })
  t.teardown(() => app.close())
  return app
}

t.test('listen takes host and port of the options, with a callback too', async t => {
  const port = await freePort()
  const [promised, called] = [await server(t, { port }), await server(t, { port: 0 })]

  t.equal(await promised.listen(), `http://127.0.0.1:${port}`)
  const address = await new Promise<string>((resolve, reject) =>
    called.listen({}, (error, address) => (error === null ? resolve(address) : reject(error))),
  )
  t.match(address, /^http:\/\/127\.0\.0\.1:\d+$/)
})

t.test('so it does if the callback stands alone or behind undefined', async t => {
  const port = await freePort()
  for (const args of [[], [undefined], [null]] as const) {
    const app = await server(t, { port })
    const address = await new Promise(resolve =>
      (app.listen as (...args: unknown[]) => void)(...args, (_error: unknown, address: string) => resolve(address)),
    )
    t.equal(address, `http://127.0.0.1:${port}`)
    await app.close()
  }
})

t.test('what listen is given wins, and the log says if tokens name another port', async t => {
  const { stream, lines } = jsonLines()
  const jwt = { secret: 'a-secret-of-more-than-thirty-two-bytes' }
  const app = await server(t, { port: 3999, jwt, logStream: stream, logLevel: 'warn' })

  const address = await app.listen({ port: await freePort(), host: 'localhost' })

  t.notMatch(address, /:3999$/)
  t.match(lines, [{ msg: 'listening on another port than tokens name; set publicUrl' }])
  await t.rejects(async () => (await server(t, {})).listen(3000 as never), TypeError)
})

t.test('prefix of register is before every path of the plugin, behind that of the scope', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(
    async scope =>
      void (await scope.register(toolrack, {
        prefix: '/tools-of/',
        plainHttp: true,
        jwt: { secret: 'x'.repeat(32), issuer: 'https://as.example' },
      })),
    { prefix: '/shop' },
  )
  await app.ready()

  const urls = ['/shop/tools-of/mcp', '/shop/tools-of/tools', '/shop/tools-of/.well-known/oauth-protected-resource']
  for (const url of urls) t.ok(app.hasRoute({ method: 'GET', url }), url)
  const { headers } = await app.inject({ method: 'POST', url: urls[0]!, payload: {} })
  t.match(
    headers['www-authenticate'],
    /resource_metadata="[^"]*\/shop\/tools-of\/\.well-known\/oauth-protected-resource/,
  )
})

t.test('an option that would do nothing in a plugin is refused by its name', async t => {
  const wrong = [{ port: 3000 }, { host: '0.0.0.0' }, { trustProxy: ['10.0.0.0/8'] }, { metrics: { port: 9464 } }]
  for (const options of wrong)
    await t.rejects(async () => void (await Fastify().register(toolrack, options as object)), {
      name: 'ConfigError',
      message: /^(port|host|trustProxy|metrics\.port): belongs to createServer; a plugin is served by its app/,
    })
  await t.rejects(async () => void (await Fastify().register(toolrack, { prefix: 7 as never })), {
    message: /^prefix: /,
  })
})

t.test('audit.stream is where the audit goes, and auditStream still counts', async t => {
  const [{ stream, lines }, former] = [jsonLines(), jsonLines()]
  const app = await server(t, { audit: { stream } })
  const before = await server(t, { auditStream: former.stream } as object)

  for (const each of [app, before]) await each.inject({ url: '/nothing' })

  t.match(
    [lines[0], former.lines[0]],
    [
      { msg: 'audit', status: 404 },
      { msg: 'audit', status: 404 },
    ],
  )
  await t.rejects(createServer({ audit: { stream, file: '/dev/null' } }), {
    message: 'audit.stream: expected either it or audit.file, not both',
  })
  await t.rejects(async () => void (await Fastify().register(toolrack, { audit: { arguments: true } })), {
    message: 'audit.arguments: expected audit.file or audit.stream beside it',
  })
})

t.test('options are a plain object, and logStream is of a server', async t => {
  class Options {
    get port() {
      return 0
    }
  }
  for (const options of [null, 'x', new Options(), []])
    await t.rejects(createServer(options as object), {
      name: 'ConfigError',
      message: 'options: expected a plain object',
    })
  await t.rejects(async () => void (await Fastify().register(toolrack, new Options() as object)), {
    message: 'options: expected a plain object',
  })
  await t.rejects(async () => void (await Fastify().register(toolrack, { logStream: process.stdout } as object)), {
    message: /^logStream: belongs to createServer/,
  })
})

t.test('logLevel of register is that of the routes of the plugin', async t => {
  const { stream, lines } = jsonLines()
  const app = Fastify({ logger: { stream, level: 'info' }, disableRequestLogging: true })
  t.teardown(() => app.close())
  await app.register(toolrack, { logLevel: 'silent' })
  await app.register(async scope => void (await scope.register(toolrack, { mcpPath: '/loud' })), { prefix: '/other' })

  const countLines = async (url: string) => {
    const before = lines.length
    await app.inject({ method: 'POST', url, payload: '{', headers: { 'content-type': 'application/json' } })
    return lines.length - before
  }

  t.equal(await countLines('/mcp'), 0)
  t.ok((await countLines('/other/loud')) > 0)
})
