// The issuers that attacks on tokens need: of every kind of key, signing whatever they are told to, well-formed or not.
import { constants, createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { rsaKey } from './rsa-keys.ts'
import { claims, part } from './tokens.ts'

export const ISSUER = 'https://as.example'
export const AUDIENCE = 'http://127.0.0.1:3000/mcp'
export const SECRET = 'canary-hs-3d0a-the-secret-that-both-sides-share'

export type Material = string | Buffer | KeyObject

export interface Issuer {
  readonly alg: string
  readonly kid: string | undefined
  readonly key: Material
  /** Claims that are accepted, and these over them; or a whole payload as it is written. */
  token(payload?: object | string, header?: object | string): string
  /** What everybody knows of the key. */
  readonly published: Readonly<Record<string, string | Buffer>>
  readonly jwk: Record<string, unknown> | undefined
}

export const goodClaims = (over: object = {}) => claims({ iss: ISSUER, aud: AUDIENCE, ...over })

/** Signs with any algorithm that the key can be used for. */
export function signatureOf(alg: string, key: Material, input: string): Buffer {
  const hash = `sha${alg.slice(2)}`
  if (alg.startsWith('HS'))
    return createHmac(hash, key as string | Buffer)
      .update(input)
      .digest()
  const padding = alg.startsWith('PS') ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING
  const options = {
    key: key as KeyObject,
    ...(alg.startsWith('ES') && { dsaEncoding: 'ieee-p1363' as const }),
    ...(/^[RP]S/.test(alg) && { padding }),
    ...(alg.startsWith('PS') && { saltLength: constants.RSA_PSS_SALTLEN_DIGEST }),
  }
  return sign(alg === 'EdDSA' || alg === 'Ed25519' ? null : hash, Buffer.from(input), options)
}

/** A token as it is written: header and payload may be any text. */
export function compact(header: unknown, payload: unknown, signature: (input: string) => Buffer | string): string {
  const input = `${part(header)}.${part(payload)}`
  const signed = signature(input)
  return `${input}.${typeof signed === 'string' ? signed : signed.toString('base64url')}`
}

function issuer(alg: string, key: Material, kid?: string): Issuer {
  const publicKey = typeof key === 'string' || Buffer.isBuffer(key) ? undefined : createPublicKey(key)
  const jwk = publicKey && { ...publicKey.export({ format: 'jwk' }), alg, kid, use: 'sig' }
  const usual = { alg, typ: 'at+jwt', ...(kid !== undefined && { kid }) }
  return {
    alg,
    kid,
    key,
    jwk,
    published: publicKey === undefined ? {} : publishedOf(publicKey, jwk!),
    token: (payload = {}, header = {}) =>
      compact(
        typeof header === 'string' ? header : { ...usual, ...header },
        typeof payload === 'string' || Array.isArray(payload) ? payload : goodClaims(payload),
        input => signatureOf(alg, key, input),
      ),
  }
}

function publishedOf(key: KeyObject, jwk: object): Record<string, string | Buffer> {
  const pem = key.export({ type: 'spki', format: 'pem' }) as string
  const der = key.export({ type: 'spki', format: 'der' })
  const forms: Record<string, string | Buffer> = {
    PEM: pem,
    'PEM without its last newline': pem.trimEnd(),
    'PEM and a newline': `${pem}\n`,
    'PEM with CRLF': pem.replaceAll('\n', '\r\n'),
    'PEM after a BOM': `\ufeff${pem}`,
    'PEM after a comment': `# key\n${pem}`,
    DER: der,
    'DER in base64': der.toString('base64'),
    JWK: JSON.stringify(jwk),
    JWKS: JSON.stringify({ keys: [jwk] }),
    nothing: '',
  }
  if (key.asymmetricKeyType === 'rsa') forms['PKCS#1'] = key.export({ type: 'pkcs1', format: 'pem' })
  return forms
}

const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey
const ed = () => generateKeyPairSync('ed25519').privateKey

export const secretIssuer = (secret: Material = SECRET) => issuer('HS256', secret)

/** One key of each kind; `prefix` is that of their ids. */
export function keyIssuers(prefix = ''): Issuer[] {
  return [
    issuer('RS256', rsaKey(2048), `${prefix}rs`),
    issuer('PS256', rsaKey(2048), `${prefix}ps`),
    issuer('ES256', ec('P-256'), `${prefix}es`),
    issuer('EdDSA', ed(), `${prefix}ed`),
    issuer('Ed25519', ed(), `${prefix}ed25519`),
  ]
}

/** Keys that do not name their algorithm, one for each way of signing; none is used with an HMAC. */
export function bareIssuers(prefix = ''): Issuer[] {
  const bare = (of: Issuer): Issuer => ({ ...of, jwk: { ...of.jwk, alg: undefined } })
  return [
    bare(issuer('RS256', rsaKey(2048), `${prefix}bare-rs`)),
    bare(issuer('PS512', rsaKey(3072), `${prefix}bare-ps`)),
    bare(issuer('ES256', ec('P-256'), `${prefix}bare-es`)),
    bare(issuer('ES384', ec('P-384'), `${prefix}bare-es384`)),
    bare(issuer('ES512', ec('P-521'), `${prefix}bare-es512`)),
    bare(issuer('EdDSA', ed(), `${prefix}bare-ed`)),
  ]
}

/** What a type of key may be used with that names no algorithm. */
export const RSA_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']

/** Keys that are in a set, and must not be used. */
export function unusableIssuers(): Issuer[] {
  const changed = (of: Issuer, over: object): Issuer => ({ ...of, jwk: { ...of.jwk, ...over } })
  const [twice, again] = [issuer('RS256', rsaKey(2048), 'twice'), issuer('RS256', rsaKey(2048), 'twice')]
  const shared = issuer('HS256', SECRET, 'oct')
  const withPrivateHalf = issuer('EdDSA', ed(), 'private')
  return [
    issuer('RS256', rsaKey(1024), 'weak'),
    changed(issuer('RS256', rsaKey(2048), 'other-alg'), { alg: 'RSA-OAEP-256' }),
    changed(issuer('RS256', rsaKey(1024), 'weak-no-alg'), { alg: undefined }),
    changed(issuer('RS256', rsaKey(2048), 'enc'), { use: 'enc' }),
    changed(issuer('ES256', ec('P-256'), 'ops'), { key_ops: ['sign'] }),
    changed(issuer('ES256', ec('P-256'), 'odd-ops'), { key_ops: 5 }),
    { ...shared, jwk: { kty: 'oct', kid: 'oct', alg: 'HS256', k: part(SECRET) } },
    { ...shared, kid: 'oct-no-alg', jwk: { kty: 'oct', kid: 'oct-no-alg', k: part(SECRET) } },
    changed(issuer('ES256', ec('secp256k1'), 'k256'), { alg: undefined }),
    changed(issuer('ES384', ec('P-384'), 'p384'), { alg: 'ES256' }),
    changed(issuer('RS256', rsaKey(2048), 'mislabelled'), { alg: 'ES256' }),
    {
      ...withPrivateHalf,
      jwk: { ...withPrivateHalf.jwk, ...(withPrivateHalf.key as KeyObject).export({ format: 'jwk' }) },
    },
    twice,
    again,
  ]
}
