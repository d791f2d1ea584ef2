// HTTP+SSE: who comes back to a session, and who does not. Spec 2024-11-05: basic/transports, "HTTP with SSE".
import t, { type Test } from 'tap'
import type { ServerOptions } from '../../../../src/index.ts'
import { listening } from '../../../../test/support/app.ts'
import { signed } from '../../../../test/support/auth/tokens.ts'
import { initializing } from '../../../../test/support/client/client.ts'
import type { TestReply } from '../../../../test/support/client/reply.ts'
import { socket } from '../../../../test/support/client/transport.ts'
import { giveUpAtOnce } from '../../../../test/support/legacy/give-up.ts'
import { connect, type OldClient } from '../../../../test/support/legacy/http-sse-client.ts'
import { gatedTool, stuckTool, tool } from '../../../../test/support/steered-tools.ts'

const echo = tool('echo', (_ctx, { text }) => `${text}`)
const JWT_SECRET = 'a secret of 32 bytes, or some more'
const AUDIENCE = 'https://tools.example/mcp'
const bearer = (sub: string) => ({ authorization: `Bearer ${signed(JWT_SECRET, { aud: AUDIENCE, sub })}` })
const [ALICE, BOB] = [bearer('alice'), bearer('bob')]
const RETURNING = { 'mcp-protocol-version': '2025-11-25', 'cache-control': 'no-cache' }

async function begun(t: Test, options: ServerOptions = {}, over: Record<string, string> = {}) {
  const { app, url } = await listening(t, { httpSse: true, tools: [echo], ...options })
  const client = await connect(t, url, { revision: '2025-11-25', over })
  await client.ask('initialize', initializing().params)
  await client.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  return { app, url, client }
}

const lastId = ({ stream }: OldClient) => stream.events.at(-1)!.id!

const comeBack = (t: Test, url: string, headers: Record<string, string>): Promise<TestReply> =>
  socket(url, t).stream({ path: '/sse', headers })

const call = (client: OldClient, id: string, name: string, args: object = {}) =>
  client.post({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })

t.test('every event has an id, and a client that names the last is told what it missed, and nothing twice', async t => {
  const { gated, started, open } = gatedTool()
  const { url, client } = await begun(t, { tools: [echo, gated] })
  await client.ask('tools/call', { name: 'echo', arguments: { text: 'before' } })
  await call(client, 'slow', 'slow')
  await started
  t.ok(client.stream.events.every(({ id }) => /^[\w-]{32}\.\d+$/.test(id!)))
  client.stream.close()
  await client.stream.ended
  open()
  await call(client, 'away', 'echo', { text: 'away' })

  const back = await comeBack(t, url, { 'last-event-id': lastId(client) })
  const { event, data } = await back.event(0)
  await back.next(1)

  t.strictSame([event, data], ['endpoint', client.address.pathname + client.address.search])
  t.strictSame(back.messages.map(({ id }) => id).sort(), ['away', 'slow'])
  await call(client, 'after', 'echo', { text: 'after' })
  t.match(await back.next(2), { id: 'after', result: { content: [{ text: 'after' }] } })
})

t.test('two streams with one id at once: the later goes on, the earlier ends', async t => {
  const { url, client } = await begun(t)
  const left = { 'last-event-id': lastId(client) }

  const [one, two] = await Promise.all([comeBack(t, url, left), comeBack(t, url, left)])
  await Promise.race([one.ended, two.ended])
  await client.stream.ended
  const open = one.hasEnded ? two : one
  await call(client, 'after', 'echo', { text: 'after' })

  t.match(await open.next(0), { id: 'after' })
  t.equal([one, two].filter(({ hasEnded }) => hasEnded).length, 1)
})

t.test('the id of another is worth nothing: its session, its news and its answers stay where they are', async t => {
  const { gated, started, open } = gatedTool()
  const { url, client } = await begun(t, { tools: [gated], jwt: { secret: JWT_SECRET, audience: AUDIENCE } }, ALICE)
  await call(client, 'slow', 'slow')
  await started

  const thief = await comeBack(t, url, { ...BOB, 'last-event-id': lastId(client) })
  const { data } = await thief.event(0)
  open()
  await client.stream.until(() => client.answerTo('slow') !== undefined, 'the answer')

  t.not(data, client.address.pathname + client.address.search)
  t.notOk(client.stream.hasEnded)
  t.notMatch(JSON.stringify(thief.messages), /done/)
})

t.test('who does not say where it was is asked, and goes on by an answer from its old address', async t => {
  const { url, client } = await begun(t)
  client.stream.close()

  const back = await comeBack(t, url, RETURNING)
  const ping = await back.next(0)
  t.match(ping, { method: 'ping' })
  t.equal((await client.post({ jsonrpc: '2.0', id: ping.id, result: {} })).status, 202)
  await back.event(1)

  t.match(back.events[1], { event: 'endpoint', data: client.address.pathname + client.address.search })
  await call(client, 'after', 'echo', { text: 'after' })
  await back.until(() => back.messages.some(({ id }) => id === 'after'), 'the answer')
})

t.test('only the one that was asked can answer, once', async t => {
  const { url, client } = await begun(t, { jwt: { secret: JWT_SECRET, audience: AUDIENCE } }, ALICE)
  const back = await comeBack(t, url, { ...ALICE, ...RETURNING })
  const { id } = await back.next(0)
  const pong = { jsonrpc: '2.0', id, result: {} }

  t.equal((await client.post({ ...pong, id: `${id}`.replace(/.$/, end => (end === 'A' ? 'B' : 'A')) })).status, 404)
  t.equal((await client.post(pong, BOB)).status, 404)
  t.equal((await client.post(pong)).status, 202)
  t.equal((await client.post(pong)).status, 404)
})

t.test('a client that answers no ping is named an address of its own, and may call, or begin anew', async t => {
  const { url } = await listening(t, { httpSse: true, tools: [echo] })
  giveUpAtOnce(t)
  const back = await comeBack(t, url, RETURNING)
  const { data } = await back.event(1)
  const post = (message: object) =>
    fetch(new URL(data, url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
  const answered = (id: string) => back.until(() => back.messages.some(each => each.id === id), id)
  const params = { name: 'echo', arguments: { text: 'hi' } }

  await post({ id: 'a', method: 'tools/call', params })
  await answered('a')
  await post({ ...initializing(), id: 'b' })
  await answered('b')
  await post({ ...initializing(), id: 'c' })
  await answered('c')
  await post({ id: 'd', method: 'tools/call', params })
  await answered('d')

  const of = (id: string) => back.messages.find(message => message.id === id)
  t.match(of('a'), { result: { content: [{ text: 'hi' }] } })
  t.match(of('b'), { result: { protocolVersion: '2025-11-25' } })
  t.match(of('c'), { error: { message: /begun already/ } })
  t.match(of('d'), { result: { content: [{ text: 'hi' }] } })
})

const BEGINNING: Record<string, Record<string, string>> = {
  'names a version, and is no EventSource': { 'mcp-protocol-version': '2025-11-25' },
  'is an EventSource, and names no version': { 'cache-control': 'no-cache' },
  'names a version without sessions': { ...RETURNING, 'mcp-protocol-version': '2026-07-28' },
  'names an event that is none of ours': { 'last-event-id': '1' },
}

for (const [what, headers] of Object.entries(BEGINNING)) {
  t.test(`a client that ${what} is not asked: it begins`, async t => {
    const { url } = await listening(t, { httpSse: true })

    const stream = await comeBack(t, url, headers)

    t.equal((await stream.event(0)).event, 'endpoint')
  })
}

t.test('a client that comes back late finds its session, but not what it had under way', async t => {
  const { stuck, started, aborted } = stuckTool()
  const { app, url, client } = await begun(t, { tools: [stuck] })
  const able = tool('able', ({ capabilities }) => JSON.stringify(Object.keys(capabilities).sort()))
  app.toolrack.add(able)
  await call(client, 'stuck', 'stuck')
  await started
  const left = { 'last-event-id': lastId(client) }
  giveUpAtOnce(t)
  client.stream.close()
  await aborted

  const back = await comeBack(t, url, left)
  await back.event(0)
  await call(client, 'able', 'able')
  await back.until(() => back.messages.some(({ id }) => id === 'able'), 'the answer')

  t.match(back.messages.find(({ id }) => id === 'able')!.result.content, [
    { text: '["elicitation","roots","sampling"]' },
  ])
})
