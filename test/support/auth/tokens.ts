// Tokens for tests, written by hand, so that they can be wrong in every way.
import { createHmac, type KeyObject, sign } from 'node:crypto'

export const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

export const nowS = () => Math.floor(Date.now() / 1000)

/** Claims that are accepted, where `aud` is right. */
export const claims = (over: object = {}) => ({ iss: 'https://as.example', sub: 'alice', exp: nowS() + 600, ...over })

/** A token of HS256. */
export function signed(secret: string, over: object = {}, header: object = {}): string {
  const input = `${part({ alg: 'HS256', typ: 'JWT', ...header })}.${part(claims(over))}`
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}

const DIGESTS: Record<string, string | undefined> = { RS256: 'sha256', PS256: 'sha256', ES256: 'sha256' }

/** A token of an asymmetric key. */
export function signedBy(key: KeyObject, { alg, kid }: { alg: string; kid: string }, over: object = {}): string {
  const input = `${part({ alg, kid, typ: 'at+jwt' })}.${part(claims(over))}`
  const options = {
    key,
    ...(alg === 'ES256' && { dsaEncoding: 'ieee-p1363' as const }),
    ...(alg === 'PS256' && { padding: 6, saltLength: 32 }),
  }
  return `${input}.${sign(DIGESTS[alg] ?? null, Buffer.from(input), options).toString('base64url')}`
}
