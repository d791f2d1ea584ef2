// Asks an issuer about opaque tokens. What it does not answer is refused with 503, never let in.
// RFC 7662; RFC 9701 (signed answers) is not asked for.
import { McpError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { jitterRetryAfter } from '../request/answer.ts'
import type { Log } from '../request/exchange.ts'
import { explainError } from '../text/thrown.ts'
import { FetchError, fetchJson } from './bounded-fetch.ts'
import { INTROSPECTION_FORMS, type IntrospectionForm, type IntrospectionFormName } from './introspection-forms.ts'
import { TokenError } from './token.ts'

export interface IntrospectionSpec {
  readonly form: IntrospectionFormName
  /** Undefined: that of the form, or of the issuer's metadata. */
  readonly url: string | undefined
  readonly clientId: string | undefined
  readonly clientSecretFile: string | undefined
  /** How its tokens begin; undefined: it is asked about all. */
  readonly tokenPrefix: string | undefined
}

export interface IntrospectionOptions {
  readonly issuer: string
  readonly spec: IntrospectionSpec
  /** Reads the secret at each request, so that a new one counts at once. @throws Error */
  readSecret(file: string): string
  /** By the metadata of the issuer. @throws FetchError */
  findUrl(signal: AbortSignal): Promise<string>
  readonly log: Log
}

const MAX_ANSWER_BYTES = 64 * 1024
/** Requests at a time; further tokens get 503. */
export const MAX_INTROSPECTIONS = 64
const RETRY_AFTER_S = 5

export class Introspection {
  readonly #options: IntrospectionOptions
  readonly #form: IntrospectionForm
  readonly #closing = new AbortController()
  /** By token: requests of one token share the question. */
  readonly #asking = new Map<string, Promise<JsonObject>>()
  #problem: string | undefined
  #url: string | undefined

  constructor(options: IntrospectionOptions) {
    this.#options = options
    this.#form = INTROSPECTION_FORMS[options.spec.form]
  }

  get problem(): string | undefined {
    return this.#problem
  }

  close(): void {
    this.#closing.abort()
  }

  /** @returns the claims of a token that counts @throws TokenError; McpError UNVERIFIABLE, BUSY */
  async ask(token: string): Promise<JsonObject> {
    const asking = this.#asking.get(token) ?? this.#begin(token)
    return await asking
  }

  #begin(token: string): Promise<JsonObject> {
    if (this.#asking.size >= MAX_INTROSPECTIONS)
      throw new McpError('BUSY', 'too many new tokens wait to be verified; retry', { retryAfterS: jitterRetryAfter(2) })
    const asking = this.#ask(token).finally(() => this.#asking.delete(token))
    this.#asking.set(token, asking)
    return asking
  }

  async #ask(token: string): Promise<JsonObject> {
    const answer = await this.#request(token).catch(error => this.#toInactive(error))
    const claims = answer && this.#form.toClaims(answer)
    if (claims === undefined) throw new TokenError('its issuer says that the token does not count')
    return claims
  }

  async #request(token: string): Promise<JsonObject> {
    const { clientId, clientSecretFile: file } = this.#options.spec
    const clientSecret = file === undefined ? undefined : this.#options.readSecret(file)
    const url = await this.#findUrl()
    const request = this.#form.request(token, { url, clientId, clientSecret })
    const answer = await fetchJson(url, { ...request, maxBytes: MAX_ANSWER_BYTES, signal: this.#closing.signal })
    this.#setProblem(undefined)
    return answer
  }

  async #findUrl(): Promise<string> {
    const { spec, findUrl } = this.#options
    const fixed = spec.url ?? this.#form.url?.replace('{clientId}', encodeURIComponent(spec.clientId ?? ''))
    this.#url ??= fixed ?? (await findUrl(this.#closing.signal))
    return this.#url
  }

  /** @returns undefined if the issuer says that the token does not count @throws McpError UNVERIFIABLE */
  #toInactive(error: unknown): undefined {
    if (error instanceof FetchError && this.#form.inactive.includes(error.status ?? 0)) return undefined
    this.#setProblem(explainError(error))
    throw new McpError('UNVERIFIABLE', 'its issuer does not say whether it counts; retry', {
      retryAfterS: jitterRetryAfter(RETRY_AFTER_S),
    })
  }

  #setProblem(problem: string | undefined): void {
    if (problem === this.#problem) return
    this.#problem = problem
    const { log, issuer } = this.#options
    if (problem === undefined) log.info({ issuer }, 'the issuer answers again about tokens')
    else log.warn({ issuer, reason: problem }, 'could not ask the issuer about a token; such tokens get 503')
  }
}
