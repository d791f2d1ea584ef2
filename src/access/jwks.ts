// The keys of an issuer, by its JWKS: fetched in the background, so that no token waits for a slow issuer for long.
// Kept through outages for a day; an unknown key id has them fetched anew, at most twice a minute. RFC 7517.
import { createPublicKey } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createRemoteJWKSet, customFetch, type JWK } from 'jose'
import type { Log } from '../exchange.ts'
import type { Algorithm, Keys, VerificationKey } from './keys.ts'

/** How often the set is fetched, ms: a key that is taken away is refused that much later at most. */
const REFRESH_MS = 4 * 60 * 1000
/** How long keys live on while the issuer cannot be reached, ms. */
const STALE_MS = 24 * 60 * 60 * 1000
/** How long one token waits for a key id that is not known yet, ms. */
const WAIT_MS = 80
/** Fetches for unknown key ids: so many in so long, ms. */
const UNKNOWN = { max: 2, windowMs: 60_000 }
const START_MS = 3000
const TIMEOUT_MS = 5000
const MAX_BYTES = 1024 * 1024
const MIN_RSA_BITS = 2048

const KINDS: Readonly<Record<string, { kty: string; crv?: string }>> = Object.freeze({
  RS256: { kty: 'RSA' },
  PS256: { kty: 'RSA' },
  ES256: { kty: 'EC', crv: 'P-256' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
})

export interface JwksOptions {
  readonly url: string
  readonly log: Log
  /** Unix time in ms. */
  readonly now?: () => number
}

export function jwksKeys({ url, log, now = Date.now }: JwksOptions): Keys {
  const remote = createRemoteJWKSet(new URL(url), { timeoutDuration: TIMEOUT_MS, [customFetch]: fetchBounded })
  let keys: ReadonlyMap<string, VerificationKey> = new Map()
  let fetchedAtMs = Number.NEGATIVE_INFINITY
  let generation = 0
  const fetches: number[] = []
  let refreshing: NodeJS.Timeout | undefined

  async function refresh(): Promise<void> {
    try {
      await remote.reload()
    } catch (error) {
      log.warn({ reason: (error as Error).message, url }, 'keys of the issuer could not be fetched; those known stay')
      return
    }
    const fetched = usableKeys((remote.jwks()?.keys ?? []) as JWK[])
    if ([...keys].some(([kid, { key }]) => fetched.get(kid)?.key !== key)) generation++
    keys = fetched
    fetchedAtMs = now()
  }

  function mayFetch(): boolean {
    const nowMs = now()
    while (fetches.length > 0 && fetches[0]! <= nowMs - UNKNOWN.windowMs) fetches.shift()
    if (fetches.length >= UNKNOWN.max) return false
    fetches.push(nowMs)
    return true
  }

  function known(kid: string): VerificationKey | undefined {
    return now() - fetchedAtMs > STALE_MS ? undefined : keys.get(kid)
  }

  return {
    algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
    get generation() {
      return generation
    },
    find({ alg, kid }) {
      if (kid === undefined) return undefined
      const matching = () => {
        const key = known(kid)
        return key?.algorithm === alg ? key : undefined
      }
      if (known(kid) !== undefined || !mayFetch()) return matching()
      return Promise.race([refresh(), delay(WAIT_MS)]).then(matching)
    },
    async start() {
      refreshing = setInterval(refresh, REFRESH_MS).unref()
      await Promise.race([refresh(), delay(START_MS, undefined, { ref: false })])
    },
    close: () => clearInterval(refreshing),
  }
}

/** Signing keys with an algorithm of their own and an id that no other has. */
function usableKeys(jwks: readonly JWK[]): Map<string, VerificationKey> {
  const usable = new Map<string, VerificationKey>()
  const ids = jwks.map(({ kid }) => kid)
  for (const jwk of jwks) {
    const key =
      typeof jwk.kid === 'string' && ids.indexOf(jwk.kid) === ids.lastIndexOf(jwk.kid) ? keyOf(jwk) : undefined
    if (key !== undefined) usable.set(jwk.kid!, key)
  }
  return usable
}

function keyOf(jwk: JWK): VerificationKey | undefined {
  const kind = typeof jwk.alg === 'string' && Object.hasOwn(KINDS, jwk.alg) ? KINDS[jwk.alg] : undefined
  if (kind === undefined || jwk.kty !== kind.kty || (kind.crv !== undefined && jwk.crv !== kind.crv)) return undefined
  if ((jwk.use ?? 'sig') !== 'sig' || (jwk.key_ops !== undefined && !jwk.key_ops.includes('verify'))) return undefined
  try {
    const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
    if (kind.kty === 'RSA' && (key.asymmetricKeyDetails?.modulusLength ?? 0) < MIN_RSA_BITS) return undefined
    return { algorithm: jwk.alg as Algorithm, key: key.export({ type: 'spki', format: 'pem' }) as string }
  } catch {
    return undefined // no key at all
  }
}

type JsonWebKey = Parameters<typeof createPublicKey>[0] extends infer I
  ? I extends { format: 'jwk'; key: infer K }
    ? K
    : never
  : never

// No redirects, and no more bytes than a set of keys can need.
async function fetchBounded(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error' })
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_BYTES) throw new Error(`a set of keys larger than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return new Response(Buffer.concat(chunks), { status: response.status, headers: response.headers })
}
