// As whom a caller of the console is in.
import t from 'tap'
import { keysFile, testKey } from '../../../../../test/support/auth/api-keys.ts'
import { bearer, guarded } from '../../../../../test/support/auth/guarded.ts'
import { withConsole } from '../../../../../test/support/console/app.ts'

t.test('a token says its subject, issuer, scopes and end', async t => {
  const app = await guarded(t, { console: true })
  const headers = bearer('prices:read', { sub: 'alice' })

  const reply = await app.inject({ url: '/console/api/me', headers })
  t.equal(reply.statusCode, 200)
  t.equal(reply.headers['cache-control'], 'no-store')
  t.match(reply.json(), { name: 'alice', scopes: ['prices:read'], expiresAt: /^\d{4}-.+Z$/ })
})

t.test('an API key has its name', async t => {
  const key = testKey({ scopes: ['prices:read'] })
  const app = await withConsole(t, { console: true, apiKeysFile: keysFile(t, key).path })

  const reply = await app.inject({ url: '/console/api/me', headers: { authorization: `Bearer ${key.key}` } })
  t.match(reply.json(), { name: 'n8n', scopes: ['prices:read'] })
})

t.test('nobody is in without a token, or without access control', async t => {
  const guardedApp = await guarded(t, { console: true })
  t.equal((await guardedApp.inject('/console/api/me')).statusCode, 401)

  const open = await withConsole(t)
  t.strictSame((await open.inject('/console/api/me')).json(), {})
})

t.test('a page of another port of this machine may ask neither who is in nor what was called', async t => {
  const app = await withConsole(t)
  const ask = async (url: string, headers: Record<string, string>) => {
    const reply = await app.inject({ url, headers: { host: 'localhost:3000', ...headers } })
    return [reply.statusCode, reply.headers['access-control-allow-origin']]
  }

  for (const url of ['/console/api/me', '/console/api/activity']) {
    t.strictSame(await ask(url, { origin: 'http://localhost:5173' }), [403, undefined], url)
    t.strictSame(await ask(url, { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }), [403, undefined])
    t.strictSame((await ask(url, { origin: 'http://localhost:3000' }))[0], 200)
    t.strictSame((await ask(url, {}))[0], 200)
  }
})
