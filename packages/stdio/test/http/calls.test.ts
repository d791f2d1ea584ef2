// Calls on stdin and stdout, in each revision.
import t from 'tap'
import { defineTool, Type } from '../../../../src/index.ts'
import { connectPeer } from '../../../../test/support/doors/stdio-peer.ts'
import { settled } from '../../../../test/support/eventually.ts'
import { LEGACY_VERSIONS } from '../../../../test/support/wire/legacy.ts'

const add = defineTool({
  name: 'add',
  inputSchema: Type.Object({ a: Type.Number(), b: Type.Number() }),
  handler: ({ a, b }) => `${a + b}`,
})
const sum = { name: 'add', arguments: { a: 1, b: 2 } }

const slow = defineTool({
  name: 'slow',
  async handler(_args, ctx) {
    ctx.progress(1, 2)
    ctx.log.warning('half of it')
    return 'done'
  },
})

for (const revision of LEGACY_VERSIONS) {
  t.test(`${revision}: a session begins by its handshake, and calls follow`, async t => {
    const peer = await connectPeer(t, { tools: [add] })

    t.match(await peer.open(revision), { result: { protocolVersion: revision, capabilities: { tools: {} } } })
    t.match(await peer.send('tools/list'), { result: { tools: [{ name: 'add' }] } })
    t.match(JSON.stringify(await peer.send('tools/call', sum)), '3')
    t.match(await peer.send('ping'), { result: {} })
    t.match(await peer.send('nothing'), { error: { code: -32601 } })
    t.equal(peer.got.length, 5, 'nothing else was written')
  })
}

t.test('2026-07-28: a request brings its own metadata, and no handshake', async t => {
  const peer = await connectPeer(t, { tools: [add] })

  t.match(await peer.ask('server/discover'), { result: { supportedVersions: ['2026-07-28', ...LEGACY_VERSIONS] } })
  t.match(await peer.ask('tools/call', sum), { result: { content: [{ text: '3' }], resultType: 'complete' } })
  t.match(await peer.ask('tools/call', { name: 'nothing' }), { error: { code: -32602 } })
  t.match(
    peer.app.audit.lines.find(({ tool }) => tool === 'add'),
    { door: 'stdio', outcome: 'ok', address: /^stdio \S+ \d+$/ },
  )
})

t.test('a client that probes falls back, or stays', async t => {
  const peer = await connectPeer(t, { tools: [add] })
  const META = 'io.modelcontextprotocol/'

  const unknown = await peer.ask('server/discover', {}, { meta: { [`${META}protocolVersion`]: '2030-01-01' } })
  t.match(unknown, { error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2030-01-01' } } })
  t.match(await peer.send('tools/list'), { error: { code: -32602, message: /older revisions begin with initialize/ } })
  t.match(await peer.send('ping'), { result: {} }, 'a client may ping before it begins')
  t.match(await peer.open('2025-06-18'), { result: { protocolVersion: '2025-06-18' } })
  t.match(await peer.send('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {} }), {
    error: { code: -32600, message: /has begun already/ },
  })
  t.match(await peer.ask('tools/call', sum), { result: { resultType: 'complete' } }, 'both eras at once')
})

t.test('messages before the handshake is answered wait for it', async t => {
  const peer = await connectPeer(t, { tools: [add] })
  const opening = peer.open('2025-11-25')
  const call = peer.send('tools/call', sum)

  t.match(await opening, { result: {} })
  t.match(await call, { result: { content: [{ text: '3' }] } })
})

t.test('progress and log entries come before the answer, in both eras', async t => {
  const peer = await connectPeer(t, { tools: [slow] })
  const META = 'io.modelcontextprotocol/'
  await peer.ask('tools/call', { name: 'slow' }, { meta: { progressToken: 7, [`${META}logLevel`]: 'info' } })
  t.match(
    peer.got.map(({ method }) => method),
    ['notifications/progress', 'notifications/message', undefined],
  )

  peer.got.length = 0
  await peer.open('2025-11-25')
  await peer.send('logging/setLevel', { level: 'warning' })
  peer.got.length = 0
  await peer.send('tools/call', { name: 'slow', _meta: { progressToken: 8 } })
  t.match(peer.got.slice(0, 2), [
    { method: 'notifications/progress', params: { progressToken: 8, progress: 1, total: 2 } },
    { method: 'notifications/message', params: { level: 'warning', data: 'half of it' } },
  ])
})

t.test('2025-03-26 takes batches, and answers them as one', async t => {
  const peer = await connectPeer(t, { tools: [add] })
  await peer.open('2025-03-26')
  peer.write([
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: sum },
    { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
    { jsonrpc: '2.0', id: 2, method: 'nothing' },
  ])
  await peer.next(message => Array.isArray(message))
  t.match(peer.got.at(-1), [
    { id: 1, result: { content: [{ text: '3' }] } },
    { id: 2, error: { code: -32601 } },
  ])
  peer.write([])
  t.match(await peer.next(({ error }) => error?.code === -32600), { id: null, error: { message: /batch is empty/ } })
})

t.test('other revisions take no batch', async t => {
  const peer = await connectPeer(t, { tools: [add] })
  peer.write([{ jsonrpc: '2.0', id: 1, method: 'ping' }])
  t.match(await peer.next(({ error }) => error !== undefined), { error: { code: -32600 } })
  await peer.open('2025-06-18')
  peer.write([{ jsonrpc: '2.0', id: 1, method: 'ping' }])
  t.match(await peer.next(({ id, error }) => id === null && error !== undefined), { error: { message: /not a batch/ } })
})

t.test('lists that change are announced, in a session and to a subscription', async t => {
  const peer = await connectPeer(t, { tools: [add] })
  await peer.open('2025-11-25')
  const listen = { notifications: { toolsListChanged: true } }
  peer.begin('subscriptions/listen', listen, { id: 'sub' })
  await peer.nextOf('notifications/subscriptions/acknowledged')

  peer.app.toolrack.add(slow)

  const changed = () => peer.got.filter(({ method }) => method === 'notifications/tools/list_changed')
  await peer.next(() => changed().length === 2)
  t.strictSame(
    new Set(changed().map(({ params }) => params?._meta?.['io.modelcontextprotocol/subscriptionId'])),
    new Set([undefined, 'sub']),
  )

  peer.notify('notifications/cancelled', { requestId: 'sub' })
  await peer.send('ping')
  peer.app.toolrack.remove('slow')
  await peer.next(() => changed().length === 3)
  await settled()
  t.notOk(
    peer.got.some(({ id }) => id === 'sub'),
    'a subscription that is cancelled gets nothing more',
  )
  t.equal(changed().length, 3)
})

t.test('a subscription ends with an answer as the server closes', async t => {
  const peer = await connectPeer(t, { tools: [add] })
  peer.begin('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id: 'sub' })
  await peer.nextOf('notifications/subscriptions/acknowledged')

  await peer.app.close()

  t.match(peer.got.slice(1), [
    { id: 'sub', result: { resultType: 'complete' } },
    { method: 'notifications/cancelled', params: { requestId: 'sub' } },
  ])
})
