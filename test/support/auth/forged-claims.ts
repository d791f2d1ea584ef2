// Tokens with a good signature and wrong claims: B9 to B14 of test/security/README.md.

import { AUDIENCE, goodClaims, ISSUER, type Issuer } from './forge.ts'
import type { Cases } from './forged-signatures.ts'
import { nowS } from './tokens.ts'

type Claims = Record<string, object | string>

const text = (over: object = {}) => JSON.stringify(goodClaims(over))
const without = (name: string) => text({ [name]: undefined })
/** A right payload, with members as they are written before those it has. */
const withText = (members: string) => `{${members},${text().slice(1)}`

const SHAPES = (): Claims => ({
  array: [goodClaims()],
  'array with claims for keys': `[${text()}]`,
  text: '"alice"',
  number: '42',
  null: 'null',
  true: 'true',
  nothing: '',
  'an object within an object': `{"payload":${text()}}`,
  'sub twice': withText('"sub":"root"'),
  'sub twice, escaped': withText('"\\u0073ub":"root"'),
  'exp twice': withText('"exp":99999999999'),
  'aud twice': withText('"aud":"https://other.example"'),
  'iss twice': withText('"iss":"https://other.example"'),
  'scope twice': withText('"scope":"a","scope":"b"'),
  'a prototype twice': withText('"__proto__":1,"__proto__":2'),
  'a subject in the prototype': `{"__proto__":{"sub":"root"},${without('sub').slice(1)}`,
  'an end in the prototype': `{"__proto__":{"exp":${nowS() + 60}},${without('exp').slice(1)}`,
  'all in the prototype': `{"__proto__":${text()}}`,
  'a BOM': `\ufeff${text()}`,
  'a comma too many': text().replace(/}$/, ',}'),
  'a comment': `${text()}//`,
  NaN: withText('"n":NaN'),
  'two documents': text() + text(),
  deep: withText(`"n":${'['.repeat(65)}${']'.repeat(65)}`),
})

const TIMES = (): Claims => ({
  'exp missing': without('exp'),
  'exp past by 31 s': { exp: nowS() - 31 },
  'exp past by a day': { exp: nowS() - 86_400 },
  'exp 0': { exp: 0 },
  'exp -1': { exp: -1 },
  'exp text': { exp: '123' },
  'exp as text of the future': { exp: String(nowS() + 60) },
  'exp null': { exp: null },
  'exp true': { exp: true },
  'exp array': { exp: [nowS() + 60] },
  'exp object': { exp: { valueOf: nowS() + 60 } },
  'exp 1e400': withText('"exp":1e400').replace(/,"exp":\d+/, ''),
  'exp -1e400': withText('"exp":-1e400').replace(/,"exp":\d+/, ''),
  'exp 1e308': { exp: 1e308 },
  'exp in ms': { exp: Date.now() + 60_000 },
  'exp in a day and ten minutes': { exp: nowS() + 87_000 },
  'exp in a year': { exp: nowS() + 365 * 86_400 },
  'Exp in capitals': withText(`"Exp":${nowS() + 60},"EXP":${nowS() + 60}`).replace(/,"exp":\d+/, ''),
})

const BEGINNINGS = (): Claims => ({
  'nbf in ten minutes': { nbf: nowS() + 600 },
  'nbf in a day': { nbf: nowS() + 86_400 },
  'nbf text': { nbf: '1' },
  'nbf null': { nbf: null },
  'nbf 1e400': withText('"nbf":1e400'),
  'iat in an hour': { iat: nowS() + 3600 },
  'iat in ten minutes': { iat: nowS() + 600 },
  'iat text': { iat: 'now' },
  'iat array': { iat: [nowS()] },
})

const ISSUERS = (): Claims => ({
  'iss missing': without('iss'),
  ...Object.fromEntries(
    [
      ...['https://other.example', `${ISSUER}/`, `${ISSUER}.evil`, ISSUER.toUpperCase(), ` ${ISSUER}`, `${ISSUER}#`],
      ...[
        'http://as.example',
        'as.example',
        '',
        `${ISSUER}:443`,
        `${ISSUER}\0`,
        'https://as%2eexample',
        [ISSUER],
        null,
      ],
      ...[{ iss: ISSUER }, [ISSUER, 'https://other.example'], 1, true],
    ].map(iss => [`iss ${JSON.stringify(iss)}`, { iss }]),
  ),
})

const AUDIENCES = (): Claims => ({
  'aud missing': without('aud'),
  ...Object.fromEntries(
    [
      ...[
        'https://other.example/mcp',
        `${AUDIENCE}/`,
        `${AUDIENCE}2`,
        `${AUDIENCE}.evil`,
        new URL(AUDIENCE).origin,
        '',
      ],
      ...[AUDIENCE.toUpperCase(), `${AUDIENCE}?x`, `${AUDIENCE}#x`, 'http://127.0.0.1:3000/', '/mcp', '.*', null, 1],
      ...[
        [],
        ['https://other.example'],
        [[AUDIENCE]],
        [AUDIENCE, 1],
        { 0: AUDIENCE, length: 1 },
        { aud: AUDIENCE },
        true,
      ],
      ...[`${AUDIENCE} https://other.example`, ` ${AUDIENCE}`],
    ].map(aud => [`aud ${JSON.stringify(aud)}`, { aud }]),
  ),
})

const SUBJECTS = (): Claims => ({
  'sub missing': without('sub'),
  ...Object.fromEntries(
    ['', null, 0, 1, true, {}, [], ['alice'], { toString: 'alice' }, 'x'.repeat(513), 'a\ud800', 'a\ufffd'].map(sub => [
      `sub ${JSON.stringify(sub).slice(0, 30)}`,
      typeof sub === 'string' && !sub.isWellFormed()
        ? withText(`"sub":"a\\ud800"`).replace(',"sub":"alice"', '')
        : { sub },
    ]),
  ),
  'client_id object': { client_id: {} },
  'client_id empty': { client_id: '' },
  'scope number': { scope: 7 },
  'scope object': { scope: { admin: true } },
  'scope array of objects': { scope: [{}] },
  'scp number': { scp: 7 },
  'an ID token by at_hash': { at_hash: 'x' },
  'an ID token by c_hash': { c_hash: 'x' },
})

const TYPES: readonly unknown[] = [
  ...['dpop+jwt', 'logout+jwt', 'id_token+jwt', 'secevent+jwt', 'JWE', 'JOSE+JSON', '', 'at+jwt2', 'at+jwt;x', ' jwt'],
  ...[1, null, {}, [], ['at+jwt'], true],
]

/** Bound to a key of its holder (RFC 7800): by DPoP, TLS, or whatever comes. */
const BOUND: readonly object[] = [
  ...[{ jkt: '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I' }, { 'x5t#S256': 'bwcK0esc3ACC3DB2Y5' }, { jwk: {} }].map(
    cnf => ({ cnf }),
  ),
  ...[{}, [], null, '', 0, false].map(cnf => ({ cnf })),
  ...['DPoP', 'dpop', 'mac', '', null, ['Bearer', 'DPoP']].map(token_type => ({ token_type })),
  ...['DPoP', 'dpop'].map(typ => ({ typ })),
]

/** Security events and logouts (RFC 8417), answers of an authorization (JARM), of an introspection (RFC 9701). */
const OTHER_MESSAGES: readonly object[] = [
  { events: { 'http://schemas.openid.net/event/backchannel-logout': {} }, sid: 's' },
  ...[{}, [], null, ''].map(events => ({ events })),
  { code: 'SplxlOBeZQQYbYS6WxSbIA', state: 'af0ifjsldkj' },
  { code: '' },
  { access_token: '2YotnFZFEjr1zCsicMWpAA', token_type: 'Bearer', expires_in: 3600 },
  { id_token: 'x.y.z' },
  { token_introspection: { active: true, sub: 'alice' } },
]

/** What the token has of an access token, and one sign that it is another. */
const KINDS = (): Claims => {
  const access = { scope: 'read', client_id: 'app', azp: 'app' }
  const signs = [
    ...['at_hash', 'c_hash', 's_hash', 'nonce'].map(name => ({ [name]: 'x' })),
    ...['id', 'refresh', '', 'Access ', null, 1, ['access'], {}].map(token_use => ({ token_use })),
    ...['ID', 'Refresh', 'Offline', 'Logout', 'id_token', '', null, 0, ['Bearer'], {}].map(typ => ({ typ })),
    ...['id_token', 'refresh_token', null, ['access_token']].map(tokenName => ({ tokenName })),
    ...BOUND,
    ...OTHER_MESSAGES,
  ]
  return Object.fromEntries(signs.map(sign => [`another kind: ${JSON.stringify(sign)}`, { ...access, ...sign }]))
}

/** What may be an ID token, where the keys sign these, too. */
const SILENT = (): Claims => ({
  'a second audience': { client_id: undefined, aud: [AUDIENCE, 'app'] },
  'a person': {
    client_id: undefined,
    aud: ['app', AUDIENCE],
    name: 'Alice',
    email: 'a@b.example',
    roles: ['admin'],
    groups: ['g'],
    oid: 'o',
    tid: 't',
    ver: '2.0',
  },
  'the audience as azp': { client_id: undefined, azp: AUDIENCE },
  'the audience as client_id': { client_id: AUDIENCE, azp: 'app' },
  'the client in the audience': { azp: 'app', aud: [AUDIENCE, 'app'] },
  'typ JWT in the payload': { client_id: undefined, typ: 'JWT', aud: [AUDIENCE, 'app'] },
})

export function claimed(issuer: Issuer): Record<string, Cases> {
  const signed = (claims: Claims): Cases =>
    Object.fromEntries(Object.entries(claims).map(([name, payload]) => [name, issuer.token(payload)]))
  const plain = (claims: Claims): Cases =>
    Object.fromEntries(Object.entries(claims).map(([name, payload]) => [name, issuer.token(payload, { typ: 'JWT' })]))
  const silent = issuer.jwk === undefined ? {} : plain(SILENT())
  const typed = TYPES.map(typ => [`typ ${JSON.stringify(typ)}`, issuer.token({}, { typ })])
  return {
    B9: signed(SHAPES()),
    B10: signed(TIMES()),
    B11: signed(BEGINNINGS()),
    B12: signed(ISSUERS()),
    B13: signed(AUDIENCES()),
    B14: { ...signed(SUBJECTS()), ...Object.fromEntries(typed), ...plain(KINDS()), ...silent },
  }
}
