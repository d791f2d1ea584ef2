// Verifies a token from its form to its signature, and remembers it for a minute. Only the check of
// the signature itself is left to the caller.

import type { Caller } from 'toolrack'
import { TOLERANCE_S, TokenError } from 'toolrack/access'
import { McpError } from 'toolrack/protocol'
import { verifyClaims, verifyIntrospected } from './claims.ts'
import type { Issuer, Issuers } from './issuers.ts'
import { isKeyOfIssuer, type Keys, type VerificationKey } from './keys.ts'
import { isSigned, type ParsedToken, parseToken } from './parse-token.ts'
import { TokenCache } from './token-cache.ts'
import { createBusyError } from './turns.ts'
import { VerificationBudget } from './verification-budget.ts'

/** A token as it came. */
export interface ReceivedToken {
  readonly token: string
  /** The whole header in its usual spelling, by which the token is remembered. */
  readonly authorization: string
  /** Whose turn it takes. */
  readonly address: string
  hasLeft(): boolean
  /** @throws an error if the signature is not valid */
  checkSignature(key: VerificationKey, alg: string): Promise<void>
}

export interface TokenVerifierOptions {
  readonly issuers: Issuers
  /** Called for each new token; false if it got no turn. */
  onNewToken?: ((isAllowed: boolean) => void) | undefined
  /** Called with the token of a caller that was verified now. */
  onVerified?: ((caller: Caller, token: string, issuer: Issuer) => void) | undefined
}

/** The cost of a question to an issuer, in signatures. */
const INTROSPECTION_COST = 10

export class TokenVerifier {
  readonly #options: TokenVerifierOptions
  readonly #verified = new TokenCache()
  readonly #budget = new VerificationBudget()

  constructor(options: TokenVerifierOptions) {
    this.#options = options
  }

  start(): Promise<void> {
    return this.#options.issuers.start()
  }

  close(): void {
    this.#options.issuers.close()
    this.#budget.close()
  }

  /** The caller, if the token was verified a moment ago. @param authorization the whole header */
  find(authorization: string): Caller | undefined {
    return this.#verified.find(authorization, this.#options.issuers.generation)
  }

  /** @throws TokenError if it is refused; McpError (503) if that cannot be known now */
  async verify(received: ReceivedToken): Promise<Caller> {
    try {
      return await this.#verify(received)
    } catch (fault) {
      if (fault instanceof McpError) throw fault
      this.#verified.forget(received.authorization)
      // A library's error may quote the token.
      throw fault instanceof TokenError ? fault : new TokenError('the signature is not valid', { cause: fault })
    }
  }

  #verify(received: ReceivedToken): Promise<Caller> {
    const { issuers } = this.#options
    const parsed = this.#parse(received.token)
    const issuer = parsed === undefined ? issuers.findOpaque(received.token) : issuers.find(parsed.payload)
    if (issuer === undefined) throw new TokenError('iss is not an issuer that is trusted')
    const { keys } = issuer
    if (parsed !== undefined && keys !== undefined) return this.#verifyByKey(received, { parsed, issuer, keys })
    // Nobody else may see a token that names its issuer.
    const iss = parsed?.payload['iss']
    if (iss !== undefined && !issuer.spec.rules.issuers?.some(each => each === iss))
      throw new TokenError('iss is not the issuer that is trusted')
    return this.#verifyByIssuer(received, issuer)
  }

  /** @returns undefined if it is opaque, and an issuer can be asked @throws TokenError */
  #parse(token: string): ParsedToken | undefined {
    try {
      return parseToken(token)
    } catch (fault) {
      // A signed one may be of another issuer, and nobody else may see it.
      if (this.#options.issuers.findOpaque(token) === undefined || isSigned(token)) throw fault
      return undefined
    }
  }

  async #verifyByKey(
    received: ReceivedToken,
    { parsed, issuer, keys }: { readonly parsed: ParsedToken; readonly issuer: Issuer; readonly keys: Keys },
  ): Promise<Caller> {
    // Read first: if the key is removed meanwhile, the token is verified again.
    const { generation } = this.#options.issuers
    // Before the key lookup, so that rejected tokens fetch no keys.
    const { expiresAtS, ...claimed } = verifyClaims(parsed, issuer.spec.rules, Date.now() / 1000)
    // Needs no signature check, so it takes nothing from the budget.
    const key = await keys.find(parsed.header)
    if (key === undefined) throw new TokenError('it is signed with no key that is trusted')
    if (!isKeyOfIssuer(key, claimed.issuer)) throw new TokenError('it is signed with a key of another issuer')
    const known = await this.#awaitTurn(received, key.cost)
    if (known !== undefined) return known
    await received.checkSignature(key, parsed.header.alg)
    // The token counts a moment longer, since clocks differ.
    return this.#remember(received, { claimed, expiresAtS, untilS: expiresAtS + TOLERANCE_S, issuer, generation })
  }

  async #verifyByIssuer(received: ReceivedToken, issuer: Issuer): Promise<Caller> {
    const { generation } = this.#options.issuers
    const isKnown = this.#verified.isKnown(received.authorization)
    const known = await this.#awaitTurn(received, INTROSPECTION_COST)
    if (known !== undefined) return known
    const claims = await issuer.introspection!.ask(received.token, { address: received.address, isKnown })
    const { expiresAtS, ...claimed } = verifyIntrospected(claims, issuer.spec.rules, Date.now() / 1000)
    return this.#remember(received, { claimed, expiresAtS, untilS: expiresAtS, issuer, generation })
  }

  /** @returns the caller, if another request has verified the token meanwhile @throws McpError BUSY */
  async #awaitTurn({ authorization, address, hasLeft }: ReceivedToken, cost: number): Promise<Caller | undefined> {
    // Known tokens skip the budget, whatever others send from the same address.
    if (!this.#verified.isKnown(authorization)) {
      const isAllowed = await this.#budget.take(address, cost, hasLeft)
      this.#options.onNewToken?.(isAllowed)
      if (!isAllowed) throw createBusyError()
    }
    return this.find(authorization)
  }

  #remember(
    { authorization, token }: ReceivedToken,
    { claimed, expiresAtS, untilS, issuer, generation }: Verified,
  ): Caller {
    const caller = Object.freeze({ ...claimed, expiresAtMs: expiresAtS * 1000 })
    // By the whole header, which contains this token only.
    this.#verified.remember(authorization, caller, { expiresAtMs: untilS * 1000, generation })
    this.#options.issuers.remember(caller, issuer)
    this.#options.onVerified?.(caller, token, issuer)
    return caller
  }
}

interface Verified {
  readonly claimed: Caller
  readonly expiresAtS: number
  /** How long it is remembered at most. */
  readonly untilS: number
  readonly issuer: Issuer
  readonly generation: number
}
