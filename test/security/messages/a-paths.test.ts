// Paths: there is one endpoint, no second door to it, and nothing beside it to break.

import { once } from 'node:events'
import net from 'node:net'
import Fastify, { type RouteOptions } from 'fastify'
import t from 'tap'
import { toolrack } from '../../../src/index.ts'
import { plain } from '../../support/plain.ts'
import { attack, echoCall } from '../../support/security/probe.ts'
import { assertUnharmed, open, rawCall, talk } from '../../support/security/socket.ts'

t.test('A37: other spellings of the path are unknown, or the same endpoint with the same guards', async t => {
  const { app, port, received } = await open(t)
  const unknown = ['//mcp', '/mcp/', '/MCP', '/.well-known/../mcp', '/mcp;x', '/mcp%2f', '/mcp%00', '/x/..%2fmcp', '*']
  const same = ['/%6dcp', '/mcp?x=1', 'http://localhost/mcp', 'http://evil.example/mcp']

  for (const path of unknown) {
    const heard = await talk(port, rawCall([], echoCall(), `POST ${path} HTTP/1.1`), 1)
    t.match(heard.responses, [{ status: 404, body: /"code":40400/ }], path)
    await assertUnharmed(app, heard)
  }
  t.same(received, [])
  for (const path of same) {
    const heard = await talk(port, rawCall(['origin: https://evil.example'], echoCall(), `POST ${path} HTTP/1.1`), 1)
    t.match(heard.responses, [{ status: 403 }], path)
  }
  t.same(received, [])
})

t.test('C7: a verb that nothing routes is refused like the others, and counted', async t => {
  const { port } = await open(t, { rateLimit: { max: 4 } })
  const ask = (verb: string) => talk(port, rawCall([], '', `${verb} /mcp HTTP/1.1`), 1)

  for (const verb of ['TRACE', 'PROPFIND', 'QUERY', 'LOCK']) {
    const { responses } = await ask(verb)
    t.match(responses, [{ status: 405, headers: /^allow: POST, GET, DELETE$/im, body: /"code":40500/ }], verb)
  }
  t.match((await ask('TRACE')).responses, [{ status: 429 }])
})

t.test('a path that cannot be decoded is answered as JSON-RPC too', async t => {
  const { port } = await open(t)

  const { responses } = await talk(port, rawCall([], echoCall(), 'POST /%zz HTTP/1.1'), 1)

  t.match(responses, [{ status: 404, body: /"jsonrpc":"2.0","error":\{"code":40400/ }])
})

t.test('A37: beside the endpoint no body is read, so none breaks anything', async t => {
  const { app } = await open(t)

  for (const body of ['{', '['.repeat(100_000), '{"__proto__":1}', '', 'x'.repeat(2 ** 21)]) {
    const got = await attack(app, { url: '/nope', body })

    t.match(got, { status: 404, message: { error: { code: 40400 } } })
  }
})

/** What may be asked without a guard: it says nothing of tools. */
const OPEN = new Set(['/health', '/ready', '/metrics', '/.well-known/oauth-protected-resource'])

t.test('A37: as a plugin, every route that is added has the guards', async t => {
  const routes: RouteOptions[] = []
  const app = Fastify().addHook('onRoute', route => void routes.push(route))
  t.teardown(() => app.close())
  await app.register(toolrack, {})

  const methods = routes.flatMap(({ method, url }) => [method].flat().map(each => ({ method: each as 'GET', url })))
  t.ok(methods.length >= 7)

  for (const route of methods.filter(({ url }) => !OPEN.has(url))) {
    const { statusCode } = await app.inject({
      ...route,
      headers: { host: 'localhost', origin: 'https://evil.example' },
    })
    t.equal(statusCode, 403, `${route.method} ${route.url}`)
  }
})

/** Fastify prints a tree: four characters a level, then the part that is added to the path above. */
function listRoutes(tree: string): { method: string; url: string }[] {
  const above: string[] = []
  return [...tree.matchAll(/^((?:[│ ] {3})*)[├└]── (\S+) \(([A-Z, ]+)\)$/gm)].flatMap(([, indent, part, methods]) => {
    const level = indent!.length / 4
    const parent = above[level - 1] ?? ''
    const url = parent === '' || parent.endsWith('/') || part!.startsWith('/') ? parent + part : `${parent}/${part}`
    above[level] = url
    return methods!.split(', ').map(method => ({ method, url }))
  })
}

t.test('A37: as a whole server, only what is open to everyone goes without the guards', async t => {
  const { app } = await open(t)
  const routes = listRoutes(app.printRoutes({ commonPrefix: false }))
  for (const url of ['/', '/mcp', '/tools', '/console/*', '/console/api/activity'])
    t.ok(
      routes.some(route => route.url === url),
      url,
    )

  for (const { method, url } of routes.filter(route => !OPEN.has(route.url))) {
    // At / there is nothing for who does not ask for a page.
    const headers = { origin: 'https://evil.example', ...(url === '/' && { accept: 'text/html' }) }
    // The answers of plain HTTP are no JSON-RPC.
    const { status } = /^\/(?:tools|openapi\.json)/.test(url)
      ? await plain(app, url, { method: method as 'GET', headers })
      : await attack(app, { verb: method as 'GET', url, headers })
    t.equal(status, 403, `${method} ${url}`)
  }
})

t.test('a client that leaves in the middle of its body is no fault of the server', async t => {
  const { app, port } = await open(t)
  const answered = once(app.server, 'request').then(([, response]) => once(response, 'close'))

  const socket = net.connect(port, '127.0.0.1')
  socket.write(rawCall(['content-length: 1000'], '{"jsonrpc"'))
  await once(app.server, 'request')
  socket.destroy()
  await answered
  await new Promise(resolve => setImmediate(resolve))

  await t.resolves(assertUnharmed(app, { responses: [], isClosed: true }))
})
