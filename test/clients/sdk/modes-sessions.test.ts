// What a session gives a client, and how the newest revision does without.
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import t, { type Test } from 'tap'
import { defineResource, defineTool } from '../../../src/index.ts'
import { build } from '../../support/app.ts'
import { until } from '../../support/clients/connect.ts'
import { connectMode, type Mode } from '../../support/clients/connect-mode.ts'
import { gated } from '../../support/clients/gate.ts'
import { proxyTo, type TcpProxy } from '../../support/clients/proxy.ts'
import { freePort } from '../../support/free-port.ts'

// They mostly wait.
t.jobs = 4

const chatty = defineTool({
  name: 'chatty',
  handler(_args, ctx) {
    ctx.log.info('fine detail')
    ctx.log.error('broken')
    return 'done'
  },
})
const note = defineResource({ uri: 'notes://1', name: 'note', handler: () => '' })

/** A call under way, whose connection can be cut. */
async function calling(t: Test, mode: Mode) {
  const { tool, runs, release, aborted } = gated()
  const steps: number[] = []
  let proxy: TcpProxy | undefined
  const via = async (port: number) => (proxy = await proxyTo(t, port)).url
  const { client, http } = await connectMode(t, { tools: [tool] }, { mode, via })
  client.onerror = () => {}
  const call = client.callTool({ name: 'wait' }, { onprogress: step => steps.push(step.progress) })
  call.catch(() => {})
  await until(() => steps.length === 1, 'the first step')
  return { call, steps, runs, http, aborted, release, proxy: proxy! }
}

t.test('client 2.x, legacy: a call whose connection is cut goes on, and its client gets the rest', async t => {
  const { call, steps, runs, http, release, proxy } = await calling(t, 'legacy')

  proxy.cut()
  release()

  t.match(await call, { content: [{ text: 'done' }] })
  t.strictSame(steps, [1, 2])
  t.equal(runs.length, 1)
  t.ok(http.of('GET').some(({ headers }) => headers.has('last-event-id')))
})

t.test('client 2.x, legacy: with STATE_SECRET it goes on with a server that was started anew', async t => {
  const options = { tools: [chatty], stateSecret: 'a secret of the state, and long enough' }
  const { app, client, http, port } = await connectMode(t, { ...options, port: await freePort() }, { mode: 'legacy' })
  client.onerror = () => {}
  await client.callTool({ name: 'chatty' })
  await app.close()
  const fresh = await build(t, options)
  await fresh.listen({ host: '127.0.0.1', port })

  t.match(await client.callTool({ name: 'chatty' }), { content: [{ text: 'done' }] })
  t.equal(http.of('initialize').length, 1)
})

// The client itself waits on, until its own timeout.
t.test('client 2.x, auto: a call whose connection is cut has ended for the tool', async t => {
  const { aborted, proxy } = await calling(t, 'auto')

  proxy.cut()

  t.match(await aborted, { name: 'AbortError', message: 'The client left' })
})

t.test('client 2.x, legacy: the level of the log is set for the session', async t => {
  const heard: unknown[] = []
  const { client } = await connectMode(
    t,
    { tools: [chatty] },
    {
      mode: 'legacy',
      prepare: client =>
        client.setNotificationHandler('notifications/message', ({ params }) => void heard.push(params.data)),
    },
  )
  await client.setLoggingLevel('error')

  await client.callTool({ name: 'chatty' })

  t.strictSame(heard, ['broken'])
})

t.test('client 2.x, legacy: it hears of a resource that it watches', async t => {
  const heard: string[] = []
  const { app, client } = await connectMode(
    t,
    { resources: [note] },
    {
      mode: 'legacy',
      prepare: client =>
        client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri)),
    },
  )
  await client.subscribeResource({ uri: 'notes://1' })

  app.toolrack.resourceUpdated('notes://1')
  await until(() => heard.length > 0, 'the update')

  t.strictSame(heard, ['notes://1'])
})

t.test('client 2.x, legacy: ping', async t => {
  const { client } = await connectMode(t, { tools: [chatty] }, { mode: 'legacy' })

  t.strictSame(await client.ping(), {})
})

t.test('client 2.x, legacy: it ends its session', async t => {
  const { client, transport, http } = await connectMode(t, { tools: [chatty] }, { mode: 'legacy' })
  if (!(transport instanceof StreamableHTTPClientTransport)) throw new Error('another transport')
  client.onerror = () => {}

  await transport.terminateSession()

  t.equal(http.of('DELETE')[0]?.status, 204)
  t.equal(transport.sessionId, undefined)
})

t.test('client 2.x, auto: it has no session', async t => {
  const { client, transport, http } = await connectMode(t, { tools: [chatty] }, { mode: 'auto' })

  await client.callTool({ name: 'chatty' })

  t.equal((transport as StreamableHTTPClientTransport).sessionId, undefined)
  t.notOk(http.sent.some(({ verb, headers }) => verb !== 'POST' || headers.has('mcp-session-id')))
})
