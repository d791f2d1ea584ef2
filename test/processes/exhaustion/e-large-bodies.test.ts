// Large bodies: the sender of a refused one can read why, and unending ones are bounded.
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import t from 'tap'
import { listening } from '../../support/app.ts'
import { ISSUER, SECRET } from '../../support/auth/forge.ts'
import { until } from '../../support/security/hostile.ts'
import { ECHO_HEADERS, recorder } from '../../support/security/probe.ts'
import { serve } from '../../support/servers/own-process.ts'

const MIB = 2 ** 20
const COUNT = 60
/** Of each refusal by headers. */
const SOME = 20

type Client = (port: number, body: Buffer, headers: Record<string, string>) => Promise<number>

const { host: _host, ...PLAIN } = ECHO_HEADERS

const fetched: Client = async (port, body, headers) => {
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: { ...PLAIN, ...headers },
    body: new Uint8Array(body),
  })
  const { error } = (await response.json()) as { error: { code: number } }
  return error.code === 0 ? 0 : response.status
}

const overNode: Client = async (port, body, headers) => {
  const sent = http.request({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/mcp',
    headers: { ...PLAIN, ...headers },
  })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
  // What it still writes may fail once the server has had enough.
  sent.on('error', () => {})
  response.resume()
  await once(response, 'end')
  return response.statusCode!
}

const raw: Client = async (port, body, headers) => {
  const socket = net.connect(port, '127.0.0.1')
  const lines = Object.entries({ ...ECHO_HEADERS, ...headers, 'content-length': String(body.length) })
  socket.write(`POST /mcp HTTP/1.1\r\n${lines.map(pair => `${pair.join(': ')}\r\n`).join('')}\r\n`)
  socket.write(body)
  let answer = ''
  socket.setEncoding('latin1').on('data', chunk => (answer += chunk))
  // A reset would be an error.
  await Promise.race([once(socket, 'end'), once(socket, 'close')])
  socket.destroy()
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)
}

async function statuses(port: number, client: Client, headers: Record<string, string> = {}, count = COUNT) {
  const bodies = Array.from({ length: count }, (_, index) => Buffer.alloc((3 + (index % 6)) * MIB, 'x'))
  const all: number[] = []
  for (let at = 0; at < count; at += 10) {
    const some = bodies.slice(at, at + 10)
    all.push(...(await Promise.all(some.map(body => client(port, body, headers).catch(() => 0)))))
  }
  return Object.fromEntries(
    Map.groupBy(all, String)
      .entries()
      .map(([status, { length }]) => [status, length]),
  )
}

for (const [name, client] of Object.entries({ fetch: fetched, 'node:http': overNode, 'a socket': raw })) {
  t.test(`E5: ${COUNT} of ${COUNT} bodies that are too large are told so, over ${name}`, async t => {
    // In a process of its own: who shares the server's turns has written all before it is answered.
    const { port } = await serve(t, {}, { RATE_LIMIT_MAX: '1000000' })

    t.same(await statuses(port, client), { 413: COUNT })
  })

  t.test(`E5: what is refused by its headers is answered whatever follows, over ${name}`, async t => {
    const { port } = await listening(t, { tools: [recorder().tool] })
    const { port: guarded } = await listening(t, { tools: [recorder().tool], jwt: { secret: SECRET, issuer: ISSUER } })
    const { port: limited } = await listening(t, { tools: [recorder().tool], rateLimit: { max: 1 } })
    const { app, port: busy } = await listening(t, { tools: [recorder().tool] })
    app.isUnderPressure = () => true

    t.same(await statuses(guarded, client, {}, SOME), { 401: SOME })
    t.same(await statuses(port, client, { origin: 'http://evil.example' }, SOME), { 403: SOME })
    t.same(await statuses(port, client, { accept: 'image/png' }, SOME), { 406: SOME })
    t.same(await statuses(port, client, { 'content-type': 'text/plain' }, SOME), { 415: SOME })
    await client(limited, Buffer.from('x'), {}).catch(() => 0)
    t.same(await statuses(limited, client, {}, SOME), { 429: SOME })
    t.same(await statuses(busy, client, {}, SOME), { 503: SOME })
  })
}

t.test('E5: bodies that never end are bounded in what they hold, for their client', async t => {
  const { port, app } = await listening(t, { tools: [recorder().tool], limits: { maxBodyBytes: MIB } })
  const body = Buffer.alloc(MIB - 1000, 'x')
  const lines = Object.entries({ ...ECHO_HEADERS, 'content-length': String(MIB) })
  const head = `POST /mcp HTTP/1.1\r\n${lines.map(pair => `${pair.join(': ')}\r\n`).join('')}\r\n`
  const counts = { refused: 0, bytes: 0 }
  const send = () => {
    const socket = net.connect(port, '127.0.0.1').setEncoding('latin1')
    t.teardown(() => socket.destroy())
    socket.on('error', () => {})
    socket.on('data', answer => (counts.refused += /^HTTP\/1\.1 429 /.test(String(answer)) ? 1 : 0))
    socket.write(head)
    socket.write(body)
    return socket
  }

  const sockets = Array.from({ length: 40 }, send)
  await until(() => counts.refused >= 40 - 17, 'all but the share of one client are refused')
  t.ok(counts.refused <= 40 - 15, `${counts.refused} refused`)
  t.match((await app.inject('/metrics')).body, /^toolrack_body_bytes 1[56]\d{6}$/m)
  for (const socket of sockets) socket.destroy()

  await until(async () => /^toolrack_body_bytes 0$/m.test((await app.inject('/metrics')).body), 'all is given back')
})
