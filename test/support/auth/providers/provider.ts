// What a test of an identity provider needs: the settings that its section of the documentation
// has, and tokens in the shape that its vendor documents, signed with keys of the tests.
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { compact, signatureOf } from '../forge.ts'
import { rsaKey } from '../rsa-keys.ts'
import { nowS } from '../tokens.ts'

export const PAGE = 'docs/guides/identity-providers.md'
export const WORKLOADS = 'docs/guides/workloads.md'
export const RESOURCE = 'https://mcp.example/mcp'

export interface Key {
  readonly kid: string
  readonly privateKey: KeyObject
  /** As the provider publishes it. */
  readonly jwk: object
}

export interface Token {
  readonly header: object
  readonly payload: object
  readonly key: Key
}

export interface Expected {
  readonly subject: string
  readonly clientId?: string
  readonly scopes: readonly string[]
  readonly claims?: object
  /** If it is not the `iss` of the token. */
  readonly issuer?: string
}

export interface Provider {
  readonly name: string
  /** As the environment has them. */
  readonly settings?: Readonly<Record<string, string>>
  /** Or as an entry of ISSUERS_FILE. */
  readonly entry?: Readonly<Record<string, unknown>>
  readonly jwks: readonly object[]
  readonly accepted: Readonly<Record<string, readonly [Token, Expected]>>
  readonly refused: Readonly<Record<string, Token>>
  /** Refused even if its `aud` is this server. Undefined if the issuer knows no other tokens than these. */
  readonly idToken?: Token
}

/** `n`, `e` and `kty` of a key, and more. */
export function publish(kid: string, more: (key: KeyObject) => object): Key {
  const privateKey = rsaKey()
  const { n, e } = createPublicKey(privateKey).export({ format: 'jwk' })
  return { kid, privateKey, jwk: { kty: 'RSA', kid, n, e, ...more(privateKey) } }
}

/** The same on P-256. */
export function publishEc(kid: string, more: object): Key {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { kid, privateKey, jwk: { ...createPublicKey(privateKey).export({ format: 'jwk' }), kid, ...more } }
}

/** A key that nobody has published, of the same type. */
export const createForeign = ({ privateKey }: Key): KeyObject =>
  (privateKey.asymmetricKeyType === 'ec' ? publishEc('', {}) : publish('', () => ({}))).privateKey

/** A stand-in for the certificate: nothing reads it. */
export const chain = (key: KeyObject) => [
  createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64'),
]

export const thumbprint = (text: string) => createHash('sha1').update(text).digest('base64url')

export const times = (more: object = {}) => ({ iat: nowS() - 10, exp: nowS() + 3600, ...more })

export const sign = ({ header, payload, key: { privateKey } }: Token): string =>
  compact(header, payload, input => signatureOf((header as { alg: string }).alg, privateKey, input))

/** Changes claims, or takes them away. */
export const withClaims = (token: Token, claims: object): Token => ({
  ...token,
  payload: { ...token.payload, ...claims },
})

/**
 * The settings of blocks of a section of the documentation, later ones over earlier ones.
 *
 * @param values of the words in capitals that stand for something
 */
export function readDocumented(
  section: string,
  values: Readonly<Record<string, string>>,
  blocks: readonly number[] = [0],
  page = PAGE,
): Record<string, string> {
  const code = readBlocks(page, section, 'sh')
  const settings: Record<string, string> = {}
  for (const at of blocks) {
    const lines = [...(code[at] ?? '').matchAll(/^ *([A-Z_]+)=(\S+)/gm)]
    if (lines.length === 0) throw new Error(`${page}: ${section} has no settings in its block ${at}`)
    for (const [, name = '', value = ''] of lines) settings[name] = fill(value, values)
  }
  return settings
}

/** The entry of ISSUERS_FILE that a section has. */
export const readDocumentedEntry = (
  section: string,
  values: Readonly<Record<string, string>>,
  page = PAGE,
): Record<string, unknown> => JSON.parse(fill(readBlocks(page, section, 'json')[0]!, values))

function readBlocks(page: string, section: string, language: string): readonly string[] {
  const text =
    readFileSync(page, 'utf8')
      .split(/^## /m)
      .find(each => each.startsWith(`${section}\n`)) ?? ''
  const blocks = [...text.matchAll(/^ *```(\w*)\n(.*?)^ *```$/gms)]
  return blocks.filter(([, name]) => name === language).map(([, , code = '']) => code)
}

const fill = (text: string, values: Readonly<Record<string, string>>) =>
  text.replace(/[A-Z]+(?:_[A-Z]+)*/g, name => values[name] ?? name)
