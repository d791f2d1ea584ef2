// All attacks on the Authorization header, by number of test/security/README.md: for the tests and
// for `npm run attack:tokens`.
import type { Issuer } from './forge.ts'
import { claimed } from './forged-claims.ts'
import { type Cases, confused, misnamed, misshapen, ownKeys, tampered, unsigned } from './forged-signatures.ts'

export interface Forgery {
  readonly row: string
  readonly name: string
  /** The header, or headers; or what is sent in place of one. */
  readonly authorization?: string | string[]
  readonly headers?: Record<string, string>
  readonly url?: string
  /** Members of the message. */
  readonly members?: object
}

/** Headers that are no token, and those that have one in another form. */
export const ABSENT = (good: string): Record<string, string | string[]> => ({
  empty: '',
  Basic: 'Basic YWxpY2U6YWxpY2U=',
  'Bearer alone': 'Bearer',
  'Bearer and a space': 'Bearer ',
  'no scheme': good,
  'another scheme': `Token ${good}`,
  'Basic with the token': `Basic ${good}`,
  DPoP: `DPoP ${good}`,
  'a longer scheme': `BearerX ${good}`,
  'a colon': `Bearer: ${good}`,
  'a tab': `Bearer\t${good}`,
  'a no-break space behind': `Bearer ${good}\u00a0`,
  'no space': `Bearer${good}`,
  'two tokens': `Bearer ${good} ${good}`,
  'a word behind': `Bearer ${good} x`,
  'a parameter': `Bearer token=${good}`,
  quotes: `Bearer "${good}"`,
  'joined by a comma': `Bearer ${good}, Bearer ${good}`,
  'joined with Basic': `Basic eA==, Bearer ${good}`,
  'a comma behind': `Bearer ${good},`,
  'two headers': [`Bearer ${good}`, `Bearer ${good}`],
  'two headers, the second good': ['Bearer x', `Bearer ${good}`],
  'two headers, the first good': [`Bearer ${good}`, 'Bearer x'],
  'Bearer Bearer': `Bearer Bearer ${good}`,
})

/** Where no token is looked for. */
export const ELSEWHERE = (good: string): Omit<Forgery, 'row'>[] => [
  { name: 'query', url: `/mcp?access_token=${good}` },
  { name: 'query, another name', url: `/mcp?token=${good}&authorization=Bearer%20${good}` },
  { name: 'body', members: { access_token: good, authorization: `Bearer ${good}` } },
  { name: '_meta', members: { params: { _meta: { authorization: `Bearer ${good}`, access_token: good } } } },
  ...['cookie', 'x-access-token', 'mcp-authorization', 'mcp-token', 'mcp-param-authorization', 'mcp-session-id'].map(
    name => ({
      name,
      headers: { [name]: name === 'cookie' ? `token=${good}; access_token=${good}` : `Bearer ${good}` },
    }),
  ),
  ...['proxy-authorization', 'x-authorization', 'x-forwarded-authorization', 'authentication', 'x-api-key'].map(
    name => ({
      name,
      headers: { [name]: `Bearer ${good}` },
    }),
  ),
]

export const bearers = (row: string, about: string, cases: Cases): Forgery[] =>
  Object.entries(cases).map(([name, token]) => ({
    row,
    name: `${about}: ${name}`,
    authorization: `Bearer ${token}`,
  }))

export interface Enemy {
  /** A key of the attacker, of the same kind and id. */
  readonly foreign: Issuer
  /** All issuers that the server trusts. */
  readonly trusted: readonly Issuer[]
  readonly trapUrl: string
}

/** Every forgery against one key of a server. */
export function forgeries(issuer: Issuer, { foreign, trusted, trapUrl }: Enemy): Forgery[] {
  const good = issuer.token()
  const about = issuer.alg
  const long = [16 * 1024, 20 * 1024].map(size => [`${size} bytes`, issuer.token({ x: 'x'.repeat(size) })])
  return [
    { row: 'B1', name: `${about}: none` },
    ...Object.entries(ABSENT(good)).map(([name, authorization]) => ({
      row: 'B1',
      name: `${about}: ${name}`,
      authorization,
    })),
    ...ELSEWHERE(good).map(each => ({ ...each, row: 'B3', name: `${about}: ${each.name}` })),
    ...bearers('B4', about, unsigned(issuer)),
    ...bearers('B4', about, tampered(issuer)),
    ...bearers('B5', about, confused(issuer)),
    ...bearers('B6', about, misnamed(issuer, trusted)),
    ...bearers('B7', about, ownKeys(issuer, foreign, trapUrl)),
    ...bearers('B8', about, misshapen(issuer)),
    ...Object.entries(claimed(issuer)).flatMap(([row, cases]) => bearers(row, about, cases)),
    ...bearers('B15', about, Object.fromEntries(long)),
  ]
}

/** Tokens of keys that are in the set and must not be used. */
export const unusable = (issuers: readonly Issuer[]): Forgery[] =>
  issuers.flatMap(issuer => [
    ...bearers('B29', issuer.kid!, { 'as it says': issuer.token(), 'as RS256': issuer.token({}, { alg: 'RS256' }) }),
  ])
