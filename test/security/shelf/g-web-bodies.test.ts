// Answers without end: bounded in the bytes that are kept, and in time.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import net from 'node:net'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { type Answer, setting } from '../../support/tools/shipped.ts'
import { allowListOf, asking, failureOf, redirect, site, webClient } from '../../support/tools/web-servers.ts'

const MIB = 2 ** 20
const TOO_LARGE = /^ToolError: The answer is larger than 5 MiB, and was not read to its end/

/** A client for one site, and when the site saw its connection go. */
async function against(t: Test, answer: Answer, deadlineMs?: number) {
  const closed = Promise.withResolvers<void>()
  const { url, host, asked } = await site(t, {
    '/': (request, response) => {
      response.on('close', closed.resolve)
      answer(request, response)
    },
  })
  return {
    url,
    asked,
    closed: closed.promise,
    client: webClient({ allow: allowListOf('FETCH_ALLOW', host), deadlineMs }),
  }
}

const resident = () => process.memoryUsage().rss
t.test('G5: of an answer of 1 GB no more than 5 MiB is read, and its connection is closed', async t => {
  let sent = 0
  const chunk = Buffer.alloc(64 * 1024, 'x')
  const pour = (response: ServerResponse) => {
    while (sent < 2 ** 30 && !response.destroyed && response.write(chunk)) sent += chunk.length
    if (!response.destroyed) response.once('drain', () => pour(response))
  }
  const { url, client, closed } = await against(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-length': 2 ** 30 })
    pour(response)
  })
  const before = resident()

  const failure = await failureOf(client.get(url, asking()))

  await closed
  t.match(failure, TOO_LARGE)
  t.ok(sent < 32 * MIB, `${sent} bytes were sent`)
  t.ok(resident() - before < 100 * MIB, `${Math.round((resident() - before) / MIB)} MiB more memory`)
})

const BOMB = Buffer.alloc(64 * MIB, 'a')
const BOMBS: [encoding: string, packed: () => Buffer][] = [
  ['gzip', () => gzipSync(BOMB)],
  ['deflate', () => deflateSync(BOMB)],
  ['br', () => brotliCompressSync(BOMB, { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } })],
]

for (const [encoding, pack] of BOMBS) {
  t.test(`G5: a bomb of ${encoding} stops at 5 MiB`, async t => {
    const packed = pack()
    const { url, client, closed } = await against(t, (_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(packed)
    })
    const before = resident()

    const failure = await failureOf(client.get(url, asking()))

    await closed
    t.match(failure, TOO_LARGE)
    t.ok(BOMB.length / packed.length > 1000, `1:${Math.round(BOMB.length / packed.length)}`)
    t.ok(resident() - before < 64 * MIB, `${Math.round((resident() - before) / MIB)} MiB more memory`)
  })
}

for (const encodings of [['gzip', 'gzip'], ['gzip, gzip'], ['gzip,'.repeat(500)], ['zstd'], ['compress']]) {
  const name = JSON.stringify(encodings).slice(0, 40)
  t.test(`G5: what is packed in layers, or as nobody asked for it, is not unpacked: ${name}`, async t => {
    const { url, client, closed } = await against(t, (_request, response) => {
      const fields = encodings.flatMap(encoding => ['content-encoding', encoding])
      response.writeHead(200, fields).end(gzipSync(gzipSync(BOMB)))
    })

    t.match(
      await failureOf(client.get(url, asking())),
      /^ToolError: The answer is packed as ".+", which cannot be read/,
    )
    await closed
  })
}

const pouring = (head: string, more: string) =>
  net.createServer(socket => {
    const pour = () => {
      while (!socket.destroyed && socket.write(more.repeat(100))) {}
    }
    socket.on('error', () => {})
    socket.on('drain', pour)
    socket.once('data', () => {
      socket.write(head)
      pour()
    })
  })

const FLOODS: [what: string, server: net.Server, expected: RegExp][] = [
  ['answers of 103 without end', pouring('', 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'), /within 0\.5 s/],
  [
    'a chunk whose extension never ends',
    pouring('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;', 'x'.repeat(1000)),
    /within 0\.5 s|broke off/,
  ],
  [
    'trailers without end',
    pouring('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n', `x: ${'x'.repeat(1000)}\r\n`),
    /larger headers|within 0\.5 s/,
  ],
]

for (const [what, server, expected] of FLOODS) {
  t.test(`G5: ${what} are given up, and fill no memory`, async t => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(() => server.close())
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const client = webClient({ allow: allowListOf('FETCH_ALLOW', host), deadlineMs: 500 })
    const before = resident()

    t.match(await failureOf(client.get(`http://${host}/`, asking())), expected)
    t.ok(resident() - before < 100 * MIB, `${Math.round((resident() - before) / MIB)} MiB more memory`)
  })
}

t.test('G5: 5 MiB is read, one byte more is not', async t => {
  const exact = await against(t, (_request, response) => response.end(gzipSync(Buffer.alloc(5 * MIB))))
  const { url, client } = await against(t, (_request, response) => response.end(Buffer.alloc(5 * MIB + 1)))
  const fits = await against(t, (_request, response) => response.end(Buffer.alloc(5 * MIB)))

  t.match(await failureOf(client.get(url, asking())), TOO_LARGE)
  t.equal((await fits.client.get(fits.url, asking())).body.length, 5 * MIB)
  t.ok((await exact.client.get(exact.url, asking())).body.length < 5 * MIB)
})

const drip: Answer = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' })
  const timer = setInterval(() => response.write('x'), 1000)
  response.write('x')
  response.on('close', () => clearInterval(timer))
}

t.test('G5: an answer of 1 byte a second ends after 10 s, and its connection is closed', async t => {
  const { url, client, closed } = await against(t, drip)
  const startedMs = performance.now()

  const failure = await failureOf(client.get(url, asking()))

  await closed
  const tookMs = performance.now() - startedMs
  t.match(failure, /did not answer in full within 10 s/)
  // It would else go on for weeks; a machine may stand still on the way.
  t.ok(tookMs > 9_900 && tookMs < 30_000, `${Math.round(tookMs)} ms`)
})

const SLOW: [string, Answer][] = [
  ['headers that never come', () => {}],
  ['a body that drips', drip],
  ['a body that stops', (_request, response) => response.writeHead(200, { 'content-length': 1000 }).write('x')],
  [
    'redirects without end',
    (_request, response) => {
      setTimeout(() => redirect('/')(_request, response), 100)
    },
  ],
]

for (const [what, answer] of SLOW) {
  t.test(`G5: ${what} end with the one deadline of all, and the connection is closed`, async t => {
    const { url, client, closed } = await against(t, answer, 500)

    const failure = await failureOf(client.get(url, asking()))

    t.match(failure, /did not answer in full within 0.5 s/)
    await closed
  })
}

t.test('G5: header bytes that drip are given up at the deadline', async t => {
  const closed = Promise.withResolvers<void>()
  const server = net.createServer(socket => {
    const timer = setInterval(() => socket.write('x'), 50)
    socket.write('HTTP/1.1 200 OK\r\nx-slow: ')
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(timer)
      closed.resolve()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = webClient({ allow: allowListOf('FETCH_ALLOW', host), deadlineMs: 500 })

  t.match(await failureOf(client.get(`http://${host}/`, asking())), /within 0.5 s/)
  await closed.promise
})

t.test('G5: a name server that never answers is given up at the deadline', async t => {
  // Deadlines do not keep a process alive, and nothing else is open here.
  const alive = setInterval(() => {}, 1000)
  t.teardown(() => clearInterval(alive))
  const client = webClient({ allow: allowListOf('FETCH_ALLOW'), resolve: () => new Promise(() => {}), deadlineMs: 300 })

  t.match(await failureOf(client.get('http://www.example.org/', asking())), /www.example.org did not answer in full/)
})

t.test('G5: a connection that is never made is given up at the deadline', async t => {
  // A backlog that is full: who comes now waits to be let in.
  const server = net.createServer({ pauseOnConnect: true }).listen({ port: 0, host: '127.0.0.1', backlog: 1 })
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const client = webClient({ allow: allowListOf('FETCH_ALLOW', `127.0.0.1:${port}`), deadlineMs: 300 })

  t.match(await failureOf(client.get(`https://127.0.0.1:${port}/`, asking())), /within 0.3 s/)
})

t.test('G5: headers that are larger than 32 KiB are refused', async t => {
  const { url, client, closed } = await against(t, (_request, response) => {
    response.writeHead(200, { 'x-large': 'x'.repeat(64 * 1024) }).end('hello')
  })

  t.match(await failureOf(client.get(url, asking())), /sends larger headers than are read here/)
  await closed
})

t.test('G5: a caller that leaves ends the request', async t => {
  const asked = Promise.withResolvers<void>()
  const leaving = new AbortController()
  const { url, client, closed } = await against(t, () => asked.resolve())
  const answer = failureOf(client.get(url, { ...asking(), signal: leaving.signal }))
  await asked.promise

  leaving.abort(new Error('left'))

  t.equal(await answer, 'Error: left')
  await closed
})

t.test('G5: a proxy that the environment names is not used', async t => {
  const { url, client, asked } = await against(t, (_request, response) => response.end('direct'))
  for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) setting(t, name, 'http://127.0.0.1:9')
  setting(t, 'NODE_USE_ENV_PROXY', '1')

  const { body } = await client.get(url, asking())

  t.equal(`${body} ${asked.length}`, 'direct 1')
})
