// Which host a request is for, by its target and its headers (RFC 9112, 3.2), and what the server
// answers to a request for no route.
import t from 'tap'
import { echoCall } from '../../support/security/probe.ts'
import { assertUnharmed, open, rawCall, talk } from '../../support/security/socket.ts'

const first = (target: string, verb = 'POST') => rawCall([], echoCall(), `${verb} ${target} HTTP/1.1`)

t.test('A33: the host of a target that is a whole URL counts, not the Host header', async t => {
  const { app, port, received } = await open(t, { metrics: { token: 'the-token-of-metrics-012345' } })
  const refused = [
    'http://evil.example/mcp',
    'https://evil.example/mcp',
    'http://evil.example:80/mcp',
    'http://localhost@evil.example/mcp',
    'http://evil.example@localhost/mcp',
    'http://localhost:x@evil.example/mcp',
    'http://localhost.evil.example/mcp',
    'HTTP://EVIL.EXAMPLE/mcp',
  ]

  for (const target of refused) {
    const heard = await talk(port, first(target), 1)
    t.match(heard.responses, [{ status: 403, body: /"code":40300/ }], target)
    await assertUnharmed(app, heard)
  }
  t.same(received, [])
})

t.test('A33: a target that is a whole URL is served where its host is allowed, whatever Host says', async t => {
  const { port, received } = await open(t)
  const targets = ['http://localhost/mcp', 'http://127.0.0.1:1234/mcp', 'https://localhost/mcp', 'HTTP://LOCALHOST/mcp']

  for (const target of targets) {
    t.match((await talk(port, first(target), 1)).responses, [{ status: 200 }], target)
    const other = rawCall(['host: evil.example'], echoCall(), `POST ${target} HTTP/1.1`)
    t.match((await talk(port, other, 1)).responses, [{ status: 200 }], `${target}, another Host`)
  }

  t.equal(received.length, 2 * targets.length)
})

t.test('A33: what a trusted proxy forwards counts as well', async t => {
  const { port } = await open(t, { trustProxy: ['127.0.0.1'] })
  const ask = async (target: string, forwarded: string) => {
    const bytes = rawCall([`x-forwarded-host: ${forwarded}`], echoCall(), `POST ${target} HTTP/1.1`)
    return (await talk(port, bytes, 1)).responses[0]!.status
  }

  t.equal(await ask('/mcp', 'localhost'), 200)
  t.equal(await ask('/mcp', 'evil.example'), 403)
  t.equal(await ask('http://localhost/mcp', 'evil.example'), 403)
  t.equal(await ask('http://evil.example/mcp', 'localhost'), 403)
  t.equal(await ask('http://localhost/mcp', 'localhost'), 200)
})

t.test('A33: metrics are not shown to who names another host by its target', async t => {
  const { port } = await open(t)
  const statusOf = async (target: string) => {
    const bytes = `GET ${target} HTTP/1.1\r\nhost: localhost\r\n\r\n`
    return (await talk(port, bytes, 1)).responses[0]!.status
  }

  t.equal(await statusOf('/metrics'), 200)
  t.equal(await statusOf('http://localhost/metrics'), 200)
  t.equal(await statusOf('http://evil.example/metrics'), 403)
})

t.test('A35: what is no request for a route is refused in the format of the endpoint', async t => {
  const { app, port, received } = await open(t)
  const cases: [name: string, bytes: string, status: number, code: number][] = [
    ['no HTTP', 'hello\r\n\r\n', 400, -32600],
    ['long headers', rawCall([`x-long: ${'x'.repeat(20_000)}`]), 431, 43100],
    ['no Host', rawCall().replace(/host: .*\r\n/i, ''), 400, -32600],
    ['no Host, another path', 'GET /health HTTP/1.1\r\n\r\n', 400, -32600],
    ['no Host beside a URL', first('http://localhost/mcp').replace(/host: .*\r\n/i, ''), 400, -32600],
    ['two lengths', rawCall(['content-length: 5', 'Content-Length: 6']), 400, -32600],
    ['an expectation', rawCall(['expect: miracles']), 417, 41700],
    ['CONNECT', 'CONNECT localhost:80 HTTP/1.1\r\nhost: localhost\r\n\r\n', 405, 40500],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nhost: localhost\r\n\r\n', 404, 40400],
    [
      'chunk extensions',
      `${rawCall(['transfer-encoding: chunked'], '').replace(/content-length: 0\r\n/, '')}5;${'x'.repeat(20_000)}\r\n`,
      413,
      41300,
    ],
  ]

  for (const [name, bytes, status, code] of cases) {
    const heard = await talk(port, bytes, 1)
    const [response] = heard.responses
    t.equal(response?.status, status, name)
    t.match(response?.headers, /^content-type: application\/json; charset=utf-8$/im, name)
    t.match(JSON.parse(response?.body ?? 'null'), { jsonrpc: '2.0', error: { code, message: String } }, name)
    await assertUnharmed(app, heard)
  }
  t.same(received, [])
})

t.test('A33: a Host that was ignored beside a whole URL is refused when it counts', async t => {
  const { port } = await open(t)
  const evil = (target: string) => rawCall(['host: evil.example'], echoCall(), `POST ${target} HTTP/1.1`)

  t.match((await talk(port, evil('http://localhost/mcp'), 1)).responses, [{ status: 200 }])
  t.match((await talk(port, evil('/mcp'), 1)).responses, [{ status: 403 }])
})

t.test('A33: two hosts are none, also beside a target that is a whole URL', async t => {
  const { port, received } = await open(t)
  const bytes = rawCall(['host: localhost', 'Host: localhost'], echoCall(), 'POST http://localhost/mcp HTTP/1.1')

  t.match((await talk(port, bytes, 1)).responses, [{ status: 403 }])
  t.same(received, [])
})
