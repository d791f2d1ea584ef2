// HTTP+SSE, whose stream is at one replica, and whose messages reach any. Spec 2024-11-05: basic/transports.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { signed } from '../access/tokens.ts'
import { faultsOf } from '../client/faults.ts'
import { recorder } from '../client/recorder.ts'
import { listenTo } from '../legacy/event-stream.ts'
import { connect, OldClient } from '../legacy/http-sse-client.ts'
import { initializing, nextId } from '../legacy/session.ts'
import { NO_REDIS } from '../redis/redis-server.ts'
import { type Pair, pair, said, until, untilServed } from './pair.ts'
import type { Place } from './session.ts'
import { ask } from './stateless.ts'

const JWT_SECRET = 'a secret of the tests, and long enough'
const JWT_AUDIENCE = 'https://tools.example/mcp'
const bearer = (sub: string) => ({ authorization: `Bearer ${signed(JWT_SECRET, { aud: JWT_AUDIENCE, sub })}` })
const [alice, bob] = [bearer('alice'), bearer('bob')]
const LIMIT = 20
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

/** One that listens at one replica and begins at another. */
async function begun(t: Test, { at, by }: { at: Place; by: Place }, over = alice): Promise<OldClient> {
  const client = await connect(t, at.url, { over })
  const { params } = initializing({ revision: '2024-11-05' })
  await post(client, by, { jsonrpc: '2.0', id: 'begin', method: 'initialize', params })
  await client.stream.until(() => client.answerTo('begin') !== undefined, 'the handshake')
  await post(client, by, { jsonrpc: '2.0', method: 'notifications/initialized' })
  return client
}

const RETURNING = { 'mcp-protocol-version': '2024-11-05', 'cache-control': 'no-cache' }

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
    const stream = await listenTo(t, {
      url: new URL('/sse', at.url).href,
      method: 'GET',
      headers: { accept: 'text/event-stream', ...alice, ...headers },
      check: message => message,
    })
    const client = new OldClient(stream, new URL(at.url), alice)
    const endpoint = () => stream.events.find(({ event }) => event === 'endpoint')
    try {
      await greet(client)
      await stream.until(() => endpoint() !== undefined, 'its address')
      client.address.href = new URL(endpoint()!.data, at.url).href
      return client
    } catch (error) {
      if (tries === 20) throw error
      stream.leave()
    }
  }
}

async function official(t: Test, { proxy }: Pair) {
  const faults = faultsOf(t)
  const http = recorder()
  const heard: string[] = []
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities: { elicitation: { form: {} } } })
  client.onerror = error => faults.push(error)
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }))
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard.push('tools'))
  const transport = new SSEClientTransport(new URL('/sse', proxy.url), {
    requestInit: { headers: alice },
    fetch: (url, init) => untilServed(() => http.fetch(url, init)),
  })
  t.teardown(async () => {
    client.onerror = () => {}
    await client.close()
  })
  await client.connect(transport)
  return { client, http, heard }
}

t.test('HTTP+SSE: two replicas behind a proxy', { skip: NO_REDIS }, async t => {
  const AUDIT_FILE = join(t.testdir(), 'audit.log')
  const replicas = await pair(t, { HTTP_SSE: 'true', JWT_SECRET, JWT_AUDIENCE, AUDIT_FILE })
  const { one, two, proxy, redis, redisUrl } = replicas
  const operator = new Redis(redisUrl)
  t.teardown(() => operator.disconnect())

  t.test('the official client calls, is asked, and is told, wherever its messages arrive', async t => {
    const { client, http, heard } = await official(t, replicas)
    const text = async (name: string, args: Record<string, unknown> = {}) =>
      ((await client.callTool({ name, arguments: args })).content as { text: string }[])[0]!.text

    const places = []
    for (let turn = 0; turn < 4; turn++) places.push(await text('where'))
    t.ok((await client.listTools()).tools.some(({ name }) => name === 'where'))
    t.equal(await text('greet'), 'Hello Ada')
    for (const at of [one, two]) {
      const before = heard.length
      await ask(at, 'tools/call', { name: 'add_tool', arguments: { name: `for_${at.port}` } }, { headers: alice })
      await until(() => heard.length > before, 'the change')
    }

    t.equal(new Set(places).size, 1, 'served where its stream is')
    t.ok(http.of('POST').every(({ status }) => status === 202 || status === 503))
  })

  for (const [where, by] of [
    ['the replica of the stream', one],
    ['the other', two],
  ] as const) {
    t.test(`by ${where}: a call tells its steps, then its answer`, async t => {
      const client = await begun(t, { at: one, by })
      const request = { jsonrpc: '2.0', id: 'held', method: 'tools/call' }
      const name = `steps by ${by.port}`
      const params = { name: 'held', arguments: { name }, _meta: { progressToken: 1 } }
      const before = client.stream.messages.length

      t.equal(await post(client, by, { ...request, params }), 202)
      await client.stream.next(before)
      t.equal((await call(client, by, 'open_gate', { name })).result.content[0].text, 'open')

      await client.stream.until(() => client.answerTo('held') !== undefined, 'the answer')
      t.equal(client.answerTo('held')!.result.content[0].text, `${name} ended`)
      await said(one, `${name} began`)
    })

    t.test(`by ${where}: a question is answered, and a call cancelled`, async t => {
      const client = await begun(t, { at: one, by })
      const before = client.stream.messages.length
      const greeting = call(client, by, 'joke')
      const { id } = await client.stream.next(before)
      const content = { type: 'text', text: 'Knock knock' }
      await post(client, by, { jsonrpc: '2.0', id, result: { role: 'assistant', content, model: 'm' } })
      t.equal((await greeting).result.content[0].text, 'Knock knock')

      const name = `cancelled by ${by.port}`
      const params = { name: 'held', arguments: { name } }
      await post(client, by, { jsonrpc: '2.0', id: 'out', method: 'tools/call', params })
      await said(one, `${name} began`)
      const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'out' } }
      t.equal(await post(client, by, cancelled), 202)

      await said(one, `${name} aborted: The client cancelled the request`)
    })

    t.test(`by ${where}: what is refused is refused alike`, async t => {
      const client = await connect(t, one.url, { over: alice })
      const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }

      t.equal(await post(client, by, notification), 400)
      t.equal(await post(client, by, { id: 1 }), 400)
      t.equal(await post(client, by, [PING]), 400)
      t.equal(await post(client, by, PING), 202)
      await client.stream.until(() => client.answerTo('ping') !== undefined, 'its refusal')
      t.match(client.answerTo('ping')!.error, { code: -32600, message: /begin with initialize/ })
    })

    t.test(`by ${where}: another subject, or nobody, has no such session`, async t => {
      const client = await begun(t, { at: one, by })
      const before = client.stream.messages.length

      t.equal(await post(client, by, PING, bob), 404)
      t.equal(await post(client, by, PING, { authorization: '' }), 401)
      t.equal(await post(client, by, PING), 202)
      await client.stream.next(before)

      t.equal(client.stream.messages.length, before + 1)
    })

    t.test(`by ${where}: an address that is unknown, or has ended, is answered 404`, async t => {
      const client = await begun(t, { at: one, by })
      const id = client.address.searchParams.get('sessionId')!
      const [replica, own] = [id.slice(0, -32), id.slice(-32)]

      for (const unknown of [replica + own.toLowerCase(), `${'a'.repeat(16)}${own}`, own, `*${own}`, '']) {
        client.address.searchParams.set('sessionId', unknown)
        t.equal(await post(client, by, PING), 404, unknown)
      }
      client.address.searchParams.set('sessionId', id)
      t.equal(await post(client, by, PING), 202)
      const beginner = await connect(t, one.url, { over: alice })
      beginner.stream.leave()

      await until(async () => (await post(beginner, by, PING)) === 404, 'its end, which has nothing to come back to')
    })
  }

  t.test('a number that JSON can say and no integer is stays what it is on its way', async t => {
    const client = await begun(t, { at: one, by: two })
    const body = `{"jsonrpc":"2.0","id":"odd","method":"tools/call","params":{"name":"held","arguments":{"name":1e400}}}`

    const reply = await untilServed(() =>
      fetch(new URL(client.address.pathname + client.address.search, two.url), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...alice },
        body,
      }),
    )

    t.equal(reply.status, 202)
    await client.stream.until(() => client.answerTo('odd') !== undefined, 'its answer')
    t.notMatch(JSON.stringify(client.answerTo('odd')), /null/)
  })

  t.test('the audit has one line of a message, that of the replica which served it', async t => {
    const client = await begun(t, { at: one, by: two }, bearer('dave'))
    for (const name of ['where', 'limited']) await call(client, two, name)
    const toolsOf = () =>
      readFileSync(AUDIT_FILE, 'utf8')
        .split('\n')
        .flatMap(line => (line === '' ? [] : [JSON.parse(line)]))
        .filter(({ subject, method }) => subject === 'dave' && method === 'tools/call')
        .map(({ tool, outcome }) => `${tool} ${outcome}`)

    await until(() => toolsOf().includes('limited ok'), 'the last line')

    t.strictSame(toolsOf(), ['where ok', 'limited ok'])
  })

  t.test('the limit of a tool is one, wherever messages arrive', async t => {
    const carol = bearer('carol')
    const client = await begun(t, { at: one, by: proxy }, carol)

    for (let turn = 0; turn < LIMIT + 4; turn++) await call(client, proxy, 'limited')

    const passed = client.stream.messages.filter(({ result }) => result?.content?.[0].text === 'passed')
    t.equal(passed.length, LIMIT)
  })

  for (const how of ['says where it was', 'answers from its old address']) {
    t.test(
      `a client that ${how} comes back to the other replica: its call, its questions and its news come`,
      async t => {
        const client = await begun(t, { at: one, by: one })
        const name = `moved: ${how}`
        const params = { name: 'held', arguments: { name }, _meta: { progressToken: 'moved' } }
        t.equal(await post(client, one, { jsonrpc: '2.0', id: 'held', method: 'tools/call', params }), 202)
        await said(one, `${name} began`)
        const left = client.stream.events.at(-1)!.id!
        client.stream.leave()
        await client.stream.ended

        const pong = async ({ stream }: OldClient) => {
          const ping = await stream.next(0)
          await post(client, proxy, { jsonrpc: '2.0', id: ping.id, result: {} })
        }
        const back =
          how === 'says where it was'
            ? await comeBack(t, two, { headers: { 'last-event-id': left } })
            : await comeBack(t, two, { headers: RETURNING, greet: pong })
        t.not(back.address.search, client.address.search, 'it posts to the other replica')
        t.equal(back.address.search.slice(-32), client.address.search.slice(-32))

        await ask(one, 'tools/call', { name: 'open_gate', arguments: { name } }, { headers: alice })
        await back.stream.until(() => back.answerTo('held') !== undefined, 'the answer of the call under way')
        t.equal(back.answerTo('held')!.result.content[0].text, `${name} ended`)
        const before = back.stream.messages.length
        const joking = call(back, proxy, 'joke')
        await back.stream.until(
          () => back.stream.messages.slice(before).some(({ method }) => method !== undefined),
          'asked',
        )
        const { id } = back.stream.messages.slice(before).find(({ method }) => method !== undefined)!
        const content = { type: 'text', text: 'Who is there' }
        await post(back, proxy, { jsonrpc: '2.0', id, result: { role: 'assistant', content, model: 'm' } })
        t.equal((await joking).result.content[0].text, 'Who is there')
        const heard = back.stream.messages.length
        await ask(
          one,
          'tools/call',
          { name: 'add_tool', arguments: { name: `moved_${left.length}_${how.length}` } },
          {
            headers: alice,
          },
        )
        await back.stream.until(
          () => back.stream.messages.slice(heard).some(({ method }) => method === 'notifications/tools/list_changed'),
          'the change',
        )
        t.equal(await post(client, proxy, PING), 404, 'its old address is no more')
      },
    )
  }

  t.test('another subject does not come back to it at the other replica', async t => {
    const client = await begun(t, { at: one, by: one })
    const left = client.stream.events.at(-1)!.id!

    const thief = await comeBack(t, two, { headers: { ...bob, 'last-event-id': left } })

    t.not(thief.address.search.slice(-32), client.address.search.slice(-32))
    t.equal(await post(client, proxy, { ...PING, id: 'mine' }), 202)
    await client.stream.until(() => client.answerTo('mine') !== undefined, 'its answer')
  })

  t.test('a client whose replica was killed comes back to the other, and can be asked there', async t => {
    const client = await begun(t, { at: one, by: one })
    const name = client.address.searchParams.get('sessionId')!.slice(0, -32)
    const left = client.stream.events.at(-1)!.id!
    await one.kill()
    await client.stream.ended
    await operator.del(`toolrack:replica:${name}:heartbeat`)

    const back = await comeBack(t, two, { headers: { 'last-event-id': left } })
    const before = back.stream.messages.length
    const joking = call(back, two, 'joke')
    await back.stream.until(
      () => back.stream.messages.slice(before).some(({ method }) => method !== undefined),
      'asked',
    )
    const { id } = back.stream.messages.slice(before).find(({ method }) => method !== undefined)!
    const content = { type: 'text', text: 'Knock knock' }
    await post(back, two, { jsonrpc: '2.0', id, result: { role: 'assistant', content, model: 'm' } })

    t.equal((await joking).result.content[0].text, 'Knock knock')
    t.equal(back.address.search.slice(-32), client.address.search.slice(-32))
    await one.start()
  })

  t.test('a replica that is killed takes its streams with it: none of its messages is accepted', async t => {
    const client = await begun(t, { at: one, by: two })
    const name = client.address.searchParams.get('sessionId')!.slice(0, -32)

    await one.kill()

    await client.stream.ended
    const { status, headers } = await client.post(PING, {}, two.url)
    t.equal(status, 503)
    t.match(headers.get('retry-after'), /^\d+$/)
    // What it says of itself is forgotten soon.
    await operator.del(`toolrack:replica:${name}:heartbeat`)
    t.equal(await post(client, two, PING), 404)
    await one.start()
  })

  t.test('without Redis: who leaves stops its calls all the same', async t => {
    const client = await begun(t, { at: one, by: one })
    const params = { name: 'held', arguments: { name: 'left alone' } }
    await post(client, one, { jsonrpc: '2.0', id: 'left', method: 'tools/call', params })
    await said(one, 'left alone began')
    redis.pause()
    t.teardown(() => redis.resume())

    client.stream.leave()

    await said(one, 'left alone aborted: The client cancelled the request')
    t.ok(one.isRunning)
    t.notMatch(one.lines.join('\n'), /left an error behind|uncaught|unhandled/)
  })

  t.test('without Redis: 503 by the other, served by the replica of the stream', async t => {
    const client = await begun(t, { at: one, by: two })
    redis.pause()

    const refused = await client.post(PING, {}, two.url)
    const taken = await client.post(PING, {}, one.url)

    t.equal(refused.status, 503)
    t.match(refused.headers.get('retry-after'), /^\d+$/)
    t.match(await refused.json(), { error: { code: 50300 } })
    t.equal(taken.status, 202)
    redis.resume()
    t.equal(await post(client, two, { ...PING, id: 'back' }), 202)
    await client.stream.until(() => client.answerTo('back') !== undefined, 'its answer')
  })
})
