import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import t, { type Test } from 'tap'
import { defineTool, Type } from '../../../src/index.ts'
import { build } from '../../support/app.ts'
import { until } from '../../support/clients/connect.ts'
import { type Connected, connectSdk1, serveSdk1, TRANSPORTS } from '../../support/clients/connect-sdk1.ts'
import { faultsOf } from '../../support/clients/faults.ts'
import { gated } from '../../support/clients/gate.ts'
import { freePort } from '../../support/free-port.ts'

const echo = defineTool({
  name: 'echo',
  inputSchema: Type.Object({ message: Type.String() }),
  handler: ({ message }) => message,
})
const asks = defineTool({
  name: 'asks',
  async handler(_args, ctx) {
    const requestedSchema = { type: 'object' as const, properties: { word: { type: 'string' as const } } }
    const { content } = await ctx.elicit('word', { message: 'The word?', requestedSchema })
    return String(content?.['word'])
  },
})
const call = { name: 'echo', arguments: { message: 'hello' } }

/** Closes a client whose session is gone; that it takes this for a fault is none of the test's. */
async function forsake(t: Test, { client }: Connected): Promise<void> {
  client.onerror = () => {}
  await client.close()
  faultsOf(t).length = 0
}

const sessionOf = ({ transport }: Connected) => (transport as StreamableHTTPClientTransport).sessionId!

const ending = async (url: string, session: string) =>
  (await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': session } })).status

t.test('sessions.mode: one that its client terminates is gone, with what it had under way', async t => {
  const { tool, started, aborted } = gated('quiet')
  const connected = await serveSdk1(t, { tools: [tool] })
  const { client, transport, http, url } = connected
  const session = sessionOf(connected)
  client.callTool({ name: 'wait' }).catch(() => {})
  await started

  await (transport as StreamableHTTPClientTransport).terminateSession()

  t.equal(http.of('DELETE')[0]?.status, 204)
  t.match(await aborted, { name: 'AbortError' })
  t.equal(await ending(url, session), 404)
  await forsake(t, connected)
})

t.test('sessions.mode: a client whose session has ended sees 404, and begins a new one', async t => {
  const connected = await serveSdk1(t, { tools: [echo] })
  const { client, url } = connected
  t.equal(await ending(url, sessionOf(connected)), 204)

  await t.rejects(client.callTool(call), { code: 404, message: /Session not found/ })

  await forsake(t, connected)
  const again = await connectSdk1(t, url)
  t.match(await again.client.callTool(call), { content: [{ text: 'hello' }] })
  t.not(sessionOf(again), sessionOf(connected))
})

t.test('sessions.mode: a client of a server that was started anew sees 404, and begins a new one', async t => {
  // One that no other test is given between the two servers.
  const connected = await serveSdk1(t, { tools: [echo], port: await freePort() })
  const { app, client, url, port } = connected
  client.onerror = () => {}
  await app.close()
  const fresh = await build(t, { tools: [echo] })
  await fresh.listen({ host: '127.0.0.1', port })

  await t.rejects(client.callTool(call), { code: 404 })

  await forsake(t, connected)
  const again = await connectSdk1(t, url)
  t.match(await again.client.callTool(call), { content: [{ text: 'hello' }] })
})

t.test('sessions.mode: with STATE_SECRET a client goes on with a server that was started anew', async t => {
  const options = { tools: [echo, asks], stateSecret: 'a secret of the state, and long enough' }
  const connected = await serveSdk1(
    t,
    { ...options, port: await freePort() },
    {
      capabilities: { elicitation: {} },
      prepare: client =>
        client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: { word: 'yes' } })),
    },
  )
  const { app, client, http, port } = connected
  client.onerror = () => {}
  await client.callTool(call)
  await app.close()
  const fresh = await build(t, options)
  await fresh.listen({ host: '127.0.0.1', port })

  t.match(await client.callTool(call), { content: [{ text: 'hello' }] })
  t.match(await client.callTool({ name: 'asks', arguments: {} }), { content: [{ text: 'yes' }] })
  t.match(await client.listTools(), { tools: [{ name: 'asks' }, { name: 'echo' }] })
  t.equal(http.of('initialize').length, 1, 'it has not begun anew')
  await forsake(t, connected)
})

t.test('sessions.mode: a transport that is given the id of a session goes on with it', async t => {
  const connected = await serveSdk1(t, { tools: [echo] })
  await forsake(t, connected)

  const again = await connectSdk1(t, connected.url, { sessionId: sessionOf(connected) })

  t.match(await again.client.callTool(call), { content: [{ text: 'hello' }] })
  t.equal(again.http.of('initialize').length, 0)
})

for (const over of TRANSPORTS) {
  t.test(`sessions over ${over}: two clients that use the same ids get their own answers`, async t => {
    const { client: first, http, url } = await serveSdk1(t, { tools: [echo] }, { over })
    const { client: second, http: other } = await connectSdk1(t, url, { over })
    const say = (client: typeof first, message: string) => client.callTool({ name: 'echo', arguments: { message } })

    const [ofFirst, ofSecond] = await Promise.all([
      Promise.all(['a', 'b', 'c'].map(message => say(first, message))),
      Promise.all(['x', 'y', 'z'].map(message => say(second, message))),
    ])

    t.match(
      [...ofFirst, ...ofSecond],
      ['a', 'b', 'c', 'x', 'y', 'z'].map(text => ({ content: [{ text }] })),
    )
    const idsOf = ({ of }: typeof http) => of('tools/call').map(({ message }) => message.id)
    t.strictSame(idsOf(http), idsOf(other))
  })

  t.test(`sessions over ${over}: two clients that call at once are asked for their own`, async t => {
    const arrived: string[] = []
    const greet = defineTool({
      name: 'greet',
      async handler(_args, ctx) {
        const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' } } }
        const { content } = await ctx.elicit('name', { message: 'Your name?', requestedSchema })
        return `Hello ${content?.['name']}`
      },
    })
    // Both are asked before either answers.
    const options = (name: string) => ({
      over,
      capabilities: { elicitation: {} },
      prepare: (client: Connected['client']) =>
        client.setRequestHandler(ElicitRequestSchema, async () => {
          arrived.push(name)
          await until(() => arrived.length === 2, 'the other question')
          return { action: 'accept', content: { name } }
        }),
    })
    const { client: first, url } = await serveSdk1(t, { tools: [greet] }, options('Ada'))
    const { client: second } = await connectSdk1(t, url, options('Grace'))

    const results = await Promise.all([first.callTool({ name: 'greet' }), second.callTool({ name: 'greet' })])

    t.match(results, [{ content: [{ text: 'Hello Ada' }] }, { content: [{ text: 'Hello Grace' }] }])
  })

  t.test(`sessions over ${over}: progress goes to the client that asked for it, whatever its token`, async t => {
    const { tool, runs, release } = gated('quiet')
    const report = defineTool({
      name: 'wait',
      handler(args, ctx) {
        ctx.progress(runs.length + 1)
        return tool.handler(args, ctx)
      },
    })
    const steps: Record<string, number[]> = { first: [], second: [] }
    const { client: first, url } = await serveSdk1(t, { tools: [report] }, { over })
    const { client: second } = await connectSdk1(t, url, { over })
    const wait = (client: typeof first, name: string) =>
      client.callTool({ name: 'wait' }, undefined, { onprogress: ({ progress }) => steps[name]!.push(progress) })

    const calls = [wait(first, 'first')]
    await until(() => steps['first']!.length > 0, 'a step of the first')
    calls.push(wait(second, 'second'))
    await until(() => steps['second']!.length > 0, 'a step of the second')
    release()
    await Promise.all(calls)

    t.equal(runs[0], runs[1])
    t.strictSame(steps, { first: [1], second: [2] })
  })
}
