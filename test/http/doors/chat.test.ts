// The door that docs/reference/kits/door.md shows, and a request that comes by no door.
import t from 'tap'
import { defineTool, Type } from '../../../src/index.ts'
import { build } from '../../support/app.ts'
import { ALICE, RESOURCE, SECRET } from '../../support/auth/guarded.ts'
import { chat } from '../../support/examples/door/chat.ts'

const price = defineTool({
  name: 'get-price',
  inputSchema: Type.Object({ sku: Type.String() }),
  handler: ({ sku }, ctx) => `${sku} costs 3 for ${ctx.caller?.subject}`,
})

const post = (body: object, headers = {}) =>
  ({
    method: 'POST',
    url: '/chat',
    headers: { 'content-type': 'application/json', ...headers },
    payload: body,
  }) as const

t.test('a command calls a tool, and its records name the door', async t => {
  const app = await build(t, { tools: [price], doors: [chat()] })

  const reply = await app.inject(post({ tool: 'get-price', arguments: { sku: 'A-1' } }))
  t.strictSame(
    [reply.statusCode, reply.json()],
    [200, { content: [{ type: 'text', text: 'A-1 costs 3 for undefined' }] }],
  )
  t.match(app.audit.lines, [{ door: 'chat', tool: 'get-price', outcome: 'ok' }])

  const unknown = await app.inject(post({ tool: 'nothing' }))
  t.match([unknown.statusCode, unknown.json().text], [200, /nothing/])
})

t.test('a body is JSON within the bounds of the endpoint, and no key of it reaches a prototype', async t => {
  const tells = defineTool({
    name: 'tells',
    inputSchema: Type.Object({}, { additionalProperties: true }),
    handler: args => String((args as { isAdmin?: boolean }).isAdmin),
  })
  const app = await build(t, { tools: [tells], doors: [chat()] })
  const args = '{"__proto__":{"isAdmin":true}}'

  const payload = `{"tool":"tells","arguments":${args}}`
  const refused = await app.inject({ ...post({}), payload })
  t.match([refused.statusCode, refused.json().error.code], [400, -32600])

  const params = { name: 'tells', arguments: JSON.parse(args) }
  const request = { door: 'queue', clientKey: 'queue', client: { capabilities: {} } }
  const served = await app.toolrack.serve({ ...request, method: 'tools/call', params })
  t.match(served, { kind: 'result', result: { content: [{ text: 'undefined' }] } })
})

t.test('a door learns that a text is JSON from the server, not from the text', async t => {
  const handlers = { object: () => ({ a: 1 }), list: () => [1], number: () => 5, text: () => '{"a":1}' }
  const tools = Object.entries(handlers).map(([name, handler]) => defineTool({ name, handler }))
  const app = await build(t, { tools })
  const request = { door: 'queue', clientKey: 'queue', client: { capabilities: {} }, method: 'tools/call' }
  const isJsonText = async (name: string) => {
    const served = await app.toolrack.serve({ ...request, params: { name } })
    return served.kind === 'result' && served.facts?.isJsonText
  }

  t.strictSame(await Promise.all(Object.keys(handlers).map(isJsonText)), [true, true, undefined, undefined])
})

t.test('a question that its door never answers ends with the request', async t => {
  const asked = Promise.withResolvers<AbortSignal | undefined>()
  const asks = defineTool({ name: 'asks', handler: async (_args, ctx) => JSON.stringify(await ctx.listRoots('roots')) })
  const app = await build(t, { tools: [asks] })
  const leaving = new AbortController()
  const serving = app.toolrack.serve({
    ...{ door: 'chat', clientKey: 'me', method: 'tools/call', params: { name: 'asks' } },
    client: { capabilities: { roots: {} } },
    signal: leaving.signal,
    ask(_questions, signal) {
      asked.resolve(signal)
      return new Promise(() => {})
    },
  })
  const signal = await asked.promise
  leaving.abort()
  t.match(await serving, { kind: 'result', outcome: 'cancelled', result: { isError: true } })
  t.ok(signal?.aborted, 'the door need not wait either')
})

t.test('the guards of the server stand before it', async t => {
  const options = { tools: [price], doors: [chat()], jwt: { secret: SECRET, audience: RESOURCE }, publicUrl: RESOURCE }
  const app = await build(t, options)

  t.equal((await app.inject(post({ tool: 'get-price' }))).statusCode, 401)
  const { content } = (await app.inject(post({ tool: 'get-price', arguments: { sku: 'B' } }, ALICE))).json()
  t.match(content, [{ text: 'B costs 3 for alice' }])
})

t.test('a program serves a request that is no request of HTTP', async t => {
  const app = await build(t, { tools: [price] })
  const asked = { door: 'cron', clientKey: 'cron', client: { capabilities: {} } }

  const served = await app.toolrack.serve({
    ...asked,
    method: 'tools/call',
    params: { name: 'get-price', arguments: { sku: 'C' } },
  })
  t.match(served, { kind: 'result', outcome: 'ok', result: { content: [{ text: 'C costs 3 for undefined' }] } })

  const listed = await app.toolrack.serve({ ...asked, method: 'tools/list', params: {} })
  t.match(listed, { kind: 'result', result: { tools: [{ name: 'get-price' }], cacheScope: 'public' } })

  t.match(await app.toolrack.serve({ ...asked, method: 'nothing', params: {} }), {
    kind: 'error',
    error: { reason: 'METHOD_NOT_FOUND' },
  })
  t.match(app.audit.lines.at(-1), { door: 'cron', outcome: 'refused' })
})
