// Tokens that another server would take, and one whose settings narrow what it takes must not: by
// algorithms, clients, claims that grant scopes, and claims for tools. B6, B13 and B14 of
// test/security/README.md.
import type { ServerOptions } from '../../../src/index.ts'
import { AUDIENCE, goodClaims, ISSUER, type Issuer } from './forge.ts'
import type { Cases } from './forged-signatures.ts'

export const NARROW: ServerOptions = {
  jwt: {
    algorithms: ['PS256', 'ES256'],
    clientIds: ['app', 'cli'],
    audienceOptional: true,
    requiredClaims: { 'org.team': ['acme', 'labs-?'], groups: ['mcp/*'] },
    scopeClaims: { scope: '', scp: '', roles: 'role:' },
    scopePrefix: 'api://x/',
    claims: { tenant: 'tid', 'org.id': 'org.id', groups: 'groups' },
    issuer: ['https://a.example', ISSUER],
    audience: ['api', AUDIENCE],
  },
}

const OF_ACME = { org: { team: 'acme' }, groups: ['others', 'mcp/users'] }

/** Claims that are required, and differ. */
const UNMATCHED: readonly object[] = [
  ...['', 'ACME', 'acme ', 'acm', 'acme2', 'labs-', 'labs-12', 'acme|labs-?', '*', 'labs-?|acme', 'acme\n'].map(
    team => ({
      org: { team },
    }),
  ),
  ...[undefined, null, 1, true, {}, [], ['evil'], [['acme']], { acme: true }].map(team => ({ org: { team } })),
  ...[undefined, null, 'acme', [], { 'org.team': 'acme' }].map(org => ({ org })),
  ...['mcp', ' mcp/users', 'Mcp/users', [], ['mcp'], [['mcp/users']], null, undefined].map(groups => ({ groups })),
]

/** The issuer, whose tokens name a client that is accepted. */
export const ofClient = (issuer: Issuer): Issuer => ({
  ...issuer,
  token: (payload = {}, header) =>
    issuer.token(
      typeof payload === 'string' || Array.isArray(payload) ? payload : { client_id: 'app', ...OF_ACME, ...payload },
      header,
    ),
})

const CLIENTS: readonly unknown[] = [
  ...['', 'App', 'app ', ' app', 'app,cli', 'app cli', 'ap', 'apps', 'app\0', 'api', AUDIENCE, '*', '__proto__', '0'],
  ...[null, 0, true, [], ['app'], {}, { app: true }, 'x'.repeat(513)],
]

const ODD_TEXT = [
  '"a\\ud800"',
  '"a\\ufffd"',
  '{"__proto__":{"a":1}}',
  '[{"__proto__":1}]',
  '1e999',
  `"${'x'.repeat(16 * 1024)}"`,
]

/** @param issuer one whose tokens are accepted if they name a client */
export function ruled(issuer: Issuer): Record<string, Cases> {
  const named = (claims: object) => issuer.token({ client_id: 'app', ...OF_ACME, ...claims })
  const clients = CLIENTS.flatMap(client => {
    const about = JSON.stringify(client).slice(0, 20)
    return [
      [`client_id ${about}`, issuer.token({ ...OF_ACME, client_id: client, ...(client === null && { azp: 'x' }) })],
      [`client_id ${about}, and no aud`, issuer.token({ ...OF_ACME, client_id: client, aud: undefined })],
      [`azp ${about}`, issuer.token({ ...OF_ACME, azp: client, cid: client === null ? 'x' : undefined })],
    ]
  })
  const audiences = ['app', 'api,app', '', null, [], ['app'], [null], {}, 0, 'https://other.example'].map(aud => [
    `a good client, aud ${JSON.stringify(aud)}`,
    named({ aud }),
  ])
  const odd = ODD_TEXT.flatMap(text =>
    ['tid', 'groups'].map(name => [
      `${name} ${text.slice(0, 20)}`,
      issuer.token(
        JSON.stringify(goodClaims({ client_id: 'app', org: OF_ACME.org })).replace('{', `{"${name}":${text},`),
      ),
    ]),
  )
  const granting = [1, true, {}, [1], [['admin']], { admin: true }].flatMap(value =>
    ['scope', 'roles'].map(name => [`${name} ${JSON.stringify(value)}`, named({ [name]: value })]),
  )
  return {
    B13: Object.fromEntries([
      ['no client', issuer.token(OF_ACME)],
      ['no client and no aud', issuer.token({ ...OF_ACME, aud: undefined })],
      ...clients,
      ...audiences,
    ]),
    B14: Object.fromEntries([
      ...odd,
      ...granting,
      ...UNMATCHED.map(claims => [`required: ${JSON.stringify(claims)}`, named(claims)]),
    ]),
  }
}

/** Tokens that are right but for their algorithm. */
export const leftOut = (issuers: readonly Issuer[]): Cases =>
  Object.fromEntries(
    issuers.flatMap(issuer => [
      [`${issuer.alg} by ${issuer.kid}`, issuer.token({ client_id: 'app', ...OF_ACME })],
      ...['ES256', 'PS256'].map(alg => [
        `${alg} by ${issuer.kid}`,
        issuer.token({ client_id: 'app', ...OF_ACME }, { alg }),
      ]),
    ]),
  )
