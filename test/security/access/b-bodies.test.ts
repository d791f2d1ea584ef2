// The server knows who calls before it parses a byte of the body.
import t from 'tap'
import { attempt, secretTarget } from '../../support/auth/attack-tokens.ts'
import { ECHO_HEADERS, send } from '../../support/security/probe.ts'
import { talk } from '../../support/security/socket.ts'

const MIB = 2 ** 20
const BODIES: Record<string, string | Buffer> = {
  'a MiB': `{"x":"${'x'.repeat(MIB)}"}`,
  'ten MiB': 'x'.repeat(10 * MIB),
  'broken JSON': '{"jsonrpc":',
  nothing: '',
  'bytes that are no text': Buffer.from([0xff, 0xfe, 0]),
  deep: '['.repeat(100_000),
}

t.test('B22: without a token that is good a body gets 401, whatever is in it, and is not parsed', async t => {
  const { app } = await secretTarget(t)
  const parsed: string[] = []
  const { parse } = JSON
  t.teardown(() => (JSON.parse = parse))
  JSON.parse = (text, reviver) => {
    parsed.push(text)
    return parse(text, reviver)
  }

  for (const [name, body] of Object.entries(BODIES)) {
    for (const headers of [{}, { authorization: 'Bearer x' }, { authorization: 'Bearer a.b.c' }]) {
      const all = { ...ECHO_HEADERS, ...headers }
      const { statusCode } = await app.inject({ method: 'POST', url: '/mcp', headers: all, payload: body })
      t.equal(statusCode, 401, `${name}, ${JSON.stringify(headers)}`)
    }
  }

  // The helper parses the lines of the log.
  t.strictSame(
    parsed.filter(text => !text.startsWith('{"level":')),
    [],
  )
  JSON.parse = parse
  for (const contentType of ['text/plain', 'application/x-www-form-urlencoded', undefined]) {
    const got = await send(app, { body: 'access_token=x', headers: { 'content-type': contentType } })
    t.equal(got.status, 401, 'before the type of the body is looked at')
  }
})

t.test('B22: over a socket the answer does not wait for the body', async t => {
  const { app } = await secretTarget(t)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const head = Object.entries(ECHO_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`)

  const heard = await talk(port, `POST /mcp HTTP/1.1\r\n${head.join('')}content-length: ${MIB}\r\n\r\n{`, 1)

  t.equal(heard.responses[0]!.status, 401)
})

t.test('B1: a 401 comes for every verb and path of the endpoint', async t => {
  const { app } = await secretTarget(t, { httpSse: true })

  for (const method of ['GET', 'POST', 'DELETE', 'PUT', 'PATCH'] as const) {
    t.equal((await app.inject({ method, url: '/mcp', headers: { host: 'localhost' } })).statusCode, 401, method)
  }
  for (const [method, url] of [
    ['GET', '/sse'],
    ['POST', '/messages?sessionId=x'],
  ] as const) {
    t.equal((await app.inject({ method, url, headers: { host: 'localhost' } })).statusCode, 401, url)
  }
  t.equal((await attempt(app, { authorization: 'Bearer x' })).status, 401)
})
