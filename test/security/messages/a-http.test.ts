// The connection, over raw sockets: sizes, headers, framing and pipelines.
import type { Socket } from 'node:net'
import t, { type Test } from 'tap'
import { MAX_LINGER_BYTES } from '../../../src/transport/refused-body.ts'
import { assertClean, echoCall } from '../../support/security/probe.ts'
import { assertUnharmed, open, rawCall, type Server, talk } from '../../support/security/socket.ts'

type Cases = Record<string, string | Buffer>

/** One answer with this status, then the server closes; nothing of it reaches a tool, and the next client is served. */
async function refuses(t: Test, { app, port, received }: Server, cases: Cases, status: number) {
  for (const [name, bytes] of Object.entries(cases)) {
    const heard = await talk(port, bytes)

    t.same(
      heard.responses.map(response => response.status),
      [status],
      name,
    )
    t.ok(heard.isClosed, `${name}: closed`)
    await assertUnharmed(app, heard)
  }
  t.same(received, [])
}

t.test('A5: 40 MB get 413 and a closed socket; some is read, so that the answer is, and the rest is not', async t => {
  const server = await open(t)
  const sockets: Socket[] = []
  server.app.server.on('connection', socket => sockets.push(socket))
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
  const mega = 'x'.repeat(40 * 2 ** 20)

  const cases = {
    'content-length': rawCall([`content-length: ${mega.length}`], mega),
    chunked: rawCall(['transfer-encoding: chunked'], chunk.repeat(640)).replace(/content-length: \d+\r\n/, ''),
    'one byte over': rawCall([], echoCall({ message: 'x'.repeat(2 ** 20 - echoCall({ message: '' }).length + 1) })),
  }

  await refuses(t, server, cases, 413)
  for (const { bytesRead } of sockets) t.ok(bytesRead < MAX_LINGER_BYTES + 3 * 2 ** 20, `${bytesRead} bytes read`)
})

t.test('A5: a body of just as many bytes as may be is served', async t => {
  const { port, received } = await open(t)
  const body = echoCall({ message: 'x'.repeat(2 ** 20 - echoCall({ message: '' }).length) })

  const { responses } = await talk(port, rawCall([], body), 1)

  t.match(responses, [{ status: 200 }])
  t.equal(received.length, 1)
})

t.test('A24: a mirrored header that comes twice is a mismatch', async t => {
  const { app, port, received } = await open(t)

  for (const line of ['mcp-name: echo', 'mcp-method: tools/call', 'mcp-protocol-version: 2026-07-28']) {
    const heard = await talk(port, rawCall([line, line.toUpperCase().replace(/:.*/, '') + line.replace(/.*:/, ':')]), 1)

    t.match(heard.responses, [{ status: 400, body: /"code":-32020/ }], line)
    await assertUnharmed(app, heard)
  }
  t.same(received, [])
})

t.test('A15, A33: a host or a media type that comes twice is refused, not taken from the first line', async t => {
  const { app, port, received } = await open(t)
  const cases: [string[], number][] = [
    [['host: localhost', 'host: evil.example'], 403],
    [['host: localhost', 'host: localhost'], 403],
    [['content-type: application/json', 'content-type: text/plain'], 415],
  ]

  for (const [lines, status] of cases) {
    const heard = await talk(port, rawCall(lines), 1)

    t.match(heard.responses, [{ status }], lines.join())
    await assertUnharmed(app, heard)
  }
  t.same(received, [])
})

t.test('A33: an empty host, and none, is refused', async t => {
  const { app, port, received } = await open(t)

  const none = rawCall([], echoCall(), 'POST /mcp HTTP/1.0').replace(/host: localhost\r\n/, '')
  const cases: [string, number][] = [
    [rawCall(['host:']), 403],
    [none, 403],
    [none.replace('HTTP/1.0', 'HTTP/1.1'), 400],
  ]

  for (const [bytes, status] of cases) {
    const heard = await talk(port, bytes, 1)

    t.match(heard.responses, [{ status }])
    await assertUnharmed(app, heard)
  }
  t.same(received, [])
})

t.test('A34: headers that are too long, or too many, get 431', async t => {
  const many = Array.from({ length: 2001 }, (_, index) => `x-${index}: y`)

  await refuses(t, await open(t), { long: rawCall([`x-long: ${'x'.repeat(20_000)}`]), many: rawCall(many) }, 431)
})

t.test('A34: a header named like a prototype is a header like any other', async t => {
  const { app, port } = await open(t)

  const heard = await talk(port, rawCall(['__proto__: x', 'constructor: x', 'toString: x', 'hasOwnProperty: x']), 1)

  t.match(heard.responses, [{ status: 200 }])
  t.equal(({} as { x?: unknown }).x, undefined)
  await assertUnharmed(app, heard)
})

t.test('A35: framing that two parsers may read differently is refused, and nothing behind it is read', async t => {
  const second = rawCall([], echoCall({ message: 'smuggled' }))
  const length = `content-length: ${Buffer.byteLength(echoCall())}`

  const cases = {
    'length and chunks': rawCall([length, 'transfer-encoding: chunked'], `0\r\n\r\n${second}`),
    'two lengths': rawCall([length, 'content-length: 5'], echoCall() + second),
    'the same length twice': rawCall([length, length], echoCall() + second),
    'a list of lengths': rawCall(['content-length: 5, 5'], echoCall() + second),
    'a signed length': rawCall([`${length.replace(': ', ': +')}`], echoCall() + second),
    'bare LF': rawCall([], echoCall() + second).replaceAll('\r\n', '\n'),
    'an encoding that is none': rawCall([length, 'transfer-encoding: xchunked'], echoCall() + second),
    'chunks not last': rawCall([length, 'transfer-encoding: chunked, identity'], `0\r\n\r\n${second}`),
    'a folded header': rawCall(['x-a: b\r\n c'], echoCall() + second),
    'a folded length': rawCall(['content-length:\r\n 5'], echoCall() + second),
    'NUL in a header': rawCall(['x-a: b\0c'], echoCall() + second),
    'a space before the colon': rawCall(['x-a : b'], echoCall() + second),
    'a chunk size that is none': rawCall(['transfer-encoding: chunked'], `0x0\r\n\r\n${second}`).replace(
      /content-l.*\r\n/,
      '',
    ),
    'no HTTP at all': '\x16\x03\x01\x02\x00\x01\x00\x01',
  }

  await refuses(t, await open(t), cases, 400)
})

t.test('A36: 100 requests in one packet get 100 answers in order, and each is counted', async t => {
  const { app, port } = await open(t, { rateLimit: { max: 90 } })
  const calls = Array.from({ length: 100 }, (_, index) =>
    rawCall([], echoCall({ message: `m${index}` }, { id: index })),
  )

  const heard = await talk(port, calls.join(''), 100)

  const [served, refused] = [heard.responses.slice(0, 90), heard.responses.slice(90)]
  t.same(
    served.map(({ body }) => JSON.parse(body).id),
    Array.from({ length: 90 }, (_, index) => index),
  )
  t.ok(served.every(({ status }) => status === 200))
  t.ok(refused.length === 10 && refused.every(({ status }) => status === 429))
  assertClean(app.logs.text, 'log')
})
