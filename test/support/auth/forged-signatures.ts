// Tokens with right claims and a wrong header or signature: B4 to B8 of test/security/README.md.

import { compact, goodClaims, type Issuer, type Material, RSA_ALGORITHMS, SECRET, signatureOf } from './forge.ts'
import { claims, part } from './tokens.ts'

/** What is tried, by what it is called. */
export type Cases = Record<string, string>

const parts = (token: string) => token.split('.') as [string, string, string]
const headerOf = ({ alg, kid }: Issuer) => ({ alg, typ: 'at+jwt', ...(kid !== undefined && { kid }) })
const signedWith = (header: object, alg: string, key: Material) =>
  compact(header, goodClaims(), input => signatureOf(alg, key, input))

export function unsigned(issuer: Issuer): Cases {
  const [header, payload, signature] = parts(issuer.token())
  const none = (alg: unknown, signed = '') => compact({ ...headerOf(issuer), alg }, goodClaims(), () => signed)
  return {
    ...Object.fromEntries(['none', 'NoNe', 'nOnE', 'NONE', 'none ', '', 'None'].map(alg => [`alg ${alg}`, none(alg)])),
    'alg none with a signature': none('none', signature),
    'no signature': `${header}.${payload}.`,
    'no third part': `${header}.${payload}`,
    'alg none and two parts': none('none').slice(0, -1),
    'a signature of one byte': `${header}.${payload}.AA`,
  }
}

const LENGTHS: Record<string, number> = {
  HS256: 32,
  RS256: 256,
  PS256: 256,
  PS512: 384,
  ES256: 64,
  ES384: 96,
  ES512: 132,
  EdDSA: 64,
  Ed25519: 64,
}

export function tampered(issuer: Issuer): Cases {
  const [header, payload, signature] = parts(issuer.token())
  const bytes = Buffer.from(signature, 'base64url')
  const flipped = (at: number) => bytes.with(at, bytes[at]! ^ 1)
  const length = LENGTHS[issuer.alg]!
  const signatures: Record<string, Uint8Array> = {
    'the first bit flipped': flipped(0),
    'a bit in the middle flipped': flipped(bytes.length >> 1),
    'the last bit flipped': flipped(bytes.length - 1),
    'a byte short': bytes.subarray(0, -1),
    'half of it': bytes.subarray(0, bytes.length >> 1),
    'a byte more': Buffer.concat([bytes, Buffer.alloc(1)]),
    'a byte before': Buffer.concat([Buffer.alloc(1), bytes]),
    zeros: Buffer.alloc(length),
    ones: Buffer.alloc(length, 0xff),
    'zeros and a one': Buffer.alloc(length).with(length - 1, 1),
    twice: Buffer.concat([bytes, bytes]),
    'of another token': Buffer.from(parts(issuer.token({ sub: 'bob' }))[2], 'base64url'),
    'of the payload alone': signatureOf(issuer.alg, issuer.key, payload),
  }
  const named = Object.entries(signatures).map(([name, value]) => [
    `signature: ${name}`,
    `${header}.${payload}.${Buffer.from(value).toString('base64url')}`,
  ])
  const other = (over: object) => `${header}.${part(goodClaims(over))}.${signature}`
  return {
    ...Object.fromEntries(named),
    'another subject under the signature': other({ sub: 'root' }),
    'more scopes under the signature': other({ scope: 'admin' }),
    'another header over the signature': `${part({ ...headerOf(issuer), x: 1 })}.${payload}.${signature}`,
  }
}

/** HMAC by what is public, or guessed. */
export function confused(issuer: Issuer): Cases {
  const guesses: Record<string, string | Buffer> = {
    ...issuer.published,
    'a part of the secret': SECRET.slice(0, 32),
    'the secret and a newline': `${SECRET}\n`,
    'the secret in base64': part(SECRET),
    undefined: 'undefined',
    null: 'null',
    'an object': '[object Object]',
    zeros: Buffer.alloc(32),
    'the key id': issuer.kid ?? '',
  }
  const cases: Cases = {}
  for (const [name, key] of Object.entries(guesses)) {
    for (const alg of ['HS256', 'HS384', 'HS512']) {
      cases[`${alg} by ${name}`] = signedWith({ ...headerOf(issuer), alg }, alg, key)
    }
  }
  return cases
}

const FAMILIES: readonly (readonly string[])[] = [
  ['HS256', 'HS384', 'HS512'],
  RSA_ALGORITHMS,
  ['ES256', 'ES384', 'ES512'],
]

/** What its key could sign with, and is not trusted for; a key of RSA that names no algorithm is, for all. */
function forbidden({ alg, jwk }: Issuer): readonly string[] {
  if (jwk !== undefined && jwk['kty'] === 'RSA' && jwk['alg'] === undefined) return []
  return FAMILIES.find(family => family.includes(alg))?.filter(other => other !== alg) ?? []
}

const CLAIMED = ['HS256', 'RS256', 'PS256', 'ES256', 'EdDSA', 'ES256K', 'Ed25519', 'RSA-OAEP', 'dir', 'constructor']
const ODD_ALGS: readonly unknown[] = [undefined, null, 1, true, {}, [], ['RS256'], { alg: 'RS256' }, '__proto__']

/** Another algorithm than that of the key. */
export function misnamed(issuer: Issuer, others: readonly Issuer[]): Cases {
  const cases: Cases = {}
  for (const alg of forbidden(issuer)) {
    cases[`truly signed by ${alg}`] = signedWith({ ...headerOf(issuer), alg }, alg, issuer.key)
  }
  const { alg: own, jwk } = issuer
  // Ed25519 is the other name of EdDSA, and a key that names no algorithm has both.
  const names = jwk?.['kty'] === 'OKP' && jwk['alg'] === undefined ? ['EdDSA', 'Ed25519'] : [own]
  for (const alg of [
    ...CLAIMED.filter(name => !names.includes(name)),
    own.toLowerCase(),
    `${own} `,
    `${own}\0`,
    [own],
  ]) {
    cases[`said to be ${JSON.stringify(alg)}`] = signedWith({ ...headerOf(issuer), alg }, own, issuer.key)
  }
  for (const alg of ODD_ALGS) {
    cases[`alg ${JSON.stringify(alg)}`] = signedWith({ ...headerOf(issuer), alg }, own, issuer.key)
  }
  for (const other of others.filter(({ kid }) => kid !== issuer.kid)) {
    cases[`by ${other.kid}, named as ${issuer.kid}`] = signedWith(headerOf(issuer), other.alg, other.key)
    const header = { ...headerOf(other), kid: issuer.kid }
    cases[`by ${other.kid} with its own alg, named as ${issuer.kid}`] = signedWith(header, other.alg, other.key)
  }
  return cases
}

const KIDS: readonly unknown[] = [
  ...['../../dev/null', '/dev/null', "' OR 1=1 --", '__proto__', 'constructor', 'toString', '', ' ', 'rs\0', 'RS', '*'],
  ...['http://127.0.0.1/jwks', '\ud83d\ude00', 'x'.repeat(257), 'x'.repeat(5000), { rs: 1 }, ['rs'], ['__proto__'], 0],
  ...[null, true, { toString: 'rs' }],
]

/** Keys that the token brings along, or points to; the foreign key has the id and the algorithm of ours. */
export function ownKeys(issuer: Issuer, foreign: Issuer, trapUrl: string): Cases {
  const usual = headerOf(issuer)
  const by = (over: object) => signedWith({ ...usual, ...over }, foreign.alg, foreign.key)
  const x5c = [part(String(foreign.published['DER in base64'] ?? ''))]
  const cases: Cases = {
    'a foreign key': by({}),
    'a foreign key without an id': by({ kid: undefined }),
    jwk: by({ jwk: foreign.jwk ?? { kty: 'oct', k: part('x') } }),
    'jwk without kid': by({ jwk: foreign.jwk ?? {}, kid: undefined }),
    jku: by({ jku: trapUrl }),
    'jku without kid': by({ jku: trapUrl, kid: undefined }),
    x5u: by({ x5u: trapUrl, kid: 'unknown' }),
    x5c: by({ x5c }),
    'all of them': by({ jwk: foreign.jwk, jku: trapUrl, x5u: trapUrl, x5c, 'x5t#S256': 'AAAA' }),
    'the set as its id': by({ kid: trapUrl }),
  }
  for (const kid of KIDS) {
    cases[`kid ${JSON.stringify(kid).slice(0, 40)}`] = by({ kid })
    cases[`kid ${JSON.stringify(kid).slice(0, 40)} and no secret`] = signedWith({ alg: 'HS256', kid }, 'HS256', '')
  }
  return cases
}

/** What is not written as a signed token is. */
export function misshapen(issuer: Issuer): Cases {
  const token = issuer.token()
  const [header, payload, signature] = parts(token)
  const plain = `{"alg":"${issuer.alg}","kid":"${issuer.kid}"`
  const standard = (text: string) => Buffer.from(text, 'base64url').toString('base64')
  // Four claims of which two have + or / in standard base64, whatever the rest.
  const wide = issuer.token({ name: '\u{3fbff}\u{3efbe}?>?>~~~' })
  const [wideHeader, widePayload] = parts(wide)
  return {
    'crit x': issuer.token({}, { crit: ['x'], x: 1 }),
    'crit b64': issuer.token({}, { crit: ['b64'], b64: false }),
    'crit of nothing': issuer.token({}, { crit: [] }),
    'crit exp': issuer.token({}, { crit: ['exp'], exp: 1 }),
    'crit null': issuer.token({}, { crit: null }),
    'crit text': issuer.token({}, { crit: 'alg' }),
    b64: issuer.token({}, { b64: false }),
    'b64 true': issuer.token({}, { b64: true }),
    'five parts': `${header}.${payload}.${signature}.AA.AA`,
    'a JWE': [part({ alg: 'dir', enc: 'A128GCM' }), '', 'AAAA', 'AAAA', 'AAAA'].join('.'),
    'four parts': `${token}.AA`,
    'a dot more': `${token}.`,
    'a dot before': `.${token}`,
    'one part': header,
    dots: '..',
    'many dots': '.'.repeat(2000),
    'padding behind': `${token}=`,
    'padding in each part': [header, payload, signature].map(text => `${text}=`).join('.'),
    'standard base64': `${standard(wideHeader).replace(/=+$/, '')}.${standard(widePayload).replace(/=+$/, '')}.${signature}`,
    'a space within': `${header}. ${payload}.${signature}`,
    'a space within a part': `${header}.${payload.slice(0, 9)} ${payload.slice(9)}.${signature}`,
    'a tab within': `${header}\t.${payload}.${signature}`,
    'a percent escape': token.replace('.', '%2e'),
    'quotes around': `"${token}"`,
    'the header twice over': issuer.token({}, `${plain},"alg":"${issuer.alg}"}`),
    'kid twice': issuer.token({}, `${plain},"kid":"${issuer.kid}"}`),
    'alg twice, none first': issuer.token({}, `{"alg":"none",${plain.slice(1)}}`),
    'a prototype in the header': issuer.token({}, `${plain},"__proto__":{"alg":"none"}}`),
    'the header as an array': issuer.token({}, `[${plain}}]`),
    'the header as text': issuer.token({}, '"x"'),
    'a BOM in the header': issuer.token({}, `\ufeff${plain}}`),
    'no JSON in the header': issuer.token({}, plain),
    'bits behind the end': `${header}.${payload}.${nextLetter(signature)}`,
    'not signed for us': compact(headerOf(issuer), claims(), input => signatureOf(issuer.alg, issuer.key, input)),
  }
}

// The last letter of a part may have bits that are not of a byte: another letter then spells the same bytes.
function nextLetter(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const at = alphabet.indexOf(text.at(-1)!)
  return text.slice(0, -1) + alphabet[at ^ 1]
}
