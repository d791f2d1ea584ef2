// The keys of an issuer (JWKS). Fetched in the background and when a key id is unknown, at most
// twice a minute; used for up to a day if the issuer is down.
import { setTimeout as delay } from 'node:timers/promises'
import type { createRemoteJWKSet } from 'jose'
import type { Log } from '../request/exchange.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import { cutText, toOneLine } from '../text/one-line.ts'
import { explainError } from '../text/thrown.ts'
import { fetchBounded } from './bounded-fetch.ts'
import {
  type Algorithm,
  type IgnoredKey,
  KEY_ALGORITHMS,
  type Keys,
  type ParsedJwks,
  type PublishedKey,
  parseJwks,
  type VerificationKey,
} from './keys.ts'
import { type ParsedToken, TokenError } from './token.ts'

// Logs the unused keys of an issuer with reasons, once per change.

/** Further keys are only counted. */
const MAX_NAMED = 20
const MAX_SHOWN_TEXT = 64

export class IgnoredKeyLog {
  readonly #log: Log
  readonly #mask: (text: string) => string
  #last = '[]'

  /** @param mask removes secrets from a text */
  constructor(log: Log, mask: (text: string) => string = text => text) {
    this.#log = log
    this.#mask = mask
  }

  log({ keys, ignored }: ParsedJwks, url: string): void {
    const named = ignored.slice(0, MAX_NAMED).map(key => this.#describe(key))
    const said = JSON.stringify([...(ignored.length > 0 ? [keys.length, ignored.length] : []), ...named])
    if (said === this.#last) return
    this.#last = said
    if (ignored.length === 0) return
    // An encryption key is normal; an unused signing key needs attention.
    const level = keys.length > 0 && ignored.every(({ isForOtherUse }) => isForOtherUse) ? 'info' : 'warn'
    const more = ignored.length - named.length
    const fields = { url, used: keys.length, ignored: named, ...(more > 0 && { more }) }
    this.#log[level](fields, 'keys of the issuer that are not used')
  }

  #describe({ kid, kty, reason }: IgnoredKey): Record<'kid' | 'kty' | 'reason', string> {
    return { kid: this.#describeValue(kid), kty: this.#describeValue(kty), reason: this.#cleanText(reason) }
  }

  #describeValue(value: unknown): string {
    if (value === undefined) return 'none'
    return typeof value === 'string' ? this.#cleanText(value) : `of type ${typeof value}`
  }

  // Mask before cutting: a cut secret would not be recognized.
  #cleanText(text: string): string {
    const oneLine = toOneLine(this.#mask(text.slice(0, MAX_LOOKED_AT)))
    return cutText(oneLine, MAX_SHOWN_TEXT).toWellFormed()
  }
}

const MAX_LOOKED_AT = 1024

/** How often the age of the set is checked and a failed fetch retried, ms. */
const CHECK_MS = 30_000
/** Age at which to fetch again, ms. With CHECK_MS, a removed key is rejected within 4 min. */
const FRESH_MS = 210_000
/** How long keys stay valid while the issuer is unreachable, ms. */
const STALE_MS = 24 * 60 * 60 * 1000
/** How long a token waits for an unknown key id, ms. */
const KEY_WAIT_MS = 80
const FETCHES = { max: 2, windowMs: 60_000 }
const STARTUP_WAIT_MS = 3000
const TIMEOUT_MS = 5000
const MAX_JWKS_BYTES = 1024 * 1024

export interface JwksOptions {
  readonly url: string
  readonly log: Log
  /** Unix time, ms. */
  readonly now?: () => number
  onFetch?(isFetched: boolean): void
  mask?(text: string): string
  /** What keys may sign with; default: all that their types can. */
  readonly algorithms?: readonly Algorithm[] | undefined
}

type RemoteKeySet = ReturnType<typeof createRemoteJWKSet>

export class JwksKeys implements Keys {
  readonly algorithms: readonly Algorithm[]
  readonly #options: Required<Omit<JwksOptions, 'algorithms'>>
  readonly #ignored: IgnoredKeyLog
  readonly #closing = new AbortController()
  #remote: Promise<RemoteKeySet> | undefined
  #keys: readonly PublishedKey[] = []
  #generation = 0
  #fetchedAtMs = Number.NEGATIVE_INFINITY
  #fetches: number[] = []
  #fetching: Promise<void> | undefined
  #checking: NodeJS.Timeout | undefined

  constructor(options: JwksOptions) {
    this.#options = { now: Date.now, onFetch: () => {}, mask: text => text, ...options }
    this.algorithms = options.algorithms ?? KEY_ALGORITHMS
    this.#ignored = new IgnoredKeyLog(options.log, options.mask)
  }

  get generation(): number {
    return this.#generation
  }

  find({ alg, kid }: ParsedToken['header']): MaybePromise<VerificationKey | undefined> {
    if (!isOneOf(this.algorithms, alg)) return undefined
    const matching = () => this.#findMatching(kid, alg)
    const fetching = this.#hasKey(kid, alg) ? undefined : this.#fetch()
    return fetching === undefined ? matching() : Promise.race([fetching, delay(KEY_WAIT_MS)]).then(matching)
  }

  async start(): Promise<void> {
    this.#checking = setInterval(() => {
      if (this.#options.now() - this.#fetchedAtMs >= FRESH_MS) this.#fetch()
    }, CHECK_MS).unref()
    await Promise.race([this.#fetch(), delay(STARTUP_WAIT_MS, undefined, { ref: false })])
  }

  close(): void {
    clearInterval(this.#checking)
    this.#closing.abort()
  }

  get #freshKeys(): readonly PublishedKey[] {
    return this.#options.now() - this.#fetchedAtMs > STALE_MS ? [] : this.#keys
  }

  #hasKey(kid: string | undefined, alg: Algorithm): boolean {
    return this.#freshKeys.some(key => (kid === undefined ? key.algorithms.includes(alg) : key.kid === kid))
  }

  /** Without a key id, the token matches the only key with its algorithm. @throws TokenError */
  #findMatching(kid: string | undefined, alg: Algorithm): PublishedKey | undefined {
    const matching = this.#freshKeys.filter(
      key => key.algorithms.includes(alg) && (kid === undefined || key.kid === kid),
    )
    if (matching.length > 1) throw new TokenError('it names no key (kid), and several could be meant')
    return matching[0]
  }

  /** The current fetch or a new one; undefined at the fetch limit. Never rejects. */
  #fetch(): Promise<void> | undefined {
    // Share the fetch: else only the first token of a new key would succeed.
    if (this.#fetching !== undefined) return this.#fetching
    const nowMs = this.#options.now()
    this.#fetches = this.#fetches.filter(atMs => atMs > nowMs - FETCHES.windowMs)
    if (this.#fetches.length >= FETCHES.max || this.#closing.signal.aborted) return undefined
    this.#fetches.push(nowMs)
    this.#fetching = this.#refresh().finally(() => (this.#fetching = undefined))
    return this.#fetching
  }

  async #refresh(): Promise<void> {
    const { log, url, now, onFetch } = this.#options
    try {
      const remote = await (this.#remote ??= openKeySet(url, this.#closing.signal))
      await remote.reload()
      const read = parseJwks(remote.jwks()?.keys ?? [], this.algorithms)
      if (this.#keys.some(key => !read.keys.some(other => isSameKey(key, other)))) this.#generation++
      this.#keys = read.keys
      this.#fetchedAtMs = now()
      onFetch(true)
      this.#ignored.log(read, url)
    } catch (error) {
      if (this.#closing.signal.aborted) return
      onFetch(false)
      log.warn({ reason: explainError(error), url }, 'keys of the issuer could not be fetched; those known stay')
    }
  }
}

const isOneOf = (algorithms: readonly Algorithm[], alg: string): alg is Algorithm =>
  algorithms.some(algorithm => algorithm === alg)

const isSameKey = (a: PublishedKey, b: PublishedKey) =>
  a.kid === b.kid && a.key === b.key && a.issuer === b.issuer && a.algorithms.join() === b.algorithms.join()

// Loads jose here, since a server without an issuer starts sooner without it.
async function openKeySet(url: string, closing: AbortSignal): Promise<RemoteKeySet> {
  const { createRemoteJWKSet, customFetch } = await import('jose')
  return createRemoteJWKSet(new URL(url), {
    timeoutDuration: TIMEOUT_MS,
    [customFetch]: (from: string, { signal }: { signal: AbortSignal }) =>
      fetchBounded(
        from,
        { signal: AbortSignal.any([signal, closing]), headers: { accept: 'application/json' } },
        MAX_JWKS_BYTES,
      ),
  })
}
