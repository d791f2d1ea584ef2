// What a JSON-RPC message may hold beside its members, in every revision and by every door. The schemas of the
// specification forbid no further members.
import t from 'tap'
import { readMessage } from '../../../src/protocol/messages.ts'
import { build, listening, request } from '../../support/app.ts'
import { inject } from '../../support/client/transport.ts'
import { connect } from '../../support/legacy/http-sse-client.ts'
import { recorder } from '../../support/security/probe.ts'
import { BATCHES, callOf, inSession, OLDER } from '../../support/security/sessions.ts'

const INVALID_REQUEST = { name: 'McpError', code: -32600, status: 400 }
const MORE = { trace: 'x', 'vendor/time': 7, meta: { a: 1 }, '': null, hasOwnProperty: 1, extensions: [] }

t.test('members that nobody knows are ignored, in requests, notifications and responses', async t => {
  const [asked, noted] = [
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/x' },
  ]
  const answered = { jsonrpc: '2.0', id: 'q', result: { a: 1 } }

  t.strictSame(readMessage({ ...asked, ...MORE }), readMessage(asked))
  t.strictSame(readMessage({ ...MORE, ...noted }), readMessage(noted))
  t.strictSame(readMessage({ ...answered, ...MORE }), readMessage(answered))
})

t.test('a member that differs from one of JSON-RPC by its case only is refused', async t => {
  const asked = { jsonrpc: '2.0', id: 1, method: 'ping' }

  for (const name of ['Method', 'METHOD', 'Params', 'ID', 'JsonRpc', 'Result', 'eRROR', 're\u017fult'])
    t.throws(() => readMessage({ ...asked, [name]: 'x' }), { ...INVALID_REQUEST, message: /exact member names/ }, name)
})

t.test('what would be a request and a response is refused, whatever is beside it', async t => {
  const asked = { jsonrpc: '2.0', id: 1, method: 'ping' }

  for (const more of [{ result: {} }, { error: {} }, { result: null }, { result: {}, error: {} }])
    t.throws(() => readMessage({ ...asked, ...MORE, ...more }), INVALID_REQUEST, JSON.stringify(more))
  t.throws(() => readMessage({ jsonrpc: '2.0', id: 1, result: {}, error: {} }), INVALID_REQUEST)
})

t.test('a modern request is served with members that nobody knows', async t => {
  const { tool, received } = recorder()
  const app = await build(t, { tools: [tool] })
  const { message, headers } = request('tools/call', { name: 'echo', arguments: { message: 'x' } }, { id: 'm' })

  const reply = await app.inject({ method: 'POST', url: '/mcp', headers, payload: { ...MORE, ...message } })

  t.match(reply.json(), { id: 'm', result: { content: [{ text: 'x' }] } })
  t.same(received, ['x'])
})

for (const revision of OLDER) {
  t.test(`a session of ${revision} takes messages with members that nobody knows`, async t => {
    const { app, session, received } = await inSession(t, revision)

    t.match(await inject(app).send({ session, body: { ...MORE, ...callOf('echo', { message: 'x' }) } }), {
      message: { id: 1 },
    })
    const noted = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 }, ...MORE }
    t.equal((await inject(app).send({ session, body: noted })).status, 202)
    t.same(received, ['x'])
  })
}

t.test('so does each message of a batch', async t => {
  const { app, session, received } = await inSession(t, BATCHES)

  await inject(app).send({ session, body: [1, 2].map(id => ({ ...callOf('echo', { message: id }, id), ...MORE })) })

  t.same(received, [1, 2])
})

t.test('so does HTTP+SSE', async t => {
  const { url } = await listening(t, { httpSse: true })
  const client = await connect(t, url)
  const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'c', version: '1' } }

  const { status } = await client.post({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params, ...MORE })

  t.equal(status, 202)
  await client.stream.until(() => client.answerTo('hello') !== undefined, 'the handshake is answered')
})
