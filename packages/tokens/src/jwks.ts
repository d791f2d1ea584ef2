// The keys of an issuer (JWKS). A key is known, or missing after a fetch, or unknown for now. If
// unknown, the token waits for a fetch, and is answered with 503 if that fails. Known keys are used
// for a day while the issuer is down.

import { setTimeout as delay } from 'node:timers/promises'
import { type Algorithm, TokenError } from 'toolrack/access'
import { jitterRetryAfter, type Log, type MaybePromise, McpError } from 'toolrack/protocol'
import { explainError } from 'toolrack/text'
import { FetchError, fetchJson } from './bounded-fetch.ts'
import { IgnoredKeyLog } from './ignored-key-log.ts'
import { CHECK_MS, type Keys, STARTUP_WAIT_MS, type VerificationKey } from './keys.ts'
import { KEY_ALGORITHMS, type PublishedKey, parseJwks } from './parse-jwks.ts'
import type { ParsedToken } from './parse-token.ts'

/** Age at which to fetch again, ms. With CHECK_MS, a removed key is rejected within 4 min. */
const FRESH_MS = 210_000
/** How long keys stay valid while the issuer is unreachable, ms. */
const STALE_MS = 24 * 60 * 60 * 1000
/** How long a token waits for a fetch, ms. Issuers take 100 to 400 ms. */
export const KEY_WAIT_MS = 2000
/** Tokens that may wait for a fetch; others are answered at once. */
export const MAX_WAITING_TOKENS = 1000
/** Fetches that tokens may cause, including that of the start. Those of the timer are extra. */
const FETCHES = { max: 2, windowMs: 60_000 }
const RETRY_AFTER_S = 5
const MAX_JWKS_BYTES = 1024 * 1024

export interface JwksOptions {
  /** The URL of the keys, or the issuer whose metadata names it. */
  readonly url: string
  /** Finds the URL before each fetch, if metadata names it. @throws FetchError */
  findUrl?(signal: AbortSignal): Promise<string>
  readonly log: Log
  /** Unix time, ms. */
  readonly now?: () => number
  onFetch?(isFetched: boolean): void
  /** Called when a key was removed: tokens that it has signed must be verified again. */
  onRemoved?(): void
  mask?(text: string): string
  /** Algorithms that keys may sign with; default: all that fit their types. */
  readonly algorithms?: readonly Algorithm[] | undefined
  /** The `use` values of keys that sign tokens. */
  readonly uses?: readonly string[]
}

export class JwksKeys implements Keys {
  readonly algorithms: readonly Algorithm[]
  readonly #options: Required<Omit<JwksOptions, 'algorithms'>>
  readonly #ignored: IgnoredKeyLog
  readonly #closing = new AbortController()
  #keys: readonly PublishedKey[] = []
  #fetchedAtMs = Number.NEGATIVE_INFINITY
  #hadKeys = false
  #problem: string | undefined
  /** The last fetch returned a key set, though perhaps without a usable key. */
  #isAnswered = false
  #fetches: number[] = []
  #fetching: Promise<void> | undefined
  #waiting = 0
  #checking: NodeJS.Timeout | undefined

  constructor(options: JwksOptions) {
    const { url } = options
    const defaults = {
      now: Date.now,
      onFetch: () => {},
      onRemoved: () => {},
      mask: (text: string) => text,
      uses: ['sig'],
    }
    this.#options = { ...defaults, findUrl: async () => url, ...options }
    this.algorithms = options.algorithms ?? KEY_ALGORITHMS
    this.#ignored = new IgnoredKeyLog(options.log, options.mask)
  }

  get problem(): string | undefined {
    return this.#problem
  }

  get isReady(): boolean {
    return this.#hadKeys
  }

  find({ alg, kid }: ParsedToken['header']): MaybePromise<VerificationKey | undefined> {
    if (!isOneOf(this.algorithms, alg)) return undefined
    const fetching = this.#hasKey(kid, alg) ? undefined : this.#fetchForToken()
    if (fetching === undefined || this.#waiting >= MAX_WAITING_TOKENS) return this.#findFetched(kid, alg)
    return this.#wait(fetching).then(() => this.#findFetched(kid, alg))
  }

  async start(): Promise<void> {
    this.#checking = setInterval(() => {
      if (!isWithin(FRESH_MS, this.#fetchedAtMs, this.#options.now())) this.#fetch()
    }, CHECK_MS).unref()
    await Promise.race([this.#fetchForToken(), delay(STARTUP_WAIT_MS, undefined, { ref: false })])
  }

  close(): void {
    clearInterval(this.#checking)
    this.#closing.abort()
  }

  async #wait(fetching: Promise<void>): Promise<void> {
    this.#waiting++
    await Promise.race([fetching, delay(KEY_WAIT_MS, undefined, { ref: false })])
    this.#waiting--
  }

  get #freshKeys(): readonly PublishedKey[] {
    return this.#options.now() - this.#fetchedAtMs > STALE_MS ? [] : this.#keys
  }

  #hasKey(kid: string | undefined, alg: Algorithm): boolean {
    return this.#freshKeys.some(key => (kid === undefined ? key.algorithms.includes(alg) : key.kid === kid))
  }

  /** @throws TokenError; McpError UNVERIFIABLE if the key is missing and the last fetch has no result */
  #findFetched(kid: string | undefined, alg: Algorithm): PublishedKey | undefined {
    const found = this.#findMatching(kid, alg)
    const isKnown = this.#fetching === undefined && this.#isAnswered
    if (found !== undefined || this.#hasKey(kid, alg) || isKnown) return found
    throw new McpError('UNVERIFIABLE', 'the keys of its issuer cannot be fetched; retry', {
      retryAfterS: jitterRetryAfter(RETRY_AFTER_S),
    })
  }

  /** Without a key id, the token matches the only key with its algorithm. @throws TokenError */
  #findMatching(kid: string | undefined, alg: Algorithm): PublishedKey | undefined {
    const matching = this.#freshKeys.filter(
      key => key.algorithms.includes(alg) && (kid === undefined || key.kid === kid),
    )
    if (matching.length > 1) throw new TokenError('it names no key (kid), and several could be meant')
    return matching[0]
  }

  /** The current fetch or a new one; undefined at the limit. */
  #fetchForToken(): Promise<void> | undefined {
    if (this.#fetching !== undefined) return this.#fetching
    const nowMs = this.#options.now()
    this.#fetches = this.#fetches.filter(atMs => isWithin(FETCHES.windowMs, atMs, nowMs))
    if (this.#fetches.length >= FETCHES.max || this.#closing.signal.aborted) return undefined
    this.#fetches.push(nowMs)
    return this.#fetch()
  }

  /** Shared: otherwise only the first token of a new key would succeed. Never rejects. */
  #fetch(): Promise<void> {
    this.#fetching ??= this.#refresh().finally(() => (this.#fetching = undefined))
    return this.#fetching
  }

  async #refresh(): Promise<void> {
    const { findUrl, now, onFetch } = this.#options
    this.#isAnswered = false
    try {
      const from = await findUrl(this.#closing.signal)
      const { keys } = await fetchJson(from, { maxBytes: MAX_JWKS_BYTES, signal: this.#closing.signal })
      this.#serve(keys)
      this.#fetchedAtMs = now()
      this.#setProblem(undefined)
      onFetch(true)
    } catch (error) {
      if (this.#closing.signal.aborted) return
      onFetch(false)
      this.#setProblem(explainError(error))
    }
  }

  /** @throws FetchError if it is not a key set, or has no usable key. RFC 7517, 5. */
  #serve(jwks: unknown): void {
    if (!Array.isArray(jwks) || !jwks.every(jwk => typeof jwk === 'object' && jwk !== null))
      throw new FetchError('the answer is not a key set (JWKS)')
    const read = parseJwks(jwks, { algorithms: this.algorithms, uses: this.#options.uses })
    this.#isAnswered = true
    if (this.#keys.some(key => !read.keys.some(other => isSameKey(key, other)))) this.#options.onRemoved()
    this.#keys = read.keys
    this.#hadKeys ||= read.keys.length > 0
    this.#ignored.log(read, this.#options.url)
    if (read.keys.length === 0) throw new FetchError('the key set has no key that can be used')
  }

  /** Logs each change once: an issuer may be unreachable for long. */
  #setProblem(problem: string | undefined): void {
    const { log, url } = this.#options
    if (problem === this.#problem) return
    this.#problem = problem
    if (problem === undefined) log.info({ url }, "fetched the issuer's keys again")
    else if (this.#freshKeys.length > 0)
      log.warn({ url, reason: problem }, "could not fetch the issuer's keys; using the cached ones")
    else
      log.warn(
        { url, reason: problem },
        "could not fetch the issuer's keys; none of its tokens counts until they are there",
      )
  }
}

/** A time in the future comes from before the clock stepped back. */
const isWithin = (windowMs: number, atMs: number, nowMs: number) => atMs <= nowMs && nowMs - atMs < windowMs

const isOneOf = (algorithms: readonly Algorithm[], alg: string): alg is Algorithm =>
  algorithms.some(algorithm => algorithm === alg)

const isSameKey = (a: PublishedKey, b: PublishedKey) =>
  a.kid === b.kid && a.key === b.key && a.issuer === b.issuer && a.algorithms.join() === b.algorithms.join()
