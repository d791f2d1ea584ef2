// The keys of an issuer, by its JWKS: fetched in the background, so that no token waits for a slow issuer for long.
// Kept through outages for a day; an unknown key id has them fetched anew. All fetches together are two a minute at most.
import { setTimeout as delay } from 'node:timers/promises'
import { createRemoteJWKSet, customFetch } from 'jose'
import type { Eventually } from '../chain.ts'
import type { Log } from '../exchange.ts'
import { IgnoredKeys } from './ignored-keys.ts'
import { KEY_ALGORITHMS, type PublishedKey, readKeys } from './jwk.ts'
import type { Algorithm, Keys, VerificationKey } from './keys.ts'
import { type ReadToken, TokenFault } from './token.ts'

/** How often the age of the set is looked at, and a fetch that failed is tried again, ms. */
const CHECK_MS = 30_000
/** Age at which the set is fetched anew, ms; with the above, a key that is taken away is refused 4 min later. */
const FRESH_MS = 210_000
/** How long keys live on while the issuer cannot be reached, ms. */
const STALE_MS = 24 * 60 * 60 * 1000
/** How long one token waits for a key id that is not known yet, ms. */
const WAIT_MS = 80
/** Fetches for whatever reason: so many in so long, ms. */
const FETCHES = { max: 2, windowMs: 60_000 }
const START_MS = 3000
const TIMEOUT_MS = 5000
const MAX_BYTES = 1024 * 1024

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
  readonly #ignored: IgnoredKeys
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
    this.#ignored = new IgnoredKeys(options.log, options.mask)
    this.#remote = createRemoteJWKSet(new URL(options.url), {
      timeoutDuration: TIMEOUT_MS,
      [customFetch]: (url, init) => fetchBounded(url, AbortSignal.any([init.signal, this.#closing.signal])),
    })
  }

  get generation(): number {
    return this.#generation
  }

  find({ alg, kid }: ReadToken['header']): Eventually<VerificationKey | undefined> {
    if (!isKeyAlgorithm(alg)) return undefined
    const matching = () => this.#matching(kid, alg)
    const fetching = this.#knows(kid, alg) ? undefined : this.#fetch()
    return fetching === undefined ? matching() : Promise.race([fetching, delay(WAIT_MS)]).then(matching)
  }

  async start(): Promise<void> {
    this.#checking = setInterval(() => {
      if (this.#options.now() - this.#fetchedAtMs >= FRESH_MS) this.#fetch()
    }, CHECK_MS).unref()
    await Promise.race([this.#fetch(), delay(START_MS, undefined, { ref: false })])
  }

  close(): void {
    clearInterval(this.#checking)
    this.#closing.abort()
  }

  get #known(): readonly PublishedKey[] {
    return this.#options.now() - this.#fetchedAtMs > STALE_MS ? [] : this.#keys
  }

  /** Whether another fetch would tell nothing new of it. */
  #knows(kid: string | undefined, alg: Algorithm): boolean {
    return this.#known.some(key => (kid === undefined ? key.algorithms.includes(alg) : key.kid === kid))
  }

  /** A token that names no key is signed with the only one that has its algorithm. @throws TokenFault */
  #matching(kid: string | undefined, alg: Algorithm): PublishedKey | undefined {
    const matching = this.#known.filter(key => key.algorithms.includes(alg) && (kid === undefined || key.kid === kid))
    if (matching.length > 1) throw new TokenFault('it names no key (kid), and several could be meant')
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
      const read = readKeys(this.#remote.jwks()?.keys ?? [])
      if (this.#keys.some(key => !read.keys.some(other => isSame(key, other)))) this.#generation++
      this.#keys = read.keys
      this.#fetchedAtMs = now()
      onFetch(true)
      this.#ignored.note(read, url)
    } catch (error) {
      if (this.#closing.signal.aborted) return
      onFetch(false)
      log.warn({ reason: (error as Error).message, url }, 'keys of the issuer could not be fetched; those known stay')
    }
  }
}

const isKeyAlgorithm = (alg: string): alg is Algorithm => KEY_ALGORITHMS.some(algorithm => algorithm === alg)

const isSame = (a: PublishedKey, b: PublishedKey) =>
  a.kid === b.kid && a.key === b.key && a.algorithms.join() === b.algorithms.join()

// No redirects, and no more bytes than a set of keys can need.
async function fetchBounded(url: string, signal: AbortSignal): Promise<Response> {
  const response = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } })
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_BYTES) throw new Error(`a set of keys larger than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return new Response(Buffer.concat(chunks), { status: response.status })
}
