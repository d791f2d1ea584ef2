// HTTP+SSE, whose sessions live in one process, where there are two. Spec 2024-11-05: basic/transports.
import t, { type Test } from 'tap'
import { signed } from '../../support/auth/tokens.ts'
import { initializing, nextId } from '../../support/client/client.ts'
import type { Place } from '../../support/client/transport.ts'
import { socket } from '../../support/client/transport.ts'
import { connect, OldClient } from '../../support/legacy/http-sse-client.ts'
import { pair, said, untilServed } from '../../support/replicas/pair.ts'
import { ask } from '../../support/replicas/stateless.ts'
import { NO_REDIS } from '../../support/servers/redis-server.ts'

const JWT_SECRET = 'a secret of the tests, and long enough'
const JWT_AUDIENCE = 'https://tools.example/mcp'
const bearer = (sub: string) => ({ authorization: `Bearer ${signed(JWT_SECRET, { aud: JWT_AUDIENCE, sub })}` })
const [alice, bob] = [bearer('alice'), bearer('bob')]
const PING = { jsonrpc: '2.0', id: 'ping', method: 'ping' }

/** @returns the status */
const post = async (client: OldClient, at: Place, message: object, headers = {}) =>
  (await untilServed(() => client.post(message, headers, at.url))).status

async function call(client: OldClient, at: Place, name: string, args: object = {}) {
  const request = { jsonrpc: '2.0', id: nextId(), method: 'tools/call' }
  const status = await post(client, at, { ...request, params: { name, arguments: args } })
  if (status !== 202) throw new Error(`${name}: ${status}`)
  await client.stream.until(() => client.answerTo(request.id) !== undefined, `the answer of ${name}`)
  return client.answerTo(request.id)!
}

/** A client whose session is at this replica. */
async function begun(t: Test, at: Place): Promise<OldClient> {
  const client = await connect(t, at.url, { over: alice })
  const { params } = initializing({ revision: '2024-11-05' })
  await post(client, at, { jsonrpc: '2.0', id: 'begin', method: 'initialize', params })
  await client.stream.until(() => client.answerTo('begin') !== undefined, 'the handshake')
  await post(client, at, { jsonrpc: '2.0', method: 'notifications/initialized' })
  return client
}

/** Calls a tool that asks its client, and answers. @returns what the tool made of the answer */
async function isAsked(client: OldClient, at: Place): Promise<string> {
  const before = client.stream.messages.length
  const joking = call(client, at, 'joke')
  const findQuestion = () => client.stream.messages.slice(before).find(({ method }) => /^sampling/.test(method ?? ''))
  await client.stream.until(() => findQuestion() !== undefined, 'the question')
  const { id } = findQuestion()!
  const content = { type: 'text', text: 'Knock knock' }
  await post(client, at, { jsonrpc: '2.0', id, result: { role: 'assistant', content, model: 'm' } })
  return (await joking).result.content[0].text
}

/**
 * A client that goes on with its session at a replica. Like EventSource it comes back once more if its stream ends first,
 * as it does on a machine where Redis has not answered in time.
 *
 * @param greet called with each stream that it opens
 */
async function comeBack(
  t: Test,
  at: Place,
  { headers, greet = async () => {} }: { headers: object; greet?: (client: OldClient) => Promise<void> },
): Promise<OldClient> {
  for (let tries = 1; ; tries++) {
    const stream = await socket(at.url, t).stream({ path: '/sse', headers: { ...alice, ...headers } })
    const client = new OldClient(stream, new URL(at.url), alice)
    const endpoint = () => stream.events.find(({ event }) => event === 'endpoint')
    try {
      await greet(client)
      await stream.until(() => endpoint() !== undefined, 'its address')
      client.address.href = new URL(endpoint()!.data, at.url).href
      return client
    } catch (error) {
      if (tries === 20) throw error
      stream.close()
    }
  }
}

t.test('HTTP+SSE: two replicas', { skip: NO_REDIS }, async t => {
  const { one, two, redis } = await pair(t, { HTTP_SSE: 'true', JWT_SECRET, JWT_AUDIENCE })

  t.test('at the replica of its stream a client calls and is asked', async t => {
    const client = await begun(t, one)
    t.equal((await call(client, one, 'where')).result.content[0].text, String(one.port))

    t.equal(await isAsked(client, one), 'Knock knock')
  })

  t.test('a change of a list at the other replica reaches its stream', async t => {
    const client = await begun(t, one)
    await ask(two, 'tools/call', { name: 'add_tool', arguments: { name: 'at_the_other' } }, { headers: alice })

    const isListChange = ({ method }: { method?: string }) => method === 'notifications/tools/list_changed'
    await client.stream.until(() => client.stream.messages.some(isListChange), 'the change')
  })

  t.test('at the other replica a message is 404, which says that replicas need a sticky proxy', async t => {
    const client = await begun(t, one)
    const before = client.stream.messages.length

    const reply = await untilServed(() => client.post(PING, {}, two.url))
    t.equal(reply.status, 404)
    t.match(await reply.json(), {
      jsonrpc: '2.0',
      id: PING.id,
      error: { code: 40400, message: /HTTP\+SSE live in one process: replicas need a sticky proxy/ },
    })
    t.equal(await post(client, two, { jsonrpc: '2.0', method: 'notifications/cancelled', params: {} }), 404)

    t.equal(await post(client, one, { ...PING, id: 'after' }), 202, 'its session goes on')
    await client.stream.until(() => client.answerTo('after') !== undefined, 'its answer')
    t.equal(client.stream.messages.length, before + 1)
  })

  t.test('only the replica that sent a ping to a client that comes back takes its answer', async t => {
    const client = await begun(t, one)
    client.stream.close()
    await client.stream.ended
    const back = await comeBack(t, one, {
      headers: { 'mcp-protocol-version': '2024-11-05', 'cache-control': 'no-cache' },
      greet: async ({ stream }) => {
        const { id } = await stream.next(0)
        const pong = { jsonrpc: '2.0', id, result: {} }
        t.equal(await post(client, two, pong), 404)
        t.equal(await post(client, one, pong), 202)
      },
    })

    t.equal(back.address.search, client.address.search)
  })

  t.test('another subject does not come back to a session at the other replica', async t => {
    const client = await begun(t, one)
    const left = client.stream.events.at(-1)!.id!

    const thief = await comeBack(t, two, { headers: { ...bob, 'last-event-id': left } })

    t.not(thief.address.search, client.address.search)
    t.equal(await post(client, one, { ...PING, id: 'mine' }), 202)
    await client.stream.until(() => client.answerTo('mine') !== undefined, 'its answer')
  })

  t.test('a client whose replica was killed comes back to the other, and can be asked there', async t => {
    const client = await begun(t, one)
    const left = client.stream.events.at(-1)!.id!
    await one.kill()
    await client.stream.ended
    t.equal(await post(client, two, PING), 404)

    const back = await comeBack(t, two, { headers: { 'last-event-id': left } })

    t.equal(back.address.search, client.address.search)
    t.equal(await isAsked(back, two), 'Knock knock')
    await one.start()
  })

  t.test('without Redis: messages are taken, and a client that leaves stops its calls', async t => {
    const client = await begun(t, one)
    const params = { name: 'held', arguments: { name: 'left alone' } }
    await post(client, one, { jsonrpc: '2.0', id: 'left', method: 'tools/call', params })
    await said(one, 'left alone began')
    redis.pause()
    t.teardown(() => redis.resume())

    t.equal((await client.post(PING, {}, one.url)).status, 202)
    client.stream.close()

    await said(one, 'left alone aborted: The client cancelled the request')
    t.ok(one.isRunning)
    t.notMatch(one.lines.join('\n'), /unhandled error of|uncaught|unhandled/)
  })
})
