// Stores the data of oidc-provider. Ids of codes and refresh tokens are secrets, so the store has
// only their hashes: a reader of the store cannot use them.
import { createHash } from 'node:crypto'
import { errors } from 'oidc-provider'
import type { Store } from './store.ts'

/** Lifetime of clients that nobody has signed in with. Anybody can register them, so it is short. */
export const UNUSED_CLIENT_TTL_S = 60 * 60

const CONSUMABLE = new Set(['AuthorizationCode', 'RefreshToken'])
const CONSUMED = 'Consumed'
/** Data that a sign-in needs later, by the id of its grant. */
export const SIGN_IN = 'SignIn'
/** In the order in which they are removed: the writer of a grant checks for its sign-in afterwards. */
export const OF_GRANT: readonly string[] = [SIGN_IN, 'Grant']
/** Only their existence matters. */
const MARKS: readonly string[] = ['ReplayDetection']

/** The parts of a code or refresh token that matter before it is used. */
export interface Usable {
  readonly exp?: number
  readonly grantId?: string
  readonly resource?: string
  readonly rotations?: number
  readonly scope?: string
}

/** @param end ends its sign-in @throws Error if it must not be used now; then it stays valid */
export type BeforeUse = (kind: string, usable: Usable, end: () => Promise<void>) => Promise<void>

export interface AdapterEvents {
  beforeUse: BeforeUse
  /** @throws Error if strangers have created too many of this kind */
  reserve(kind: string, bytes: number): Promise<void>
  /** Called when a code or refresh token came a second time, so that its sign-in has ended. */
  onReused(kind: string): void
}

const UNHEARD: AdapterEvents = { beforeUse: async () => {}, reserve: async () => {}, onReused: () => {} }

export const hashId = (id: string): string => createHash('sha256').update(id).digest('base64url')

/** The part of the library's adapter that the used features call. */
export class StateAdapter {
  readonly #store: Store
  readonly #model: string
  readonly #events: AdapterEvents

  constructor(store: Store, model: string, events = UNHEARD) {
    this.#store = store
    this.#model = model
    this.#events = events
  }

  async upsert(id: string, payload: object, ttlS = UNUSED_CLIENT_TTL_S): Promise<void> {
    const { jti: _, kind: _kind, ...rest } = payload as { readonly jti?: string; readonly kind?: string }
    const kept = MARKS.includes(this.#model) ? {} : rest
    // Clients with a sign-in do not count as a stranger's.
    if (this.#model !== 'Client' || ttlS <= UNUSED_CLIENT_TTL_S)
      await this.#events.reserve(this.#model, Buffer.byteLength(JSON.stringify(kept)))
    await this.#store.set(this.#model, hashId(id), kept, Math.max(1, Math.ceil(ttlS)))
  }

  async find(id: string): Promise<object | undefined> {
    const key = hashId(id)
    const found = await this.#store.get(this.#model, key)
    if (found !== undefined) return this.#model === 'Client' ? found : { ...found, jti: id, kind: this.#model }
    if (CONSUMABLE.has(this.#model)) await this.#endUsed(key)
    return undefined
  }

  /** Sessions are found by their cookie only. */
  async findByUid(): Promise<undefined> {}

  async destroy(id: string): Promise<void> {
    if (this.#model === 'Grant') await this.revokeByGrantId(id)
    else await this.#store.delete(this.#model, hashId(id))
  }

  /**
   * Atomic: if two use the same code or refresh token at the same time, one gets tokens, and then
   * both lose them. One of the two is a thief, and nobody knows which (RFC 9700, 4.14.2).
   */
  async consume(id: string): Promise<void> {
    const key = hashId(id)
    const found: Usable | undefined = await this.#store.get(this.#model, key)
    const { exp, grantId = '' } = found ?? {}
    if (found !== undefined) await this.#events.beforeUse(this.#model, found, () => this.revokeByGrantId(grantId))
    const ttlS = Math.max(1, Math.ceil((exp ?? 0) - Date.now() / 1000))
    if (found !== undefined && (await this.#store.add(CONSUMED, key, { grantId }, ttlS)))
      // From now on, only its use and its purpose matter.
      return this.#store.delete(this.#model, key)
    await this.#endUsed(key)
    throw new errors.InvalidGrant('already used')
  }

  async #endUsed(key: string): Promise<void> {
    const used = await this.#store.get(CONSUMED, key)
    if (used === undefined) return
    await this.revokeByGrantId(String(used['grantId']))
    this.#events.onReused(this.#model)
  }

  /** Codes and refresh tokens are valid only as long as their grant exists. */
  async revokeByGrantId(grantId: string): Promise<void> {
    for (const kind of OF_GRANT) await this.#store.delete(kind, hashId(grantId))
  }
}
