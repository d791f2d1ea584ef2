// Calls with an idempotency key act once, on one server and on replicas.
import { once } from 'node:events'
import net from 'node:net'
import t, { type Test } from 'tap'
import { defineTool, file, type ServerOptions, type ToolContext, Type } from '../../../src/index.ts'
import { type App, build, call, callTool, listening, request } from '../../support/app.ts'
import { bearer, RESOURCE, SECRET } from '../../support/auth/guarded.ts'
import { until } from '../../support/clients/connect.ts'
import { failure, key, orders, text } from '../../support/orders.ts'
import { NO_REDIS, redisServer } from '../../support/servers/redis-server.ts'

// They mostly wait.
t.jobs = 4

t.test('the key is an argument that the tool need not declare, or a member of _meta', async t => {
  const { tool, acts } = orders()
  const app = await build(t, { tools: [tool] })

  t.match((await call(app, 'tools/list')).result.tools, [
    { inputSchema: { properties: { sku: {}, idempotencyKey: { type: 'string', maxLength: 255 } }, required: ['sku'] } },
  ])
  for (let time = 0; time < 3; time++) t.match(await callTool(app, 'order', key('1')), text('order 1'))
  for (const meta of [{ 'toolrack/idempotencyKey': '1' }, { idempotencyKey: '1' }])
    t.match(await callTool(app, 'order', { sku: 'a' }, { meta }), text('order 1'))
  t.match(await callTool(app, 'order', key('2')), text('order 2'))
  t.match(await callTool(app, 'order', { sku: 'a' }), text('order 3'), 'a call without a key runs')
  t.match(await callTool(app, 'order', { sku: 'a' }), text('order 4'))
  t.equal(acts.length, 4)
})

t.test('a tool that declares the argument gets it', async t => {
  const seen: unknown[] = []
  const inputSchema = Type.Object({ idempotencyKey: Type.Optional(Type.String({ description: 'Own.' })) })
  const tool = defineTool({ name: 'own', inputSchema, idempotency: true, handler: args => void seen.push(args) })
  const app = await build(t, { tools: [tool] })

  await callTool(app, 'own', { idempotencyKey: '1' })
  await callTool(app, 'own', { idempotencyKey: '1' })
  t.strictSame(seen, [{ idempotencyKey: '1' }])
  t.match((await call(app, 'tools/list')).result.tools, [
    { inputSchema: { properties: { idempotencyKey: { description: 'Own.' } } } },
  ])
})

t.test('a failure of the handler is a first result, too; what did not run may run', async t => {
  const { tool, acts } = orders({ fails: true })
  const app = await build(t, { tools: [{ ...tool, rateLimit: { max: 1, timeWindow: '1 hour' } }] })

  t.match(await callTool(app, 'order', { idempotencyKey: '1' }), {
    isError: true,
    content: [{ text: /^Invalid arguments/ }],
  })
  for (let time = 0; time < 3; time++)
    t.match(await callTool(app, 'order', key('1')), { ...text('No a left.'), isError: true })
  t.equal(acts.length, 1)
  t.match(await callTool(app, 'order', key('2')), { isError: true, content: [{ text: /^order allows 1 calls/ }] })
  t.match(await callTool(app, 'order', key('1')), text('No a left.'), 'a repeated call is not limited')
})

t.test('a key stands for one call: other arguments and wrong keys are refused', async t => {
  const { tool, acts } = orders()
  const app = await build(t, { tools: [tool] })

  await callTool(app, 'order', key('1', 'a'))
  t.match(await callTool(app, 'order', key('1', 'b')), {
    isError: true,
    content: [
      {
        text: 'Invalid arguments for order: idempotencyKey was used with other arguments; use a new key for a new call',
      },
    ],
  })
  for (const wrong of ['', 'x'.repeat(256), '😀'.repeat(256), 7, null, { a: 1 }]) {
    const result = await callTool(app, 'order', { sku: 'a', idempotencyKey: wrong })
    t.match(result, { isError: true, content: [{ text: /idempotencyKey must be one string of 1 to 255 characters$/ }] })
  }
  t.match(await callTool(app, 'order', key('😀'.repeat(255))), text('order 2'), 'as long as the listed schema allows')
  const both = await callTool(app, 'order', key('1'), { meta: { 'toolrack/idempotencyKey': '2' } })
  t.match(both, { isError: true, content: [{ text: /must be one string/ }] })
  t.equal(acts.length, 2)
})

t.test('a call is the same with another _meta among its arguments, unless the tool declares one', async t => {
  const inputSchema = Type.Object({ _meta: Type.Optional(Type.Unknown()) })
  const tools = [
    defineTool({ ...orders().tool, name: 'open', inputSchema: Type.Object({}), handler: () => 'acted' }),
    defineTool({ ...orders().tool, name: 'declared', inputSchema, handler: () => 'acted' }),
  ]
  const app = await build(t, { tools })
  const traced = (traceparent: string) => ({ idempotencyKey: '1', _meta: { traceparent } })

  for (const time of ['1', '2', '3']) t.match(await callTool(app, 'open', traced(time)), text('acted'))
  t.match(await callTool(app, 'declared', traced('1')), text('acted'))
  t.match(await callTool(app, 'declared', traced('2')), failure(/was used with other arguments/))
})

t.test('the key of a caller is nothing to another, and that of a tool nothing to another tool', async t => {
  const { tool, acts } = orders()
  const tools = [tool, { ...tool, name: 'order_twice' }]
  const app = await build(t, { tools, jwt: { secret: SECRET }, publicUrl: RESOURCE })
  const as = (sub: string, name = 'order') => callTool(app, name, key('1'), { headers: bearer('', { sub }) })

  t.match(await as('alice'), text('order 1'))
  t.match(await as('bob'), text('order 2'))
  t.match(await as('alice', 'order_twice'), text('order 3'))
  t.match(await as('alice'), text('order 1'))
  t.equal(acts.length, 3)
})

t.test('calls at once share one run', async t => {
  const { tool, acts, pass } = orders({ waits: true })
  const app = await build(t, { tools: [tool] })

  const calls = Array.from({ length: 20 }, () => callTool(app, 'order', key('1')))
  await until(() => acts.length > 0, 'the order')
  pass()
  for (const result of await Promise.all(calls)) t.match(result, text('order 1'))
  t.equal(acts.length, 1)
})

t.test('one who waits gives up at the deadline, and the run goes on', async t => {
  const { tool, acts, pass } = orders({ waits: true })
  const { app, port } = await listening(t, { tools: [{ ...tool, timeout: 300 }] })
  const socket = await send(port, key('1'))
  await until(() => acts.length === 1, 'the order')

  const uncertain =
    'order timed out after 300 ms. It may have acted: check, and call again with another idempotency key if it has not.'
  const waiting = await Promise.all([callTool(app, 'order', key('1')), callTool(app, 'order', key('1'))])
  for (const result of waiting) t.match(result, failure(/^order timed out after 300 ms(\. It may have acted.*)?$/))
  t.match(await callTool(app, 'order', key('1')), failure(uncertain))
  t.match(await callTool(app, 'order', key('2')), failure(uncertain), 'its first answer says so, too')
  pass()
  socket.destroy()
  t.equal(acts.length, 2)
})

/** Sends a call on a socket of its own, which can be cut. */
async function send(port: number, args: object): Promise<net.Socket> {
  const { message, headers } = request('tools/call', { name: 'order', arguments: args })
  const body = JSON.stringify(message)
  const socket = net.connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  socket.write(`POST /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
  return socket
}

t.test('a client whose connection breaks gets the result when it calls again', async t => {
  const { tool, acts, pass } = orders({ waits: true })
  const { app, port } = await listening(t, { tools: [tool] })
  const socket = await send(port, key('1'))
  await until(() => acts.length === 1, 'the order')
  socket.destroy()
  await once(socket, 'close')

  const again = callTool(app, 'order', key('1'))
  pass()
  t.match(await again, text('order 1'))
  t.equal(acts.length, 1)
})

t.test('a question is asked and answered under one key', async t => {
  let acts = 0
  const tool = defineTool({
    name: 'order',
    idempotency: true,
    async handler(_args, ctx) {
      const { action } = await ctx.elicit('sure', {
        message: 'Sure?',
        requestedSchema: { type: 'object', properties: {} },
      })
      return `${action} ${++acts}`
    },
  })
  const app = await build(t, { tools: [tool] })
  const options = { capabilities: { elicitation: {} } }
  const params = { name: 'order', arguments: { idempotencyKey: '1' } }
  const asked = await call(app, 'tools/call', params, options)
  const inputResponses = { sure: { action: 'accept', content: {} } }
  const { requestState } = asked.result

  t.equal(asked.result.resultType, 'input_required')
  t.match(
    (await call(app, 'tools/call', { ...params, inputResponses, requestState }, options)).result,
    text('accept 1'),
  )
  t.match((await call(app, 'tools/call', params, options)).result, text('accept 1'), 'nobody is asked again')
})

t.test('replicas share keys', { skip: NO_REDIS }, async t => {
  const { url: redisUrl } = await redisServer(t)
  const shared = { redis: { url: redisUrl }, rateLimit: { max: 10_000 } } satisfies ServerOptions
  const open = async (t: Test): Promise<{ app: App; tool: ReturnType<typeof orders> }> => {
    const tool = orders({ waits: true })
    return { app: await build(t, { ...shared, tools: [tool.tool] }), tool }
  }
  const [one, two] = [await open(t), await open(t)]
  const acts = () => one.tool.acts.length + two.tool.acts.length

  const calls = Array.from({ length: 10 }, (_, n) => callTool((n % 2 === 0 ? one : two).app, 'order', key('1')))
  await until(() => acts() > 0, 'the order')
  one.tool.pass()
  two.tool.pass()
  for (const result of await Promise.all(calls)) t.match(result, text('order 1'))
  for (const { app } of [one, two]) t.match(await callTool(app, 'order', key('1')), text('order 1'))
  t.equal(acts(), 1)
})

t.test(
  'if the result cannot be delivered after the tool has acted, the key is used up',
  { skip: NO_REDIS },
  async t => {
    let acts = 0
    const redis = await redisServer(t)
    const handler = async () => {
      acts++
      await redis.close()
      return file(Buffer.alloc(100_000), { name: 'a.bin' })
    }
    const app = await build(t, {
      redis: { url: redis.url },
      tools: [defineTool({ name: 'order', idempotency: true, handler })],
    })

    const reply = await call(app, 'tools/call', { name: 'order', arguments: { idempotencyKey: '1' } })
    t.equal(reply.status, 503)
    t.equal(acts, 1)
    t.equal((await call(app, 'tools/call', { name: 'order', arguments: { idempotencyKey: '1' } })).status, 503)
    t.equal(acts, 1)
  },
)

t.test('a result that Redis does not take at once is kept when it does', { skip: NO_REDIS }, async t => {
  let acts = 0
  const redis = await redisServer(t)
  const pause = async () => {
    redis.pause()
    while ((await ask('other')).status !== 503);
  }
  const order = async () => {
    await pause()
    return `order ${++acts}`
  }
  const asks = async (_args: object, ctx: ToolContext) => {
    if (++acts === 2) await pause()
    await ctx.confirm('Sure?')
  }
  const tools = [
    defineTool({ name: 'other', idempotency: true, handler: () => 'done' }),
    defineTool({ name: 'order', idempotency: true, handler: order }),
    defineTool({ name: 'asks', idempotency: true, handler: asks }),
  ]
  const app = await build(t, { redis: { url: redis.url }, tools, rateLimit: { max: 10_000 } })
  const ask = (name: string) => call(app, 'tools/call', { name, arguments: { idempotencyKey: '1' } })
  const askServed = async (name: string) => {
    for (;;) {
      const reply = await ask(name)
      if (reply.status !== 503) return reply.result
    }
  }

  t.match((await ask('order')).result, text('order 1'))
  redis.resume()
  t.match(await askServed('order'), text('order 1'))

  const refused = failure(/^asks needs the consent of the user/)
  t.match((await ask('asks')).result, refused)
  redis.resume()
  t.match(await askServed('asks'), refused, 'what did nothing is free again')
  t.equal(acts, 3)
})
