// Gets tokens of other services on behalf of callers, for `ctx.caller.tokenFor`. Keeps each token
// until shortly before it expires, and only for the same token of the caller.

import { createHash } from 'node:crypto'
import { type Caller, ToolError } from 'toolrack'
import { API_KEY_ISSUER, ExpiringMap } from 'toolrack/access'
import type { Asking, CallerTokens, ExchangeOutcome, LiveSecrets, Mask } from 'toolrack/execution'
import { type Cancellation, LogThrottle, PerKeyCounter } from 'toolrack/protocol'
import type { SubjectTokens } from './subject-tokens.ts'
import { ExchangeError, type Service, type TokenEndpoint } from './token-endpoint.ts'
import { nameService, parseTokenRequest } from './token-request.ts'

export interface TokenRecord {
  readonly caller: Caller | undefined
  readonly requestId: string
  readonly service: string
  readonly scopes: readonly string[]
  readonly outcome: ExchangeOutcome
}

export interface ExchangedTokensOptions {
  readonly endpoint: Pick<TokenEndpoint, 'exchange' | 'close'>
  readonly subjectTokens: SubjectTokens
  readonly liveSecrets: LiveSecrets
  readonly mask: Mask
  count(outcome: ExchangeOutcome): void
  /** Called for each token that a tool has asked for, whether it got one or not. */
  record(asked: TokenRecord): void
  /** Unix time, ms. */
  readonly now?: () => number
}

/** Maximum number of kept tokens, and of their characters together. */
export const TOKEN_BOUNDS = Object.freeze({ maxEntries: 10_000, maxSize: 16 * 1024 * 1024 })
/** Concurrent exchanges: of one caller, and of all. */
export const MAX_EXCHANGES_PER_CALLER = 16
export const MAX_EXCHANGES = 256
/** How long before its end a token is not used any more, ms; half its life if that is less. */
export const EXPIRY_MARGIN_MS = 30_000
/** How long a token with an unknown life is masked, ms. Lives longer than a day count as a day. */
const UNKNOWN_LIFE_MS = 60 * 60 * 1000
const MAX_LIFE_MS = 24 * 60 * 60 * 1000

interface Subject {
  readonly caller: Caller
  readonly owner: string
  readonly token: string
}

export class ExchangedTokens implements CallerTokens {
  readonly #options: ExchangedTokensOptions
  readonly #now: () => number
  readonly #tokens: ExpiringMap<string>
  readonly #underWay = new Map<string, Promise<string>>()
  readonly #askedAtOnce = new PerKeyCounter({ perKey: MAX_EXCHANGES_PER_CALLER, inAll: MAX_EXCHANGES })
  readonly #throttle = new LogThrottle()

  get subjectTokens(): SubjectTokens {
    return this.#options.subjectTokens
  }

  constructor(options: ExchangedTokensOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#tokens = new ExpiringMap(TOKEN_BOUNDS, this.#now)
  }

  close(): void {
    this.#options.endpoint.close()
  }

  async tokenFor(asking: Asking, request: unknown): Promise<string> {
    const service = parseTokenRequest(request)
    const subject = this.#findSubject(asking)
    const key = toKey(subject, service)
    const known = this.#tokens.get(key)
    if (known !== undefined) {
      this.#options.count('cached')
      this.#record(asking, service, 'cached')
      return known
    }
    const exchange = this.#underWay.get(key) ?? this.#begin(key, subject, service)
    try {
      const wait = () => untilCancelled(exchange, asking.cancellation)
      const token = await (asking.timed === undefined ? wait() : asking.timed('exchange token', wait))
      this.#record(asking, service, 'ok')
      return token
    } catch (error) {
      if (error instanceof ExchangeError) this.#record(asking, service, error.kind)
      throw error instanceof ExchangeError ? this.#explain(error, service, asking) : error
    }
  }

  #record({ caller, requestId }: Asking, service: Service, outcome: ExchangeOutcome): void {
    this.#options.record({ caller, requestId, service: nameService(service), scopes: service.scopes, outcome })
  }

  /** @throws ToolError if there is no token to exchange */
  #findSubject({ caller, owner, taskId }: Asking): Subject {
    const token = caller && this.#options.subjectTokens.find(caller, taskId)
    if (caller === undefined || owner === undefined || token === undefined)
      throw new ToolError(explainMissingToken(caller, taskId))
    if ((caller.expiresAtMs ?? Number.POSITIVE_INFINITY) <= this.#now())
      throw new ToolError("The caller's token has expired, so it gets no others; the client has to send a new one")
    return { caller, owner, token }
  }

  /** Equal requests share one exchange. It continues if the waiting calls are cancelled. */
  #begin(key: string, subject: Subject, service: Service): Promise<string> {
    const { owner } = subject
    if (!this.#askedAtOnce.take(owner))
      throw new ToolError('Too many tokens are being asked for at once; try again in a few seconds')
    const exchange = this.#exchange(key, subject, service).finally(() => {
      this.#underWay.delete(key)
      this.#askedAtOnce.release(owner)
    })
    this.#underWay.set(key, exchange)
    // Perhaps nobody waits for it any more.
    exchange.catch(() => {})
    return exchange
  }

  async #exchange(key: string, { caller, token }: Subject, service: Service): Promise<string> {
    const { endpoint, liveSecrets, count } = this.#options
    const atMs = this.#now()
    try {
      const { accessToken, expiresInS } = await endpoint.exchange(token, service)
      const lifeMs = Math.min(expiresInS === undefined ? UNKNOWN_LIFE_MS : expiresInS * 1000, MAX_LIFE_MS)
      // Some servers send `expires_in: 0` with tokens that work.
      liveSecrets.add(accessToken, atMs + Math.max(lifeMs, EXPIRY_MARGIN_MS))
      if (expiresInS !== undefined) {
        const usableMs = lifeMs - Math.min(EXPIRY_MARGIN_MS, lifeMs / 2)
        const untilMs = Math.min(atMs + usableMs, caller.expiresAtMs ?? Number.POSITIVE_INFINITY)
        this.#tokens.set(key, accessToken, { size: accessToken.length, untilMs })
      }
      count('ok')
      return accessToken
    } catch (error) {
      count(error instanceof ExchangeError ? error.kind : 'failed')
      throw error
    }
  }

  #explain(error: ExchangeError, service: Service, { log }: Asking): ToolError {
    const { kind, code, needsUser } = error
    const [name, reason] = [this.#options.mask(nameService(service)), this.#options.mask(error.message)]
    const repeated = this.#throttle.pass(`${name} ${code}`)
    if (repeated !== undefined) {
      const fields = { service: name, reason, ...(needsUser && { needsUser }), ...repeated }
      log.warn(fields, 'the authorization server gave no token for another service')
    }
    const start = `The authorization server gives no token for ${name} on behalf of this caller`
    if (kind === 'failed') return new ToolError(`${start}: it gave no usable answer; try again later`)
    const advice = needsUser ? '. The user has to consent, or to sign in again, which this call cannot ask for' : ''
    return new ToolError(`${start} (${reason})${advice}`)
  }
}

function explainMissingToken(caller: Caller | undefined, taskId: string | undefined): string {
  if (caller?.issuer === API_KEY_ISSUER)
    return 'This caller has an API key, and only access tokens can be exchanged; call with a token'
  return taskId === undefined
    ? 'This caller has no access token that could be exchanged'
    : "The caller's token stays in the process that it came to, and this task runs in another one; call the tool again"
}

// By the caller's exact token: another token of the same caller may have fewer scopes.
const toKey = ({ owner, token }: Subject, { audience, resource, scopes }: Service): string =>
  JSON.stringify([owner, createHash('sha256').update(token).digest('base64url'), audience, resource, scopes])

/** Ends the wait, but not the work. @throws the reason of the signal */
export function untilCancelled<T>(work: Promise<T>, cancellation: Cancellation): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = () => reject(cancellation.signal.reason)
    cancellation.onCancel(cancel)
    work.then(resolve, reject).finally(() => cancellation.offCancel(cancel))
  })
}
