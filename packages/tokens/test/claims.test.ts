// What a token claims, to the second.
import t from 'tap'
import { TOLERANCE_S } from '../../../src/auth/token.ts'
import { Owners } from '../../../src/request/owners.ts'
import { type ClaimRules, MAX_LIFETIME_S, verifyClaims, verifyIntrospected } from '../src/claims.ts'

const NOW_S = 1_800_000_000
const [ISSUER, AUDIENCE] = ['https://as.example', 'https://tools.example/mcp']
const RULES: ClaimRules = { issuers: [ISSUER], audiences: [AUDIENCE] }
const GOOD = { iss: ISSUER, aud: AUDIENCE, sub: 'alice', exp: NOW_S + 60 }
const FAULT = { name: 'TokenError' }

const read = (over: object = {}, typ?: string, rules = RULES) =>
  verifyClaims({ header: { alg: 'HS256', kid: undefined, typ }, payload: { ...GOOD, ...over } }, rules, NOW_S)

t.test('a caller is its issuer, its subject, its client and its scopes', async t => {
  t.strictSame(read({ client_id: 'app', scope: 'a b' }), {
    issuer: ISSUER,
    subject: 'alice',
    clientId: 'app',
    scopes: ['a', 'b'],
    expiresAtS: NOW_S + 60,
  })
  t.equal(read({ azp: 'other' }).clientId, 'other')
  t.equal(read({ azp: 'other', client_id: 'app' }).clientId, 'app')
})

t.test('B10, B11: times are compared within the tolerance, to the second', async t => {
  const good = [
    { exp: NOW_S - TOLERANCE_S },
    { exp: NOW_S - 29 },
    { exp: NOW_S + MAX_LIFETIME_S + TOLERANCE_S },
    { nbf: NOW_S + TOLERANCE_S },
    { iat: NOW_S + TOLERANCE_S },
    { iat: 1, nbf: 1 },
  ]
  const wrong = [
    { exp: NOW_S - 31 },
    { exp: NOW_S + MAX_LIFETIME_S + 31 },
    { nbf: NOW_S + 31 },
    { iat: NOW_S + 31 },
    ...[undefined, 0, -1, '123', null, Number.POSITIVE_INFINITY, Number.NaN, true, [NOW_S], {}].map(exp => ({ exp })),
    ...[0, -1, '123', null, Number.POSITIVE_INFINITY, true, []].flatMap(time => [{ nbf: time }, { iat: time }]),
  ]

  for (const claims of good) t.doesNotThrow(() => read(claims), JSON.stringify(claims))
  for (const claims of wrong) t.throws(() => read(claims), FAULT, JSON.stringify(claims))
})

t.test('B12: where no issuer is named any is taken, and is part of who calls', async t => {
  const any = { ...RULES, issuers: undefined }

  t.equal(read({ iss: undefined }, undefined, any).issuer, undefined)
  const owners = [undefined, 'https://a', 'https://b'].map(iss =>
    new Owners(undefined).find(read({ iss }, undefined, any)),
  )
  t.equal(new Set(owners).size, 3, 'one subject of two issuers are two')
  for (const iss of ['', null, [], {}, 1]) t.throws(() => read({ iss }, undefined, any), FAULT)
})

t.test('scopes come as text or as a list, in `scope` or `scp`', async t => {
  const scopes: [object, string[]][] = [
    [{}, []],
    [{ scope: '' }, []],
    [{ scope: ' a  b ' }, ['a', 'b']],
    [{ scope: ['a', 'b c', 'a'] }, ['a']],
    [{ scp: 'a b' }, ['a', 'b']],
    [{ scp: ['a'] }, ['a']],
    [{ scope: 'a', scp: 'b' }, ['a']],
    [{ scope: 'a\tb c' }, ['c']],
  ]

  for (const [claims, expected] of scopes) t.strictSame(read(claims).scopes, expected, JSON.stringify(claims))
  for (const scope of [1, {}, [1], [null], true, [['a']]]) t.throws(() => read({ scope }), FAULT, JSON.stringify(scope))
})

t.test('one of several audiences or issuers is enough', async t => {
  const rules = { issuers: [ISSUER, 'https://b.example'], audiences: ['api://guid', 'guid'] }

  for (const aud of ['guid', 'api://guid', ['guid'], ['other', 'guid']])
    t.doesNotThrow(() => read({ aud }, undefined, rules), JSON.stringify(aud))
  for (const aud of ['api://guid,guid', 'GUID', ['other'], [], ['guid', 1], undefined, null, {}, { guid: 1 }])
    t.throws(() => read({ aud }, undefined, rules), { message: 'aud is not this server' }, JSON.stringify(aud))
  t.equal(read({ iss: 'https://b.example', aud: 'guid' }, undefined, rules).issuer, 'https://b.example')
  t.throws(() => read({ iss: `${ISSUER},https://b.example`, aud: 'guid' }, undefined, rules), FAULT)
})

t.test(
  'JWT_CLIENT_IDS: only tokens of these clients; JWT_AUDIENCE_OPTIONAL: they may lack an audience, but not have a wrong one',
  async t => {
    const rules = { ...RULES, clientIds: ['app', 'other'], isAudienceOptional: true }
    const wrong = { message: 'client_id is not a client that is accepted' }

    t.equal(read({ aud: undefined, client_id: 'app' }, undefined, rules).clientId, 'app')
    for (const name of ['azp', 'appid', 'cid'])
      t.equal(read({ aud: undefined, [name]: 'other' }, undefined, rules).clientId, 'other', name)
    for (const claims of [{}, { client_id: 'x' }, { client_id: 'app,other' }, { client_id: 'x', azp: 'app' }])
      for (const aud of [undefined, AUDIENCE])
        t.throws(() => read({ aud, ...claims }, undefined, rules), wrong, JSON.stringify(claims))
    for (const aud of ['app', null, [], '', ['app']])
      t.throws(() => read({ aud, client_id: 'app' }, undefined, rules), { message: 'aud is not this server' })
    t.throws(() => read({ client_id: ['app'] }, undefined, rules), FAULT)
    t.throws(
      () => read({ aud: undefined, client_id: 'app' }, undefined, { ...RULES, clientIds: ['app'] }),
      { message: 'aud is not this server' },
      'without the setting',
    )
  },
)

t.test('what is given to tools cannot be changed by them', async t => {
  t.throws(() => (read({ scope: 'a' }).scopes as string[]).push('admin'), TypeError)
})

t.test('B14: the type is that of an access token, or not said', async t => {
  for (const typ of [undefined, 'JWT', 'at+jwt', 'AT+JWT', 'application/at+jwt', 'application/jwt']) {
    t.doesNotThrow(() => read({}, typ), String(typ))
  }
  for (const typ of ['', 'dpop+jwt', 'logout+jwt', 'id+jwt', 'at+jwt ']) t.throws(() => read({}, typ), FAULT, typ)
})

t.test('a claim that names somebody says what is wrong with it', async t => {
  const faults: [over: object, message: string][] = [
    [{ sub: undefined }, 'sub is missing'],
    [{ sub: null }, 'sub is missing'],
    [{ sub: 7 }, 'sub is not a text'],
    [{ sub: '' }, 'sub is empty'],
    [{ sub: 'x'.repeat(1000) }, 'sub is longer than 512 characters'],
    [{ sub: 'a\ufffd' }, 'sub has characters that are not allowed'],
    [{ client_id: 'x'.repeat(513) }, 'client_id is longer than 512 characters'],
    [{ exp: undefined }, 'exp is missing'],
    [{ exp: 'soon' }, 'exp is not a time'],
    [{ nbf: -1 }, 'nbf is not a time'],
  ]

  for (const [over, message] of faults) t.throws(() => read(over), { ...FAULT, message }, message)
  t.equal(read({ sub: 'x'.repeat(512) }).subject.length, 512)
})

t.test('SPIFFE: without iss the trust domain of the subject is the issuer', async t => {
  const domain = 'spiffe://acme.example'
  const rules: ClaimRules = { issuers: [domain], audiences: [AUDIENCE] }
  const svid = (over: object) => read({ iss: undefined, sub: `${domain}/web`, ...over }, undefined, rules)
  const wrong = { message: 'iss is not the issuer that is trusted' }

  t.equal(svid({}).issuer, domain)
  t.equal(svid({}).subject, `${domain}/web`)
  t.equal(svid({ iss: domain }).issuer, domain)
  for (const sub of [
    'spiffe://other.example/web',
    'spiffe://acme.example.evil/web',
    'spiffe://acme.example',
    'spiffe://ACME.example/web',
    'acme.example/web',
    'alice',
  ]) {
    t.throws(() => svid({ sub }), wrong, sub)
    t.throws(() => svid({ sub, iss: domain }), { message: 'sub is not in the trust domain' }, `${sub}, with iss`)
  }
  for (const sub of [undefined, ['spiffe://acme.example/web'], { a: 1 }]) t.throws(() => svid({ sub }), FAULT)
  t.throws(() => svid({ iss: 'https://as.example' }), wrong, 'an issuer that is said counts')
  t.throws(() => svid({ iss: null }), wrong)
})

t.test('SPIFFE: of several trust domains, the subject names its own', async t => {
  const rules: ClaimRules = { issuers: ['spiffe://a.example', 'spiffe://b.example'], audiences: [AUDIENCE] }

  for (const domain of rules.issuers!)
    t.equal(read({ iss: undefined, sub: `${domain}/web` }, undefined, rules).issuer, domain)
  t.throws(() => read({ iss: undefined, sub: 'spiffe://c.example/web' }, undefined, rules), FAULT)
})

t.test('only issuers of SPIFFE may be left out', async t => {
  t.throws(() => read({ iss: undefined, sub: `${ISSUER}/alice` }), { message: 'iss is not the issuer that is trusted' })
})

/** What an issuer says of an opaque token. */
const INTROSPECTION_RULES = { issuers: ['https://as.example'], audiences: ['https://mcp.example/mcp'] }
const introspect = (answer: object) =>
  verifyIntrospected(
    { active: true, sub: 'alice', aud: INTROSPECTION_RULES.audiences, ...answer },
    INTROSPECTION_RULES,
    NOW_S,
  )

t.test('streams of a token that may be revoked end within an hour, whatever its end', async t => {
  t.equal(introspect({ exp: NOW_S + 60 }).expiresAtS, NOW_S + 60)
  for (const exp of [undefined, NOW_S + 7200, NOW_S + 1e9, 1e300]) t.equal(introspect({ exp }).expiresAtS, NOW_S + 3600)
})

t.test('answers of odd types are refused, or read as RFC 7662 allows', async t => {
  t.strictSame(introspect({ scope: ['read', 'write'] }).scopes, ['read', 'write'])
  for (const odd of [
    { exp: String(NOW_S + 60) },
    { exp: null },
    { exp: -1 },
    { sub: 7 },
    { sub: undefined, username: 'alice' },
    { scope: { read: true } },
    { scope: [1] },
    { aud: { 0: INTROSPECTION_RULES.audiences[0] } },
    { aud: [INTROSPECTION_RULES.audiences] },
    { iss: [INTROSPECTION_RULES.issuers[0]] },
    { iss: null },
    { client_id: ['app'] },
    { token_type: 7 },
  ])
    t.throws(() => introspect(odd), { name: 'TokenError' }, JSON.stringify(odd))
})
