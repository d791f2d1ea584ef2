// Who may reach the endpoint from where: hosts and origins, and the addresses that it binds.
import t from 'tap'
import { ConfigError, createServer } from '../../../src/index.ts'
import { type App, build, request } from '../../support/app.ts'

const { message, headers } = request('server/discover')

function knock(app: App, more: Record<string, string> = {}) {
  return app.inject({ method: 'POST', url: '/mcp', headers: { ...headers, ...more }, payload: JSON.stringify(message) })
}

t.test('a request without an origin comes from no page, and is served', async t => {
  const reply = await knock(await build(t))

  t.equal(reply.statusCode, 200)
  t.notOk('access-control-allow-origin' in reply.headers)
})

t.test('origins: by default those of this machine and the public URL', async t => {
  const app = await build(t, { publicUrl: 'https://tools.example/mcp' })
  const allowed = [
    'http://localhost',
    'https://localhost:1',
    'http://127.0.0.1:5173',
    'http://[::1]',
    'https://tools.example',
  ]
  const refused = [
    'http://tools.example',
    'https://tools.example:8443',
    'https://tools.example.evil.example',
    'https://localhost.evil.example',
    'http://localhost:80',
    'http://localhost/',
    'http://user@localhost',
    'HTTP://LOCALHOST',
    'chrome-extension://localhost',
    'http://10.0.0.1',
    'http://0.0.0.0',
    'localhost',
    'http://localhost, https://evil.example',
  ]

  for (const origin of allowed) t.equal((await knock(app, { origin })).statusCode, 200, origin)
  for (const origin of refused) t.equal((await knock(app, { origin })).statusCode, 403, origin)
})

t.test('origins: a list takes the place of this machine', async t => {
  const app = await build(t, { allowedOrigins: ['https://app.example', 'https://b.example:8443'] })

  for (const origin of ['https://app.example', 'https://b.example:8443'])
    t.equal((await knock(app, { origin })).statusCode, 200, origin)
  for (const origin of [
    'http://app.example',
    'https://app.example:8443',
    'https://b.example',
    'http://localhost:3000',
    '*',
  ])
    t.equal((await knock(app, { origin })).statusCode, 403, origin)
})

t.test('origins: extensions and apps, by their id or by their scheme', async t => {
  const app = await build(t, {
    allowedOrigins: ['chrome-extension://abcdefghijklmnop', 'tauri://localhost', 'moz-extension://'],
  })

  for (const origin of [
    'chrome-extension://abcdefghijklmnop',
    'tauri://localhost',
    'moz-extension://2ad3f6c5-0b7a-4a8e-9e0f-1f1f1f1f1f1f',
  ]) {
    const reply = await knock(app, { origin })
    t.strictSame([reply.statusCode, reply.headers['access-control-allow-origin']], [200, origin])
  }
  for (const origin of [
    'chrome-extension://other',
    'chrome-extension://',
    'tauri://evil',
    'moz-extension:/a',
    'xmoz-extension://a',
    'https://localhost',
    'https://moz-extension://a',
    'file://',
    'null',
  ])
    t.equal((await knock(app, { origin })).statusCode, 403, origin)
})

t.test('hosts: by default this machine and the public URL, with or without a port', async t => {
  const app = await build(t, { publicUrl: 'https://tools.example/mcp' })

  for (const host of ['localhost', 'LocalHost:8080', '127.0.0.1', '[::1]:3000', 'tools.example', 'Tools.Example:443'])
    t.equal((await knock(app, { host })).statusCode, 200, host)
  for (const host of [
    'evil.example',
    'tools.example.evil.example',
    'xtools.example',
    'localhost.',
    '127.0.0.2',
    'tools.example@evil',
  ])
    t.equal((await knock(app, { host })).statusCode, 403, host)
})

t.test('hosts: an entry with a port allows that port only', async t => {
  const app = await build(t, { allowedHosts: ['a.example:8080', 'b.example', '[2001:db8::1]:9'] })

  for (const host of ['a.example:8080', 'A.EXAMPLE:8080', 'b.example', 'b.example:1', '[2001:db8::1]:9'])
    t.equal((await knock(app, { host })).statusCode, 200, host)
  for (const host of ['a.example', 'a.example:80', 'localhost', '[2001:db8::1]', '[2001:db8::1]:10'])
    t.equal((await knock(app, { host })).statusCode, 403, host)
})

t.test('hosts: one that was refused stays so after one that was allowed', async t => {
  const app = await build(t)

  for (const [host, status] of [
    ['localhost', 200],
    ['evil.example', 403],
    ['localhost', 200],
    ['evil.example', 403],
  ] as const)
    t.equal((await knock(app, { host })).statusCode, status, host)
})

t.test('a refusal quotes what was sent without control characters', async t => {
  const reply = await knock(await build(t), { origin: 'https://evil\u0085\u009b31m.example' })

  t.equal(reply.statusCode, 403)
  t.notMatch(reply.json().error.message, /[\p{Cc}]/u)
})

t.test('the server does not bind an address of the network unless everyone may call', async t => {
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.com', '']) {
    const app = await build(t)
    await t.rejects(async () => app.listen({ host, port: 0 }), ConfigError, host)
    t.notOk(app.server.listening)
  }
  const app = await build(t)
  await t.rejects(async () => app.listen({ host: '0.0.0.0', port: 0 }), {
    message: /^host: .* set jwt\.issuer, jwt\.secret or apiKeysFile, or allowAnonymous=true/,
  })
})

t.test('it binds loopback, and the network where that was allowed', async t => {
  for (const host of ['127.0.0.1', 'localhost']) await t.resolves((await build(t)).listen({ host, port: 0 }))
  const open = await build(t, { allowAnonymous: true })

  await t.resolves(open.listen({ host: '0.0.0.0', port: 0 }))

  await t.rejects(createServer({ allowAnonymous: 'yes' as never }), ConfigError)
})
