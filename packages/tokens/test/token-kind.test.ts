// Access tokens, and what an issuer signs beside them with the same keys.
import t from 'tap'
import { assertAccessToken, assertIntrospected } from '../src/token-kind.ts'

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

t.test('B14: signs of ID tokens refuse, whatever else the token has', async t => {
  const all = { scope: 'read', client_id: 'app' }

  for (const name of ['at_hash', 'c_hash', 's_hash']) {
    t.throws(() => check({ ...all, [name]: 'x' }), /an ID token is not an access token/, name)
    t.throws(() => check({ ...all, typ: 'Bearer', [name]: 'x' }, 'at+jwt'), /an ID token/, name)
  }
  t.throws(() => check({ ...all, nonce: 'n' }), /an ID token is not an access token/)
  t.doesNotThrow(() => check({ ...all, nonce: 'n', typ: 'Bearer' }), 'Keycloak before 24')
})

t.test('B14: a token of another kind is refused by the claim that names it', async t => {
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

t.test('B49: a rule says what access tokens of an issuer have, and nothing else then shows it', async t => {
  const ruled = (payload: object, accessTokens: object, typ?: string) =>
    assertAccessToken(
      { header: { alg: 'RS256', kid: 'a', typ }, payload: { aud: 'app', ...payload } },
      { hasIdTokens: true, accessTokens: accessTokens as never },
    )
  const fault = { name: 'TokenError', message: /^azp is not that of an access token of this issuer$/ }

  t.doesNotThrow(() => ruled({ azp: 'app', nonce: 'n' }, { azp: ['app'] }, 'JWT'), 'authentik')
  t.throws(() => ruled({ nonce: 'n' }, { azp: ['app'] }, 'JWT'), fault, 'its ID token')
  t.throws(() => ruled({ azp: 'other' }, { azp: ['app'] }), fault)
  for (const shown of [{ scope: 'read' }, { client_id: 'x' }, { aud: 'https://tools.example/mcp' }])
    t.throws(() => ruled(shown, { azp: ['app'] }, 'at+jwt'), fault, JSON.stringify(shown))
  t.doesNotThrow(() => ruled({ jti: 'V2_1-at_2' }, { jti: ['*'] }), 'a claim that is there')
  for (const jti of [undefined, null, {}, [], '']) t.throws(() => ruled({ jti }, { jti: ['?*'] }), /jti is not/)
})

t.test('B43, B49: no rule lets in what says to be another token', async t => {
  const rule = { hasIdTokens: true, accessTokens: { azp: ['app'] } }
  const ruled = (payload: object, typ?: string) =>
    assertAccessToken({ header: { alg: 'RS256', kid: 'a', typ }, payload: { azp: 'app', ...payload } }, rule)

  for (const other of [
    { at_hash: 'x' },
    { c_hash: 'x' },
    { token_use: 'id' },
    { typ: 'ID' },
    { events: {} },
    { cnf: { jkt: 'x' } },
    { token_type: 'DPoP' },
  ])
    t.throws(() => ruled(other), { name: 'TokenError' }, JSON.stringify(other))
  for (const typ of ['logout+jwt', 'secevent+jwt', 'dpop+jwt']) t.throws(() => ruled({}, typ), /typ is of another/)
})

t.test('typ JOSE, as SPIFFE allows it, counts by a rule only', async t => {
  const svid = { sub: 'spiffe://acme.example/web', aud: 'https://tools.example/mcp' }
  const token = { header: { alg: 'ES256', kid: 'a', typ: 'JOSE' }, payload: svid }

  t.doesNotThrow(() => assertAccessToken(token, { hasIdTokens: true, accessTokens: { sub: ['spiffe://*'] } }))
  t.throws(() => assertAccessToken(token, { hasIdTokens: true }), /typ is of another token/)
})

t.test('B43, B46: an answer about a token may not be about a refresh token, an ID token or a bound one', async t => {
  for (const answer of [{}, { scope: '' }, { token_type: 'Bearer' }, { typ: 'Bearer' }, { token_use: 'access' }])
    t.doesNotThrow(() => assertIntrospected(answer), JSON.stringify(answer))
  for (const answer of [
    { typ: 'Refresh' },
    { typ: 'ID' },
    { token_use: 'id' },
    { token_use: 'refresh' },
    { at_hash: 'x' },
    { cnf: { jkt: 'x' } },
    { token_type: 'DPoP' },
    { token_type: 'refresh_token' },
  ])
    t.throws(() => assertIntrospected(answer), { name: 'TokenError' }, JSON.stringify(answer))
})
