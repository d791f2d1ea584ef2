// Request targets in absolute form: every server has to take them, and their host counts (RFC 9112, 3.2.2).
import t from 'tap'
import { assertRuleU, open, rawCall, talk } from './socket.ts'

const post = (target: string, host = 'localhost') => rawCall([`host: ${host}`], undefined, `POST ${target} HTTP/1.1`)

t.test('a target in absolute form is served where its host may be asked for, whatever Host says', async t => {
  const { app, port, received } = await open(t)
  const targets = [
    'http://localhost/mcp',
    `http://127.0.0.1:${port}/mcp`,
    'https://localhost/mcp',
    'http://[::1]:1/mcp',
  ]

  for (const target of targets) {
    for (const host of ['localhost', 'evil.example', target.split('/')[2]!]) {
      const heard = await talk(port, post(target, host), 1)

      t.match(heard.responses, [{ status: 200 }], `${target} to ${host}`)
      await assertRuleU(app, heard)
    }
  }
  t.equal(received.length, targets.length * 3)
})

t.test('a target in absolute form of another host is refused, whatever Host says', async t => {
  const { app, port, received } = await open(t)
  const targets = [
    'http://evil.example/mcp',
    'http://evil.example:80/mcp',
    'https://evil.example/mcp',
    'http://localhost@evil.example/mcp',
    'http://evil.example@localhost/mcp',
    'http://localhost.evil.example/mcp',
    'http://evil.example\\localhost/mcp',
    'http://evil.example?localhost/mcp',
    'http:///mcp',
  ]

  for (const target of targets) {
    const heard = await talk(port, post(target), 1)

    t.match(heard.responses, [{ status: /^40[034]$/ }], target)
    await assertRuleU(app, heard)
  }
  t.same(received, [])
})

t.test('a target in absolute form of another host is told that it is forbidden', async t => {
  const { port } = await open(t)

  const { responses } = await talk(port, post('http://evil.example/mcp'), 1)

  t.match(responses, [{ status: 403, body: /"code":40300,"message":"[^"]*evil\.example/ }])
})

t.test('two hosts are none, also beside a target in absolute form', async t => {
  const { port, received } = await open(t)
  const bytes = rawCall(['host: localhost', 'Host: localhost'], undefined, 'POST http://localhost/mcp HTTP/1.1')

  const { responses } = await talk(port, bytes, 1)

  t.match(responses, [{ status: 403 }])
  t.same(received, [])
})

t.test('behind a trusted proxy the host that it was asked for counts', async t => {
  const { port, received } = await open(t, { trustProxy: ['127.0.0.1'], allowedHosts: ['tools.example'] })
  const forwarded = (target: string, host: string) =>
    rawCall(['host: inside', `x-forwarded-host: ${host}`], undefined, `POST ${target} HTTP/1.1`)

  for (const target of ['/mcp', 'http://inside/mcp']) {
    t.match((await talk(port, forwarded(target, 'tools.example'), 1)).responses, [{ status: 200 }], target)
    t.match((await talk(port, forwarded(target, 'evil.example'), 1)).responses, [{ status: 403 }], target)
  }
  t.equal(received.length, 2)
})
