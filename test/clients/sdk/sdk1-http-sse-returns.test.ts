// HTTP+SSE: a client whose stream has dropped comes back by itself, and its session goes on.
// Spec 2024-11-05: basic/transports, "HTTP with SSE".
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import t, { type Test } from 'tap'
import { defineTool, type ServerOptions, Type } from '../../../src/index.ts'
import { build, listening } from '../../support/app.ts'
import { until } from '../../support/clients/connect.ts'
import { type Connected, connectSdk1 } from '../../support/clients/connect-sdk1.ts'
import { faultsOf } from '../../support/clients/faults.ts'
import { proxyTo, type TcpProxy } from '../../support/clients/proxy.ts'
import { freePort } from '../../support/free-port.ts'

const greet = defineTool({
  name: 'greet',
  inputSchema: Type.Object({ greeting: Type.String() }),
  async handler({ greeting }, ctx) {
    const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' } } }
    const { content } = await ctx.elicit('name', { message: 'Your name?', requestedSchema })
    return `${greeting} ${content?.['name']}`
  },
})
const hello = { name: 'greet', arguments: { greeting: 'Hello' } }

/** A client that can be asked, behind a proxy that can drop its stream. */
async function behindProxy(t: Test, options: ServerOptions) {
  faultsOf(t)
  const { app, port } = await listening(t, { httpSse: true, ...options })
  const proxy = await proxyTo(t, port)
  const heard: string[] = []
  const connected = await connectSdk1(t, proxy.url, {
    over: 'HTTP+SSE',
    isQuick: true,
    capabilities: { elicitation: {} },
    prepare(client) {
      client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }))
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard.push('tools'))
    },
  })
  return { app, proxy, heard, ...connected }
}

const streamsOf = ({ http }: Connected) => http.of('GET').filter(({ status }) => status === 200).length

/** Drops its stream, and waits until it is back. That it tells of the drop is none of the test's. */
async function drop(t: Test, connected: Connected, how: () => void) {
  const before = streamsOf(connected)
  how()
  await until(() => streamsOf(connected) > before, 'a new stream')
  faultsOf(t).length = 0
}

/** What it takes for a fault is that an answer came twice: it was sent shortly before the stream dropped. */
function forgiveRepeated(t: Test) {
  const faults = faultsOf(t)
  const others = faults.filter(({ message }) => !message.startsWith('Received a response for an unknown message ID'))
  faults.splice(0, faults.length, ...others)
}

for (const how of ['cut', 'lose'] as const satisfies (keyof TcpProxy)[]) {
  t.test(`a stream that drops (${how}): calls go on, the client is asked, and told of what changed`, async t => {
    const connected = await behindProxy(t, { tools: [greet] })
    const { app, client, proxy, heard } = connected
    t.match(await client.callTool(hello), { content: [{ text: 'Hello Ada' }] })

    proxy[how]()
    app.toolrack.add({ name: 'new', handler: () => '' })
    await drop(t, connected, () => {})

    t.match(await client.callTool(hello), { content: [{ text: 'Hello Ada' }] })
    if (how === 'cut') await until(() => heard.length > 0, 'the change')
    t.strictSame(
      (await client.listTools()).tools.map(({ name }) => name),
      ['greet', 'new'],
    )
    forgiveRepeated(t)
    t.strictSame(faultsOf(t), [])
  })

  t.test(`a stream that drops (${how}): the answer of a call under way is told on return`, async t => {
    const [started, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = defineTool({
      name: 'slow',
      async handler() {
        started.resolve()
        await gate.promise
        return 'done'
      },
    })
    const connected = await behindProxy(t, { tools: [slow] })
    const { client, proxy, http } = connected
    const call = client.callTool({ name: 'slow' })
    await started.promise
    await until(() => http.of('tools/call').at(-1)?.status === 202, 'the call was accepted')

    await drop(t, connected, () => {
      proxy[how]()
      gate.resolve()
    })

    t.match(await call, { content: [{ text: 'done' }] })
    t.strictSame(faultsOf(t), [])
  })
}

t.test(
  'a server that was started anew knows no session: calls go on, in its revision, and all lists are told',
  async t => {
    faultsOf(t)
    const port = await freePort()
    const options = { httpSse: true, port, tools: [{ name: 'one', handler: () => 'first' }] }
    const { app } = await listening(t, options)
    const heard: string[] = []
    const connected = await connectSdk1(t, `http://127.0.0.1:${port}/mcp`, {
      over: 'HTTP+SSE',
      isQuick: true,
      prepare: client =>
        client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard.push('tools')),
    })
    const { client } = connected
    t.match(await client.callTool({ name: 'one' }), { content: [{ text: 'first' }] })

    await app.close()
    const again = await build(t, { ...options, tools: [{ name: 'one', handler: () => 'second' }] })
    await again.listen({ host: '127.0.0.1', port })
    await drop(t, connected, () => {})
    await until(() => heard.length > 0, 'the lists')

    t.match(await client.callTool({ name: 'one' }), { content: [{ text: 'second' }] })
    // It was asked where it belongs, at an address that is gone.
    t.ok(faultsOf(t).every(({ message }) => message.includes('HTTP 404')))
    faultsOf(t).length = 0
  },
)
