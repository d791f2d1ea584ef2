// The keys that sign access tokens, newest first, in a file or in a setting. Tokens of an older key
// are valid as long as the key is published.

import { createHash, generateKeyPairSync, hkdfSync, type JsonWebKey, randomUUID } from 'node:crypto'
import { renameSync, statSync, writeFileSync } from 'node:fs'
import { readBoundedFile } from 'toolrack/access'

export const ALGORITHM = 'ES256'

export interface SigningKey extends JsonWebKey {
  readonly kid: string
  readonly d: string
}

/** The first key signs. */
export type KeySet = readonly SigningKey[]

/** Keys that a rotation keeps. Tokens live shorter than the time between two rotations. */
const MAX_KEYS = 3
const MAX_FILE_BYTES = 64 * 1024

export interface KeySource {
  readonly SIGNING_KEYS: string | undefined
  readonly KEYS_PATH: string | undefined
}

/**
 * Reads the keys. Creates a missing file. Without either setting, the keys live as long as the process.
 *
 * @throws Error naming the setting
 */
export function loadKeys({ SIGNING_KEYS, KEYS_PATH }: KeySource): KeySet {
  if (SIGNING_KEYS !== undefined) return parseKeys(SIGNING_KEYS, 'SIGNING_KEYS')
  if (KEYS_PATH === undefined) return [createKey()]
  try {
    // If several processes start together, one creates it.
    writeFileSync(KEYS_PATH, serialise([createKey()]), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw new Error(`KEYS_PATH: ${(error as Error).message}`)
  }
  return parseKeys(readBoundedFile(KEYS_PATH, MAX_FILE_BYTES)?.bytes.toString() ?? '', 'KEYS_PATH')
}

/** Adds a new key at the front. Running processes use it after a restart. */
export function rotateKeys(path: string): KeySet {
  const keys = [createKey(), ...loadKeys({ SIGNING_KEYS: undefined, KEYS_PATH: path })].slice(0, MAX_KEYS)
  const next = `${path}.${randomUUID()}`
  writeFileSync(next, serialise(keys), { flag: 'wx', mode: 0o600 })
  renameSync(next, path)
  return keys
}

/** The group may read. */
const OPEN_BITS = 0o027
/** A file of another user is a secret that Docker or Kubernetes mounts, so others can read it. */
const OPEN_BITS_OF_OTHERS = 0o022

/** @returns its mode, such as `666`, if more users than necessary can read or change the file */
export function readOpenMode(path: string | undefined, user = process.getuid?.()): string | undefined {
  const stats = path ? statSync(path, { throwIfNoEntry: false }) : undefined
  if (stats === undefined) return undefined
  const bits = user === undefined || stats.uid === user ? OPEN_BITS : OPEN_BITS_OF_OTHERS
  return (stats.mode & bits) === 0 ? undefined : (stats.mode & 0o777).toString(8)
}

/** Keys for signed cookies, one per signing key. So older cookies stay valid after a rotation. */
export const deriveCookieKeys = (keys: KeySet): string[] =>
  keys.map(({ d }) => Buffer.from(hkdfSync('sha256', d, '', 'toolrack-broker cookies', 32)).toString('base64url'))

function createKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { kty, crv, x, y, d } = privateKey.export({ format: 'jwk' })
  // RFC 7638: the members in the order of the alphabet.
  const kid = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
  return { kty, crv, x, y, d: d!, kid, alg: ALGORITHM, use: 'sig' }
}

const serialise = (keys: KeySet) => `${JSON.stringify({ keys }, undefined, 2)}\n`

function parseKeys(text: string, setting: string): KeySet {
  const { keys } = (parseJson(text) ?? {}) as { readonly keys?: unknown }
  const isKey = (key: Partial<SigningKey> | null) =>
    key?.kty === 'EC' && key.crv === 'P-256' && typeof key.d === 'string' && typeof key.kid === 'string'
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every(isKey))
    throw new Error(`${setting}: expected a JWK set of private P-256 keys, each with its kid`)
  return keys.map(key => ({ ...key, alg: ALGORITHM, use: 'sig' }))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
