// Bodies that are encoded, or that the app around the server has read already: used or refused at once, at every door.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { createGunzip, gzipSync } from 'node:zlib'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import t, { type Test } from 'tap'
import { toolrack } from '../../../src/index.ts'
import { type App, build, buildBy, request } from '../../support/app.ts'

const echo = { name: 'echo', description: 'd', inputSchema: { type: 'object' as const }, handler: () => 'heard' }
const { message, headers } = request('tools/call', { name: 'echo', arguments: {} }, { id: 7 })
const ping = { jsonrpc: '2.0', id: 7, method: 'ping' }

const DOORS: [url: string, payload: string, headers: Record<string, string>][] = [
  ['/mcp', JSON.stringify(message), headers],
  ['/mcp', JSON.stringify(ping), { ...headers, 'mcp-protocol-version': '2025-11-25' }],
  ['/messages?sessionId=x', JSON.stringify(ping), headers],
  ['/tools/echo', '{}', { host: 'localhost', 'content-type': 'application/json' }],
  ['/tools/echo', 'a=1', { host: 'localhost', 'content-type': 'application/x-www-form-urlencoded' }],
]

for (const [url, payload, usual] of DOORS) {
  t.test(`${url} ${usual['content-type']}: a coded body is 415, and the answer says what is taken`, async t => {
    const app = await build(t, { tools: [echo], httpSse: true, plainHttp: true })

    for (const coding of ['gzip', 'br', 'zstd', 'deflate', 'x-unknown', 'identity, gzip']) {
      const reply = await app.inject({
        method: 'POST',
        url,
        headers: { ...usual, 'content-encoding': coding },
        payload: coding === 'gzip' ? gzipSync(payload) : payload,
      })
      t.match(reply, { statusCode: 415, headers: { 'accept-encoding': 'identity' } }, coding)
      t.match(reply.body, new RegExp(`Content-Encoding: ${coding}`))
    }
    const other = await app.inject({ method: 'POST', url, headers: { ...usual, 'content-type': 'a/b' }, payload })
    t.equal(other.statusCode, 415)
    t.notOk('accept-encoding' in other.headers)
  })
}

t.test('a body that is coded as it is, is read', async t => {
  const app = await build(t, { tools: [echo] })

  for (const coding of ['identity', 'Identity', '']) {
    const coded = { ...headers, 'content-encoding': coding }
    const reply = await app.inject({ method: 'POST', url: '/mcp', headers: coded, payload: JSON.stringify(message) })
    t.equal(reply.statusCode, 200, coding)
  }
})

/** An app of somebody else, around the server. */
const within = (t: Test, prepare: (app: FastifyInstance) => void = () => {}): Promise<App> =>
  buildBy(t, async ({ drainMs, audit, logStream }) => {
    const app: FastifyInstance = Fastify({ logger: { stream: logStream } })
    prepare(app)
    await app.register(toolrack, { tools: [echo], drainMs, audit, plainHttp: true })
    return app
  })

t.test('a body that a hook of the app decodes is read', async t => {
  const app = await within(t, around =>
    around.addHook('preParsing', async (_request, _reply, payload) =>
      Object.assign(payload.pipe(createGunzip()), { receivedEncodedLength: 0 }),
    ),
  )
  const coded = { ...headers, 'content-encoding': 'gzip' }
  const payload = gzipSync(JSON.stringify(message))

  // Its length is that of what is decoded.
  const reply = await app.inject({ method: 'POST', url: '/mcp', headers: coded, payload: Readable.from([payload]) })

  t.match(reply.json(), { id: 7, result: { content: [{ text: 'heard' }] } })
})

/** A server of somebody else, which reads each body before it hands the request on. */
async function readsFirst(t: Test, app: App, keep: (request: http.IncomingMessage, bytes: Buffer) => void) {
  await app.ready()
  const server = http.createServer(async (request, response) => {
    const bytes = Buffer.concat(await request.toArray())
    keep(request, bytes)
    app.server.emit('request', request, response)
  })
  t.teardown(() => server.close())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const KEPT: [what: string, keep: (bytes: Buffer) => object][] = [
  ['bytes as rawBody', bytes => ({ rawBody: bytes, body: { of: 'another' } })],
  ['text as rawBody', bytes => ({ rawBody: String(bytes) })],
  ['bytes as body', bytes => ({ body: bytes })],
  ['text as body', bytes => ({ body: String(bytes) })],
  ['JSON as body', bytes => ({ body: JSON.parse(String(bytes)) })],
]

for (const [what, keep] of KEPT) {
  t.test(`a body that the app has read, and left as ${what}, is used`, async t => {
    const url = await readsFirst(t, await within(t), (request, bytes) => Object.assign(request, keep(bytes)))

    const rpc = await fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) })
    const plain = await fetch(`${url}/tools/echo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })

    t.match(await rpc.json(), { id: 7, result: { content: [{ text: 'heard' }] } })
    t.equal(plain.status, 200)
  })

  for (const hook of ['onRequest', 'preParsing'] as const) {
    t.test(`a body that a hook of the app has read ${hook}, and left as ${what} of its request, is used`, async t => {
      const app = await within(t, around => {
        around.addHook(hook, async (request: FastifyRequest) => {
          Object.assign(request, keep(Buffer.concat(await request.raw.toArray())))
        })
      })

      const reply = await app.inject({ method: 'POST', url: '/mcp', headers, payload: JSON.stringify(message) })

      t.match(reply.json(), { id: 7, result: { content: [{ text: 'heard' }] } })
    })
  }
}

t.test('a form that the app has read as another object is refused: it may mean something else', async t => {
  const app = await within(t)
  const url = await readsFirst(t, app, request => Object.assign(request, { body: { a: '1' } }))

  const reply = await fetch(`${url}/tools/echo`, { method: 'POST', body: new URLSearchParams('a=1') })

  t.equal(reply.status, 500)
})

t.test('a body that the app has read, and left nowhere, is refused at once, and the log says what to do', async t => {
  const app = await within(t)
  const url = await readsFirst(t, app, () => {})

  const reply = await fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) })

  t.equal(reply.status, 500)
  t.match(await reply.json(), { error: { code: -32603 } })
  t.match(app.logs.text, /has read the body of this request already.*rawBody/)
})

t.test('a body that the app has read is no larger than others', async t => {
  const app = await within(t)
  const large = JSON.stringify({ ...ping, params: { pad: 'x'.repeat(2 ** 21) } })
  const url = await readsFirst(t, app, request => {
    delete request.headers['content-length']
    Object.assign(request, { rawBody: large })
  })

  const reply = await fetch(`${url}/mcp`, { method: 'POST', headers, body: '{}' })

  t.equal(reply.status, 413)
})
