// In a Fastify app of somebody else: it may verify tokens itself, and drop headers that come twice.
import jwt from '@fastify/jwt'
import Fastify, { type FastifyInstance } from 'fastify'
import t from 'tap'
import toolrack, { type ToolrackOptions } from '../../../src/index.ts'
import { AUDIENCE, ISSUER, SECRET, secretIssuer } from '../../support/auth/forge.ts'
import { ECHO_HEADERS, echoCall, recorder } from '../../support/security/probe.ts'
import { talk } from '../../support/security/socket.ts'

const HOST_SECRET = 'the-secret-of-the-host-app-0123456789abcdef'
const options = (): ToolrackOptions => ({
  jwt: { secret: SECRET, issuer: ISSUER, audience: AUDIENCE },
  tools: [recorder().tool],
})

async function withOwnTokens(app: FastifyInstance): Promise<void> {
  await app.register(jwt, { secret: HOST_SECRET })
  app.get('/own', { onRequest: request => request.jwtVerify() }, async request => request.user)
}

const ask = (app: FastifyInstance, url: string, authorization: string) =>
  url === '/own'
    ? app.inject({ url, headers: { authorization } })
    : app.inject({ method: 'POST', url, headers: { ...ECHO_HEADERS, authorization }, payload: echoCall() })

for (const order of ['before', 'after']) {
  t.test(`a @fastify/jwt that the app registers ${order} the tools keeps its tokens, and we ours`, async t => {
    const app = Fastify()
    t.teardown(() => app.close())
    if (order === 'before') await withOwnTokens(app)
    await app.register(toolrack, options())
    if (order === 'after') await withOwnTokens(app)
    await app.ready()
    const [ours, hosts] = [`Bearer ${secretIssuer().token()}`, `Bearer ${secretIssuer(HOST_SECRET).token()}`]

    t.equal((await ask(app, '/mcp', ours)).statusCode, 200)
    t.equal((await ask(app, '/mcp', hosts)).statusCode, 401)
    t.match((await ask(app, '/own', hosts)).json(), { sub: 'alice' })
    t.equal((await ask(app, '/own', ours)).statusCode, 401)
  })
}

t.test('two servers below an app with a @fastify/jwt each have their own secret', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await withOwnTokens(app)
  const other = 'another-secret-of-another-server-0123456789'
  const tokens = [`Bearer ${secretIssuer().token()}`, `Bearer ${secretIssuer(other).token()}`]
  await app.register(async scope => void (await scope.register(toolrack, options())), { prefix: '/a' })
  await app.register(
    async scope => void (await scope.register(toolrack, { ...options(), jwt: { ...options().jwt, secret: other } })),
    {
      prefix: '/b',
    },
  )
  await app.ready()

  for (const [at, prefix] of ['/a', '/b'].entries()) {
    for (const [from, token] of tokens.entries()) {
      t.equal((await ask(app, `${prefix}/mcp`, token)).statusCode, from === at ? 200 : 401)
    }
  }
})

t.test('B1: two Authorization headers are refused where Node would drop the second', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(toolrack, options())
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const body = echoCall()
  const head = Object.entries(ECHO_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`)
  const good = `Authorization: Bearer ${secretIssuer().token()}\r\n`
  const statusWith = async (headers: string) => {
    const bytes = `POST /mcp HTTP/1.1\r\n${head.join('')}${headers}content-length: ${body.length}\r\n\r\n${body}`
    return (await talk(port, bytes, 1)).responses[0]!.status
  }

  t.equal(await statusWith(good), 200)
  t.equal(await statusWith(`${good}authorization: Bearer x\r\n`), 401)
  t.equal(await statusWith(`${good}${good}`), 401)
  t.equal(await statusWith(`AUTHORIZATION: Basic x\r\n${good}`), 401)
})
