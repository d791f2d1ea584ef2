// Access tokens, and what an issuer signs beside them with the same keys.
import t from 'tap'
import { assertAccessToken } from '../../../src/auth/token-kind.ts'

const check = (payload: object, typ?: string, needsEvidence = true) =>
  assertAccessToken(
    { header: { alg: 'RS256', kid: 'a', typ }, payload: { aud: 'api', ...payload } },
    { hasIdTokens: needsEvidence },
  )

t.test(
  'a token shows that it is for access: by its type, kind or scopes, a client that is not its audience, or a URL as audience',
  async t => {
    const shown = [
      { scope: '' },
      { scp: [] },
      { azpacr: '1' },
      { appidacr: '0' },
      { client_id: 'app' },
      { azp: 'app' },
      { appid: 'app' },
      { cid: 'app' },
      { client_id: 'app', aud: undefined },
      { azp: 'app', aud: ['api', 'other'] },
      { token_use: 'access' },
      { typ: 'Bearer' },
      { tokenName: 'access_token' },
      { aud: 'https://tools.example/mcp' },
      { aud: ['https://tools.example/mcp', 'api://guid'] },
    ]

    for (const payload of shown) t.doesNotThrow(() => check(payload), JSON.stringify(payload))
    for (const typ of ['at+jwt', 'AT+JWT', 'application/at+jwt']) t.doesNotThrow(() => check({}, typ), typ)
  },
)

t.test('what shows nothing may be an ID token', async t => {
  const silent = [
    {},
    { name: 'Alice', email: 'a@b.example', roles: ['admin'], groups: ['g'], sid: 's', ver: '2.0' },
    { azp: 'api' },
    { client_id: 'api', azp: 'app' },
    { azp: 'app', aud: ['api', 'app'] },
    { typ: 'JWT' },
    { aud: ['https://tools.example/mcp', 'app'] },
    { aud: 'https://tools.example/mcp', azp: 'https://tools.example/mcp' },
    { aud: undefined },
  ]

  for (const payload of silent)
    t.throws(() => check(payload), { name: 'TokenError', message: /may be an ID token/ }, JSON.stringify(payload))
})

t.test('a secret of services of your own signs no ID tokens, so nothing has to be shown', async t => {
  t.doesNotThrow(() => check({}, 'JWT', false))
  t.throws(() => check({ nonce: 'n' }, 'JWT', false), /ID token/)
})

t.test('signs of ID tokens refuse, whatever else the token has', async t => {
  const all = { scope: 'read', client_id: 'app' }

  for (const name of ['at_hash', 'c_hash', 's_hash']) {
    t.throws(() => check({ ...all, [name]: 'x' }), /an ID token is no access token/, name)
    t.throws(() => check({ ...all, typ: 'Bearer', [name]: 'x' }, 'at+jwt'), /an ID token/, name)
  }
  t.throws(() => check({ ...all, nonce: 'n' }), /an ID token is no access token/)
  t.doesNotThrow(() => check({ ...all, nonce: 'n', typ: 'Bearer' }), 'Keycloak before 24')
})

t.test('a token of another kind is refused by the claim that names it', async t => {
  const others: [string, unknown[]][] = [
    ['token_use', ['id', 'refresh', '', 1, null, ['access']]],
    ['typ', ['ID', 'Refresh', 'Offline', 'Logout', 'Serialized-ID', 'logout+jwt', '', 1, null]],
    ['tokenName', ['id_token', 'refresh_token', {}]],
  ]

  for (const [name, values] of others)
    for (const value of values)
      t.throws(
        () => check({ scope: 'read', client_id: 'app', [name]: value }),
        { name: 'TokenError', message: `${name} is of another token` },
        JSON.stringify(value),
      )
})
