// Caddy as docker-compose.yml runs it: its file is what Caddy reads, and does in front of two replicas what it says.
import t from 'tap'
import { request, stream } from '../../support/app.ts'
import { initializing } from '../../support/client/client.ts'
import type { Place } from '../../support/client/transport.ts'
import { connect } from '../../support/legacy/http-sse-client.ts'
import { LAB, until } from '../../support/replicas/pair.ts'
import { type Replica, replicas } from '../../support/replicas/replica.ts'
import { callTool } from '../../support/replicas/stateless.ts'
import { NO_REDIS, redisServer } from '../../support/servers/redis-server.ts'
import { CADDYFILE, NO_CADDY, runCaddy, startCaddy } from './caddy.ts'

t.test('the Caddyfile is one that Caddy takes, written as Caddy writes it', { skip: NO_CADDY }, async t => {
  const validated = runCaddy(t, 'validate', '--config', CADDYFILE, '--adapter', 'caddyfile')
  const formatted = runCaddy(t, 'fmt', '--diff', CADDYFILE)

  t.equal(validated.status, 0, validated.text)
  t.match(validated.text, 'Valid configuration')
  t.equal(formatted.status, 0, formatted.text)
  t.notMatch(formatted.text, /^[+-]/m)
})

// What Caddy answers where no replica is in turn: on a machine that stood still none has answered it in time.
const isWithoutReplica = (error: Error) => /^no message in the answer: 503$/.test(error.message)

/** The text that a call answered. */
async function textOf(at: Place, name: string): Promise<string> {
  let text: string | undefined
  const isAnswered = async () => {
    const answered = await callTool(at, name).catch(error => {
      if (!isWithoutReplica(error)) throw error
    })
    text = answered?.result.content[0].text
    return answered !== undefined
  }
  await until(isAnswered, `${name} is answered`)
  return text!
}

const HELD = { name: 'held', arguments: { name: 'last' } }

/** How a request is answered that the proxy may have no replica for. */
async function tryCall(at: Place, name: string, args: object = {}): Promise<number> {
  const { message, headers } = request('tools/call', { name, arguments: args })
  const { host: _, ...rest } = headers
  const response = await fetch(at.url, { method: 'POST', headers: rest, body: JSON.stringify(message) })
  await response.text()
  return response.status
}

t.test('in front of two replicas', { skip: NO_CADDY || NO_REDIS }, async t => {
  const { url: redisUrl } = await redisServer(t)
  // Time enough to drain for what looks on.
  const environment = {
    LOG_LEVEL: 'info',
    DRAIN_MS: '60000',
    TRUST_PROXY: '127.0.0.1',
    TASK_INLINE_MS: '0',
    HTTP_SSE: 'true',
  }
  const [one, two] = (await replicas(t, 2, { redisUrl, program: LAB, environment })) as [Replica, Replica]
  const caddy = await startCaddy(t, [one.port, two.port])

  const beganOn = (name: string) => [one, two].find(({ lines }) => lines.includes(`${name} began`))
  const areBoth = async () => new Set([await textOf(caddy, 'where'), await textOf(caddy, 'where')]).size === 2
  const whenBothAreInTurn = () => until(areBoth, 'both replicas are in turn')

  t.test('requests are spread, one here and one there', async t => {
    // On a machine that stood still one of them may be out of turn for a while.
    const areSpread = async () => {
      const places: string[] = []
      for (let count = 0; count < 10; count++) places.push(await textOf(caddy, 'where'))
      return [one, two].every(({ port }) => places.filter(place => place === String(port)).length === 5)
    }

    await until(areSpread, 'five of ten came to each')
    t.pass()
  })

  t.test('all messages of a client of HTTP+SSE go to the replica of its stream', async t => {
    await whenBothAreInTurn()
    const client = await connect(t, caddy.url)
    await client.ask('initialize', initializing({ revision: '2024-11-05' }).params)
    t.equal((await client.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202)
    const places = new Set<string>()

    for (let count = 0; count < 6; count++) {
      const { result } = await client.ask('tools/call', { name: 'where', arguments: {} })
      places.add(result.content[0].text)
    }

    t.equal(places.size, 1)
  })

  t.test('an event is there while its stream goes on, also of what was done on the other replica', async t => {
    await whenBothAreInTurn()
    const notifications = { toolsListChanged: true }
    const listeners = [
      await stream(t, caddy.url, 'subscriptions/listen', { notifications }),
      await stream(t, caddy.url, 'subscriptions/listen', { notifications }),
    ]
    for (const each of listeners) t.match(await each.next(0), { method: 'notifications/subscriptions/acknowledged' })

    await callTool(one, 'add_tool', { name: 'came_later' })

    for (const each of listeners) t.match(await each.next(1), { method: 'notifications/tools/list_changed' })
  })

  t.test('progress of a call is there before the call ends', async t => {
    await whenBothAreInTurn()
    const params = { name: 'held', arguments: { name: 'slow' } }
    const call = await stream(t, caddy.url, 'tools/call', params, { meta: { progressToken: 'p' } })

    t.match(await call.next(0), { method: 'notifications/progress', params: { progress: 1 } })

    for (const replica of [one, two]) await callTool(replica, 'open_gate', { name: 'slow' })
    t.match(await call.next(1), { method: 'notifications/progress', params: { progress: 2 } })
    t.match(await call.next(2), { result: { content: [{ text: 'slow ended' }] } })
  })

  t.test('the address of a client is what Caddy saw, not what the client says', async t => {
    await whenBothAreInTurn()
    const { message, headers } = request('tools/call', { name: 'limited', arguments: {} })
    const { host: _, ...rest } = headers
    const claimed = { ...rest, 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' }

    await fetch(caddy.url, { method: 'POST', headers: claimed, body: JSON.stringify(message) })

    const audit = () => [one, two].flatMap(({ lines }) => lines.filter(line => line.includes('"tool":"limited"')))
    await until(() => audit().length === 1, 'its line of the audit')
    t.match(JSON.parse(audit()[0]!), { address: '127.0.0.1' })
  })

  t.test('a POST whose replica dies is not sent again, and the next ones go to who is left', async t => {
    await whenBothAreInTurn()
    const answered = tryCall(caddy, 'held', { name: 'doomed' })
    await until(() => beganOn('doomed') !== undefined, 'the call runs')
    const [dead, left] = beganOn('doomed') === one ? [one, two] : [two, one]
    await dead.kill()

    t.equal(await answered, 502)
    for (let count = 0; count < 6; count++) t.equal(await textOf(caddy, 'where'), String(left.port))
    t.notOk(left.lines.includes('doomed began'))

    await dead.start()
  })

  t.test('a client that leaves stops what it called', async t => {
    await whenBothAreInTurn()
    const params = { name: 'held', arguments: { name: 'left alone' } }
    const call = await stream(t, caddy.url, 'tools/call', params, { meta: { progressToken: 'p' } })
    await call.next(0)
    await until(() => beganOn('left alone') !== undefined, 'the call runs')
    const replica = beganOn('left alone')!

    call.close()

    await until(() => replica.lines.some(line => line.startsWith('left alone aborted')), 'it is told')
    t.pass()
  })

  t.test('a replica that drains gets nothing new, and ends with its last call', async t => {
    await whenBothAreInTurn()
    const call = await stream(t, caddy.url, 'tools/call', HELD, { meta: { progressToken: 'p' } })
    await call.next(0)
    const [leaving, staying] = beganOn('last') === one ? [one, two] : [two, one]

    const code = leaving.stop()
    // It answers 503 until Caddy has looked.
    const isOut = async () => (await tryCall(caddy, 'where')) === 200 && (await tryCall(caddy, 'where')) === 200
    await until(isOut, 'out of turn')

    for (let count = 0; count < 6; count++) t.equal(await textOf(caddy, 'where'), String(staying.port))
    t.ok(leaving.isRunning)
    call.close()
    t.equal(await code, 0)
  })
})
