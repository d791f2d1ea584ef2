// The keys of an issuer, by its JWKS: fetched in the background, so that no token waits for a slow issuer for long.
// Kept through outages for a day; an unknown key id has them fetched anew. All fetches together are two a minute at most.
import { setTimeout as delay } from 'node:timers/promises'
import { createRemoteJWKSet, customFetch } from 'jose'
import type { Log } from '../request/exchange.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
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

// Names in the log the keys of an issuer that are not used, and why: once for each change of what is ignored.

/** Keys that are named; the others are counted. */
const MAX_NAMED = 20
/** Characters of what a key says of itself. */
const MAX_SHOWN_TEXT = 64

export class IgnoredKeyLog {
  readonly #log: Log
  readonly #mask: (text: string) => string
  #last = '[]'

  /** @param mask takes out of a text what the log must not have */
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
    // A key for encryption beside is as it should be; one that was meant for tokens is missed.
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

  // What is cut might no longer be known for a secret.
  #cleanText(text: string): string {
    const oneLine = this.#mask(text.slice(0, MAX_LOOKED_AT)).replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    return oneLine.length > MAX_SHOWN_TEXT
      ? `${oneLine.slice(0, MAX_SHOWN_TEXT).toWellFormed()}…`
      : oneLine.toWellFormed()
  }
}

/** Characters that are looked at for secrets. */
const MAX_LOOKED_AT = 1024

/** How often the age of the set is looked at, and a fetch that failed is tried again, ms. */
const CHECK_MS = 30_000
/** Age at which the set is fetched anew, ms; with the above, a key that is taken away is refused 4 min later. */
const FRESH_MS = 210_000
/** How long keys live on while the issuer cannot be reached, ms. */
const STALE_MS = 24 * 60 * 60 * 1000
/** How long one token waits for a key id that is not known yet, ms. */
const KEY_WAIT_MS = 80
/** Fetches for whatever reason: so many in so long, ms. */
const FETCHES = { max: 2, windowMs: 60_000 }
const STARTUP_WAIT_MS = 3000
const TIMEOUT_MS = 5000
const MAX_JWKS_BYTES = 1024 * 1024

export interface JwksOptions {
  readonly url: string
  readonly log: Log
  /** Unix time in ms. */
  readonly now?: () => number
  /** Told of each fetch, whether it brought keys. */
  onFetch?(isFetched: boolean): void
  /** Takes out of what a key says of itself what the log must not have. */
  mask?(text: string): string
}

export class JwksKeys implements Keys {
  readonly algorithms = KEY_ALGORITHMS
  readonly #options: Required<JwksOptions>
  readonly #ignored: IgnoredKeyLog
  readonly #closing = new AbortController()
  readonly #remote: ReturnType<typeof createRemoteJWKSet>
  #keys: readonly PublishedKey[] = []
  #generation = 0
  #fetchedAtMs = Number.NEGATIVE_INFINITY
  #fetches: number[] = []
  #fetching: Promise<void> | undefined
  #checking: NodeJS.Timeout | undefined

  constructor(options: JwksOptions) {
    this.#options = { now: Date.now, onFetch: () => {}, mask: text => text, ...options }
    this.#ignored = new IgnoredKeyLog(options.log, options.mask)
    this.#remote = createRemoteJWKSet(new URL(options.url), {
      timeoutDuration: TIMEOUT_MS,
      [customFetch]: (url, init) => fetchBounded(url, AbortSignal.any([init.signal, this.#closing.signal])),
    })
  }

  get generation(): number {
    return this.#generation
  }

  find({ alg, kid }: ParsedToken['header']): MaybePromise<VerificationKey | undefined> {
    if (!isKeyAlgorithm(alg)) return undefined
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

  /** Whether another fetch would tell nothing new of it. */
  #hasKey(kid: string | undefined, alg: Algorithm): boolean {
    return this.#freshKeys.some(key => (kid === undefined ? key.algorithms.includes(alg) : key.kid === kid))
  }

  /** A token that names no key is signed with the only one that has its algorithm. @throws TokenFault */
  #findMatching(kid: string | undefined, alg: Algorithm): PublishedKey | undefined {
    const matching = this.#freshKeys.filter(
      key => key.algorithms.includes(alg) && (kid === undefined || key.kid === kid),
    )
    if (matching.length > 1) throw new TokenError('it names no key (kid), and several could be meant')
    return matching[0]
  }

  /** The fetch that is under way, or a new one; undefined where none may begin. Never rejects. */
  #fetch(): Promise<void> | undefined {
    // Tokens that come while the set is fetched wait for it too: the first of a new key would else be the only one served.
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
      await this.#remote.reload()
      const read = parseJwks(this.#remote.jwks()?.keys ?? [])
      if (this.#keys.some(key => !read.keys.some(other => isSameKey(key, other)))) this.#generation++
      this.#keys = read.keys
      this.#fetchedAtMs = now()
      onFetch(true)
      this.#ignored.log(read, url)
    } catch (error) {
      if (this.#closing.signal.aborted) return
      onFetch(false)
      log.warn({ reason: (error as Error).message, url }, 'keys of the issuer could not be fetched; those known stay')
    }
  }
}

const isKeyAlgorithm = (alg: string): alg is Algorithm => KEY_ALGORITHMS.some(algorithm => algorithm === alg)

const isSameKey = (a: PublishedKey, b: PublishedKey) =>
  a.kid === b.kid && a.key === b.key && a.algorithms.join() === b.algorithms.join()

// No redirects, and no more bytes than a set of keys can need.
async function fetchBounded(url: string, signal: AbortSignal): Promise<Response> {
  const response = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } })
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_JWKS_BYTES) throw new Error(`a set of keys larger than ${MAX_JWKS_BYTES} bytes`)
    chunks.push(chunk)
  }
  return new Response(Buffer.concat(chunks), { status: response.status })
}
