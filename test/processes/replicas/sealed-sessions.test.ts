// Replicas without Redis that have one STATE_SECRET, and a server that is killed and started again:
// sessions go on.
import t, { type Test } from 'tap'
import type { Place } from '../../support/client/transport.ts'
import { freePort } from '../../support/free-port.ts'
import { openAt, textOf } from '../../support/replicas/session.ts'
import { type Process, serve } from '../../support/servers/own-process.ts'

const TOOLS = {
  'shop.mjs': `export default {
  name: 'get_price',
  description: 'Looks up the price of a product.',
  inputSchema: { type: 'object', properties: { sku: { type: 'string' } } },
  handler: ({ sku }, { progress }) => {
    progress(1)
    return sku + ' costs 42'
  },
}`,
}
const STATE_SECRET = 'a secret of the state, and long enough'

const replica = (t: Test, environment: Record<string, string> = {}): Promise<Process> =>
  serve(t, TOOLS, { STATE_SECRET, DRAIN_MS: '0', ...environment })

t.test('calls of a session are answered by whichever replica they reach', async t => {
  const [one, two] = await Promise.all([replica(t), replica(t)])
  const session = await openAt(t, one)

  for (const at of [two, one, two, one]) {
    t.match((await session.at(at).call('tools/list')).result, { tools: [{ name: 'get_price' }, { name: 'probe' }] })
    t.equal(await textOf(session.at(at).postTool('get_price', { sku: 'A' })), 'A costs 42')
    const notified = await session.at(at).post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    t.equal(notified.status, 202)
  }
})

t.test('progress comes from the replica that runs the call', async t => {
  const [one, two] = await Promise.all([replica(t), replica(t)])
  const session = await openAt(t, one)

  const stream = await session.at(two).postTool('get_price', { sku: 'A' }, { _meta: { progressToken: 'p' } })
  await stream.ended

  t.match(stream.messages, [{ method: 'notifications/progress' }, { result: {} }])
})

t.test('a session that ends at one replica is empty, not gone, at the other', async t => {
  const [one, two] = await Promise.all([replica(t), replica(t)])
  const session = await openAt(t, one)
  await session.at(two).call('ping')

  await end(two, session.id)

  t.match((await session.at(two).call('ping')).error, { code: 40400 })
  t.strictSame((await session.at(one).call('ping')).result, {})
})

t.test('a replica with another secret does not know the session', async t => {
  const [one, other] = await Promise.all([
    replica(t),
    replica(t, { STATE_SECRET: 'another secret of the state, and long' }),
  ])
  const session = await openAt(t, one)

  t.match((await session.at(other).call('ping')).error, { code: 40400 })
})

t.test(
  'a server that is killed and started again goes on with its sessions, and serves those who dropped theirs',
  async t => {
    const PORT = String(await freePort())
    const first = await replica(t, { PORT })
    const session = await openAt(t, first)
    await session.at(first).call('tools/list')
    first.child.kill('SIGKILL')
    await first.exited

    const next = await replica(t, { PORT })

    t.equal(await textOf(session.at(next).postTool('get_price', { sku: 'A' })), 'A costs 42')
    const dropped = await fetch(next.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(session.request('tools/call', { name: 'get_price', arguments: { sku: 'B' } })),
    })
    t.match(await dropped.json(), { result: { content: [{ text: 'B costs 42' }] } })
  },
)

async function end({ url }: Place, id: string): Promise<void> {
  const { status } = await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': id } })
  if (status !== 204) throw new Error(`not ended: ${status}`)
}
