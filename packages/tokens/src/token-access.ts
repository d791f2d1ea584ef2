// Tokens as a way of access: JWTs, which a key verifies, and opaque ones, about which an issuer is asked.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from 'toolrack'
import { type AccessWay, isApiKey } from 'toolrack/access'
import { toAddressKey } from 'toolrack/http'
import type { Issuers } from './issuers.ts'
import type { LiveIssuers } from './live-issuers.ts'
import { type CheckSignature, createSignatureCheck } from './signature.ts'
import { toClientScopes } from './token-scopes.ts'
import { TokenVerifier, type TokenVerifierOptions } from './token-verifier.ts'

export interface TokenAccessOptions extends TokenVerifierOptions {
  readonly issuers: Issuers
  /** In the place of the issuers at which clients sign in. */
  readonly authorizationServers?: readonly string[] | undefined
  /** Follows files of the settings; undefined: none is followed. */
  readonly live?: Pick<LiveIssuers, 'start' | 'close' | 'reload'> | undefined
  readonly description?: string
}

export class TokenAccess implements AccessWay {
  readonly credential = 'token'
  readonly description: string
  readonly #options: TokenAccessOptions
  readonly #verifier: TokenVerifier
  #checkSignature!: CheckSignature

  constructor(options: TokenAccessOptions) {
    this.description = options.description ?? 'tokens'
    this.#options = options
    this.#verifier = new TokenVerifier(options)
  }

  get isReady(): boolean {
    return this.#options.issuers.isReady
  }

  get problems(): readonly string[] {
    return this.#options.issuers.problems
  }

  get authorizationServers(): readonly string[] {
    return this.#options.authorizationServers ?? this.#options.issuers.signInUrls
  }

  toClientScopes(scopes: readonly string[]): readonly string[] {
    return toClientScopes(scopes, this.#options.issuers.scopeRules)
  }

  owns(credential: string): boolean {
    return !isApiKey(credential)
  }

  find(authorization: string): Caller | undefined {
    return this.#verifier.find(authorization)
  }

  verify(token: string, request: FastifyRequest): Promise<Caller> {
    return this.#verifier.verify({
      token,
      // In one spelling, so that nobody fills the memory with one token in many.
      authorization: `Bearer ${token}`,
      address: toAddressKey(request.ip),
      hasLeft: () => request.raw.socket?.destroyed === true,
      checkSignature: ({ key }, alg) => this.#checkSignature(request, { token, key, alg }),
    })
  }

  hasEnded(caller: object): boolean {
    return this.#options.issuers.hasEnded(caller)
  }

  async reload(): Promise<void> {
    await this.#options.live?.reload()
  }

  async start(app: FastifyInstance): Promise<void> {
    this.#checkSignature = await createSignatureCheck(app)
    await this.#options.issuers.start()
    this.#options.live?.start()
  }

  close(): void {
    this.#options.live?.close()
    this.#verifier.close()
  }
}
