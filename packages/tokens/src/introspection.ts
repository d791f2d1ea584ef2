// Asks an issuer about opaque tokens. If it does not answer, the token is refused with 503, never
// accepted.
// RFC 7662; RFC 9701 (signed answers) is not asked for.

import { setTimeout as delay } from 'node:timers/promises'
import type { JsonObject } from 'toolrack'
import { TokenError } from 'toolrack/access'
import { jitterRetryAfter, type Log, McpError } from 'toolrack/protocol'
import type { IntrospectionSpec } from 'toolrack/settings'
import { explainError } from 'toolrack/text'
import { FetchError, fetchJson } from './bounded-fetch.ts'
import { INTROSPECTION_FORMS, type IntrospectionForm, type IntrospectionFormName } from './introspection-forms.ts'
import type { Asker, Introspector } from './issuers.ts'
import { CHECK_MS, STARTUP_WAIT_MS } from './keys.ts'
import { QuestionSlots } from './question-slots.ts'
import { createBusyError } from './turns.ts'

/** As in the file of issuers. */
export interface IntrospectionSettings extends IntrospectionSpec {
  readonly form: IntrospectionFormName
  readonly clientId: string | undefined
  readonly clientSecretFile: string | undefined
}

export interface IntrospectionOptions {
  readonly issuer: string
  readonly settings: IntrospectionSettings
  /** Reads the secret at each request, so that a new one counts at once. @throws Error */
  readSecret(file: string): string
  /** From the metadata of the issuer. @throws FetchError */
  findUrl(signal: AbortSignal): Promise<string>
  readonly log: Log
}

const MAX_ANSWER_BYTES = 64 * 1024
const RETRY_AFTER_S = 5
/** An invented token, to check whether an issuer answers at all. */
const NO_TOKEN = 'toolrack-asks-whether-you-answer'
/** Some issuers answer so to a token that is not theirs. */
const MALFORMED = [400, 422]

export class Introspection implements Introspector {
  readonly #options: IntrospectionOptions
  readonly #form: IntrospectionForm
  readonly #closing = new AbortController()
  /** By token: requests with the same token share one question. */
  readonly #asking = new Map<string, Promise<JsonObject>>()
  readonly #slots = new QuestionSlots()
  #problem: string | undefined
  #url: string | undefined
  #isReady = false
  #checking: NodeJS.Timeout | undefined

  constructor(options: IntrospectionOptions) {
    this.#options = options
    this.#form = INTROSPECTION_FORMS[options.settings.form]
  }

  get problem(): string | undefined {
    return this.#problem
  }

  /** Whether the issuer has ever answered. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** Resolves when the issuer has answered, or the first question has failed or takes too long. */
  async start(): Promise<void> {
    this.#checking = setInterval(() => {
      if (!this.#isReady || this.#problem !== undefined) void this.#check()
    }, CHECK_MS).unref()
    await Promise.race([this.#check(), delay(STARTUP_WAIT_MS, undefined, { ref: false })])
  }

  close(): void {
    clearInterval(this.#checking)
    this.#slots.close()
    this.#closing.abort()
  }

  /** @returns the claims of a valid token @throws TokenError; McpError UNVERIFIABLE, BUSY */
  async ask(token: string, asker: Asker): Promise<JsonObject> {
    const asking = this.#asking.get(token) ?? this.#begin(token, asker)
    return await asking
  }

  #begin(token: string, asker: Asker): Promise<JsonObject> {
    const asking = this.#askInTurn(token, asker).finally(() => this.#asking.delete(token))
    this.#asking.set(token, asking)
    return asking
  }

  async #askInTurn(token: string, { address, isKnown }: Asker): Promise<JsonObject> {
    if (!(await this.#slots.take(address, isKnown))) throw createBusyError()
    try {
      return await this.#ask(token)
    } finally {
      this.#slots.release()
    }
  }

  /** Never rejects. */
  async #check(): Promise<void> {
    const isThere = (error: unknown) =>
      error instanceof FetchError && [...MALFORMED, ...this.#form.inactive].includes(error.status ?? 0)
    await this.#request(NO_TOKEN).catch(error => (isThere(error) ? this.#setProblem(undefined) : this.#fail(error)))
  }

  async #ask(token: string): Promise<JsonObject> {
    const answer = await this.#request(token).catch(error => this.#toInactive(error))
    const claims = answer && this.#form.toClaims(answer)
    if (claims === undefined) throw new TokenError('its issuer says that the token does not count')
    return claims
  }

  async #request(token: string): Promise<JsonObject> {
    const { clientId, clientSecretFile: file } = this.#options.settings
    const clientSecret = file === undefined ? undefined : this.#options.readSecret(file)
    const url = await this.#findUrl()
    const request = this.#form.request(token, { url, clientId, clientSecret })
    const answer = await fetchJson(url, { ...request, maxBytes: MAX_ANSWER_BYTES, signal: this.#closing.signal })
    this.#setProblem(undefined)
    return answer
  }

  async #findUrl(): Promise<string> {
    const { settings, findUrl } = this.#options
    this.#url ??= settings.url ?? (await findUrl(this.#closing.signal))
    return this.#url
  }

  /** @returns undefined if the issuer says that the token is not valid @throws McpError UNVERIFIABLE */
  #toInactive(error: unknown): undefined {
    if (error instanceof FetchError && this.#form.inactive.includes(error.status ?? 0)) return undefined
    this.#fail(error)
    throw new McpError('UNVERIFIABLE', 'its issuer does not say whether it counts; retry', {
      retryAfterS: jitterRetryAfter(RETRY_AFTER_S),
    })
  }

  #fail(error: unknown): void {
    // The URL may have changed.
    this.#url = undefined
    if (!this.#closing.signal.aborted) this.#setProblem(explainError(error))
  }

  #setProblem(problem: string | undefined): void {
    this.#isReady ||= problem === undefined
    if (problem === this.#problem) return
    this.#problem = problem
    const { log, issuer } = this.#options
    if (problem === undefined) log.info({ issuer }, 'the issuer answers again about tokens')
    else log.warn({ issuer, reason: problem }, 'could not ask the issuer about a token; such tokens get 503')
  }
}
