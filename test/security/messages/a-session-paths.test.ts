// The routes of sessions: GET and DELETE of the endpoint, GET /sse, POST /messages.
import t from 'tap'
import { assertServed, attackIn, callOf, handshake, openSession } from '../../support/security/sessions.ts'
import { assertUnharmed, open as serve, talk } from '../../support/security/socket.ts'

type Door = ['GET' | 'DELETE' | 'POST', string]
const DOORS: Door[] = [
  ['GET', '/mcp'],
  ['DELETE', '/mcp'],
  ['POST', '/mcp'],
  ['GET', '/sse'],
  ['POST', '/messages'],
]
const EVIL_ORIGINS = ['https://evil.example', 'null', 'http://localhost.evil.example', 'file://', '']
const EVIL_HOSTS = ['evil.example', 'evil.example:3000', '127.0.0.1.evil.example', '0.0.0.0']

t.test('A33: an origin or a host that is not allowed gets 403 at every door, and no session', async t => {
  const { app } = await serve(t, { httpSse: true })
  const session = await openSession(app)

  for (const [verb, url] of DOORS) {
    const body = verb === 'POST' ? '{' : undefined
    for (const headers of [...EVIL_ORIGINS.map(origin => ({ origin })), ...EVIL_HOSTS.map(host => ({ host }))]) {
      const got = await attackIn(app, { session, method: verb, path: url, body, headers })
      t.match({ status: got.status, code: got.message?.error?.code }, { status: 403, code: 40300 }, `${verb} ${url}`)
      t.notOk('access-control-allow-origin' in got.headers)
    }
  }
  const opening = await attackIn(app, { body: handshake(), headers: { origin: 'https://evil.example' } })
  t.equal(opening.status, 403)
  t.notOk('mcp-session-id' in opening.headers)
  await assertServed(app, session)
})

t.test('A33: a page that may call can read the id of its session, and no other header of ours', async t => {
  const { app } = await serve(t)

  const got = await attackIn(app, { body: handshake(), headers: { origin: 'http://localhost:8080' } })

  t.equal(got.headers['access-control-allow-origin'], 'http://localhost:8080')
  t.match(got.headers['access-control-expose-headers'], /Mcp-Session-Id/)
  t.notOk('access-control-allow-credentials' in got.headers)
})

t.test('A37: other spellings of the paths are unknown, or the same door with the same guards', async t => {
  const { app, port } = await serve(t, { httpSse: true })
  const session = await openSession(app)
  const lines = ['host: localhost', `mcp-session-id: ${session}`, 'accept: text/event-stream', 'content-length: 0']
  const send = (first: string, more: string[] = []) =>
    talk(port, `${[first, ...lines, ...more].join('\r\n')}\r\n\r\n`, 1)

  for (const [verb, path] of DOORS) {
    const name = path.slice(1)
    const unknown = [
      `/${path}`,
      `${path}/`,
      path.toUpperCase(),
      `/.well-known/..${path}`,
      `${path};x`,
      `${path}%00`,
      `${path}%2f`,
    ]
    for (const target of unknown) {
      const heard = await send(`${verb} ${target} HTTP/1.1`)
      t.match(heard.responses, [{ status: 404, body: /"code":40400,"message":"Not found/ }], `${verb} ${target}`)
    }
    const same = [`/%${name.charCodeAt(0).toString(16)}${name.slice(1)}`, `${path}?x=1`, `http://localhost${path}`]
    for (const target of same) {
      const heard = await send(`${verb} ${target} HTTP/1.1`, ['origin: https://evil.example'])
      t.match(heard.responses, [{ status: 403 }], `${verb} ${target}`)
      await assertUnharmed(app, heard)
    }
  }
  await assertServed(app, session)
})

t.test('A32, A37: no verb opens what it is not for', async t => {
  const { app } = await serve(t, { httpSse: true })
  const session = await openSession(app)
  const cases: [Parameters<typeof attackIn>[1]['method'], string, number][] = [
    ['HEAD', '/mcp', 405],
    ['PUT', '/mcp', 405],
    ['PATCH', '/mcp', 405],
    ['HEAD', '/sse', 404],
    ['POST', '/sse', 404],
    ['DELETE', '/sse', 404],
    ['GET', '/messages', 404],
    ['HEAD', '/messages', 404],
    ['DELETE', '/messages', 404],
  ]

  for (const [verb, url, status] of cases) {
    const got = await attackIn(app, { session, method: verb, path: url })
    t.equal(got.status, status, `${verb} ${url}`)
  }
  await assertServed(app, session)
})

t.test('A37: without HTTP_SSE its doors are not there', async t => {
  const { app } = await serve(t)

  t.equal((await attackIn(app, { method: 'GET', path: '/sse' })).status, 404)
  t.equal((await attackIn(app, { path: '/messages?sessionId=x', body: callOf('echo') })).status, 404)
})

t.test('A16: a stream is opened only to a client that takes one', async t => {
  const { app } = await serve(t, { httpSse: true })
  const session = await openSession(app)

  for (const url of ['/mcp', '/sse'])
    for (const accept of ['application/json', 'text/html', 'text/event-stream;q=0', '*/*;q=0']) {
      const got = await attackIn(app, { session, method: 'GET', path: url, headers: { accept } })
      t.match({ status: got.status, code: got.message?.error?.code }, { status: 406, code: 40600 }, accept)
    }
})

t.test('A15, A16: bodies of sessions have the media type that bodies have', async t => {
  const { app, received } = await serve(t, { httpSse: true })
  const session = await openSession(app)

  for (const url of ['/mcp', '/messages?sessionId=x'])
    for (const type of [
      'text/plain',
      undefined,
      'application/json\ta',
      'application/json garbage',
      'application/jsonp',
      'application/json;charset=utf-16',
    ]) {
      const got = await attackIn(app, { session, path: url, body: callOf('echo'), headers: { 'content-type': type } })
      t.match({ status: got.status, code: got.message?.error?.code }, { status: 415, code: 41500 }, `${type}`)
    }
  t.same(received, [])
})

t.test('A5, A34: an end with a body is bounded like any other request', async t => {
  const { app, port } = await serve(t)
  const session = await openSession(app)
  const raw = (body: string, more: string[] = []) =>
    `${['DELETE /mcp HTTP/1.1', 'host: localhost', `mcp-session-id: ${session}`, 'content-type: application/json', `content-length: ${body.length}`, ...more].join('\r\n')}\r\n\r\n${body}`

  const large = await talk(port, raw('x'.repeat(2 ** 20 + 1)), 1)
  const many = await talk(
    port,
    raw(
      '',
      Array.from({ length: 2001 }, (_, index) => `x-${index}: y`),
    ),
    1,
  )
  for (const heard of [large, many]) await assertUnharmed(app, heard)
  t.match(
    [large, many].map(({ responses }) => responses[0]?.status),
    [413, 431],
  )
  await assertServed(app, session)

  const ended = await talk(port, raw(''), 1)
  t.match(ended.responses, [{ status: 204 }], 'announced and empty, as some clients send it')
})
