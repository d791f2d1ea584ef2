// Every route asks for a token, but for those on a list that says why.
import Fastify, { type RouteOptions } from 'fastify'
import t from 'tap'
import toolrack from '../../../src/index.ts'
import { guarded, RESOURCE, SECRET, TOOLS } from '../../support/auth/guarded.ts'

/** What anybody may ask, without a token. */
const PUBLIC = [
  'GET /health',
  'HEAD /health',
  // From this machine only, and not by way of a proxy: packages/metrics/src/routes.ts.
  'GET /metrics',
  'HEAD /metrics',
  'GET /ready',
  'HEAD /ready',
  // The page shows a stranger neither tools nor instructions; for all but browsers there is none.
  'GET /',
  'HEAD /',
  // The files of the console hold no data; its recent calls ask for a token.
  'GET /console',
  'HEAD /console',
  'GET /console/*',
  'HEAD /console/*',
  'GET /console/config.json',
  'HEAD /console/config.json',
  // RFC 9728: read before there is a token.
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/mcp',
  'GET /.well-known/oauth-protected-resource/sse',
  'OPTIONS /.well-known/oauth-protected-resource',
  'OPTIONS /.well-known/oauth-protected-resource/mcp',
  'OPTIONS /.well-known/oauth-protected-resource/sse',
  // A preflight carries no token.
  'OPTIONS /mcp',
  'OPTIONS /sse',
  'OPTIONS /messages',
  'OPTIONS /tools',
  'OPTIONS /tools/*',
  'OPTIONS /tools/:name(^.+$)',
  'OPTIONS /tools/:name(^.+$)/answers',
  'OPTIONS /tools/tasks/answers',
  'OPTIONS /tools/tasks/:id',
  'OPTIONS /tools/tasks/:id/answers',
  'OPTIONS /tools/files/:id/*',
  'OPTIONS /openapi.json',
]

// Fastify tells its routes only as a drawing: a line each, indented by three or four characters a level.
function routesOf(drawing: string): string[] {
  const parts: string[] = []
  return drawing.split('\n').flatMap(line => {
    const [, indent, part, methods] = /^([│├└─\s]*)(\S+)(?: \(([A-Z, ]+)\))?$/u.exec(line) ?? []
    if (part === undefined) return []
    const level = Math.round(indent!.length / 4)
    parts.splice(level - 1, Number.POSITIVE_INFINITY, part)
    return methods === undefined ? [] : methods.split(', ').map(method => `${method} ${parts.join('')}`)
  })
}

t.test('A37: no route without a guard that is not on the public list', async t => {
  const app = await guarded(t, { httpSse: true })
  await app.ready()
  const routes = routesOf(app.printRoutes())

  t.ok(routes.includes('POST /mcp') && routes.includes('GET /sse') && routes.includes('POST /messages'), `${routes}`)
  for (const route of routes) {
    const [method, url] = route.split(' ') as ['GET', string]
    const { statusCode, headers, body } = await app.inject({ method, url, headers: { host: 'localhost' } })
    const isOpen = statusCode !== 401
    t.equal(isOpen, PUBLIC.includes(route), `${route}: ${statusCode} ${body.slice(0, 100)}`)
    if (!isOpen) t.match(headers['www-authenticate'], /^Bearer .*resource_metadata=/, route)
  }
})

t.test('A37: the same within an app that serves more than tools', async t => {
  const app = Fastify()
  const routes: RouteOptions[] = []
  app.addHook('onRoute', route => void routes.push(route))
  const access = { jwt: { secret: SECRET }, publicUrl: RESOURCE, authorizationServers: ['https://as.example'] }
  await app.register(toolrack, { tools: TOOLS, ...access, httpSse: true })
  t.teardown(() => app.close())
  await app.ready()

  t.ok(routes.length >= 10)
  for (const { method: methods, url } of routes) {
    for (const method of [methods].flat() as 'GET'[]) {
      const { statusCode } = await app.inject({ method, url, headers: { host: 'localhost' } })
      t.equal(statusCode !== 401, PUBLIC.includes(`${method} ${url}`), `${method} ${url}: ${statusCode}`)
    }
  }
})
