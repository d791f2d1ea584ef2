// Keeps the user of each sign-in, and the provider's refresh token, sealed. With it, the broker asks
// the provider again. So it notices within minutes that a user has left or has other roles.
import { setTimeout as sleep } from 'node:timers/promises'
import { errors } from 'oidc-provider'
import { hashId, SIGN_IN } from '../state/adapter.ts'
import { busy } from '../state/rooms.ts'
import type { Seal } from '../state/seal.ts'
import type { Store } from '../state/store.ts'
import type { Claims } from '../users/rules.ts'
import { SignInRefused, type Upstream, type UpstreamTokens } from './upstream.ts'

const LOCK = 'SignInLock'
/** Longer than the provider may take for its metadata and a token. */
const LOCK_S = 30
const LOCK_WAIT_MS = 5000
const LOCK_PAUSE_MS = 50

export interface SignInFacts {
  readonly subject: string
  readonly clientId: string
  /** As the provider gives it, verified or not. */
  readonly email: string | undefined
}

interface Kept extends SignInFacts {
  /** The provider's refresh token; without it, the provider cannot be asked again. */
  readonly sealed?: string
  readonly askedAtMs: number
  readonly endsAtMs: number
}

export interface KeptSignInsParts {
  readonly store: Store
  readonly seal: Seal
  readonly upstream: Upstream
  readonly ttlS: number
  /** How long an answer of the provider stays valid, ms. */
  readonly freshMs: number
}

export class KeptSignIns {
  readonly #parts: KeptSignInsParts

  constructor(parts: KeptSignInsParts) {
    this.#parts = parts
  }

  async save(grantId: string, facts: SignInFacts, refreshToken: string | undefined): Promise<void> {
    const nowMs = Date.now()
    const kept = { ...facts, askedAtMs: nowMs, endsAtMs: nowMs + this.#parts.ttlS * 1000 }
    const key = hashId(grantId)
    await this.#parts.store.set(SIGN_IN, key, ...this.#seal(key, kept, refreshToken))
  }

  /** Whether the sign-in still exists. */
  async has(grantId: string): Promise<boolean> {
    return (await this.#read(hashId(grantId))) !== undefined
  }

  /**
   * Asks the provider about the user, at most every few minutes.
   *
   * @returns the claims of the user; undefined without newer ones
   * @throws SignInRefused if the provider says that the sign-in has ended; 503 if it does not answer
   */
  async renew(grantId: string): Promise<Claims | undefined> {
    const key = hashId(grantId)
    if (!this.#isDue(await this.#read(key))) return undefined
    return this.#alone(key, async () => {
      const kept = await this.#read(key)
      return this.#isDue(kept) ? (await this.#ask(key, kept!)).claims : undefined
    })
  }

  /**
   * Gets a token of the provider for another service.
   *
   * @param key the `sid` of an access token
   * @throws SignInRefused if the provider refuses; 503 if it does not answer
   */
  async tokenFor(key: string, scope: string): Promise<UpstreamTokens> {
    return this.#alone(key, async () => {
      const isThere = (await this.#parts.store.get('Grant', key)) !== undefined
      const kept = isThere ? await this.#read(key) : undefined
      if (kept?.sealed === undefined)
        throw new errors.InvalidGrant('the sign-in has ended, or its provider gave no refresh token')
      return this.#ask(key, kept, scope)
    })
  }

  async #ask(key: string, kept: Kept, scope?: string): Promise<UpstreamTokens> {
    const token = this.#parts.seal.open(kept.sealed!, key)
    if (token === undefined) throw new SignInRefused('its keys are gone')
    const tokens = await this.#parts.upstream.refresh(token, scope)
    // A token for another service brings no news about the user.
    const askedAtMs = scope === undefined ? Date.now() : kept.askedAtMs
    const next = this.#seal(key, { ...kept, askedAtMs }, tokens.refreshToken ?? token)
    // Somebody may have ended it meanwhile; then it must stay ended.
    if (!(await this.#parts.store.replace(SIGN_IN, key, ...next))) throw new SignInRefused('it was ended')
    return tokens
  }

  #isDue(kept: Kept | undefined): boolean {
    return kept?.sealed !== undefined && Date.now() >= kept.askedAtMs + this.#parts.freshMs
  }

  async #read(key: string): Promise<Kept | undefined> {
    return (await this.#parts.store.get(SIGN_IN, key)) as Kept | undefined
  }

  #seal(key: string, kept: Kept, refreshToken: string | undefined): [kept: Kept, ttlS: number] {
    const sealed = refreshToken && this.#parts.seal.seal(refreshToken, key)
    const ttlS = Math.max(1, Math.ceil((kept.endsAtMs - Date.now()) / 1000))
    return [{ ...kept, ...(sealed && { sealed }) }, ttlS]
  }

  /**
   * One at a time: providers change refresh tokens with each use, so two at once would lose the
   * sign-in.
   */
  async #alone<T>(key: string, work: () => Promise<T>): Promise<T> {
    const { store } = this.#parts
    const endMs = performance.now() + LOCK_WAIT_MS
    while (!(await store.add(LOCK, key, {}, LOCK_S))) {
      if (performance.now() > endMs) throw busy('the provider is being asked; try again')
      await sleep(LOCK_PAUSE_MS)
    }
    try {
      return await work()
    } finally {
      await store.delete(LOCK, key)
    }
  }
}
