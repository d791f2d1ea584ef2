// Stores what oidc-provider has to remember. Ids of codes and refresh tokens are secrets, so the
// store has their hashes only: whoever reads it can use none of them.
import { createHash } from 'node:crypto'
import { errors } from 'oidc-provider'
import type { Store } from './store.ts'

/** Clients that nobody has signed in with: anybody can register them, so they go soon. */
export const UNUSED_CLIENT_TTL_S = 60 * 60

const CONSUMABLE = new Set(['AuthorizationCode', 'RefreshToken'])
const CONSUMED = 'Consumed'

export const hashId = (id: string): string => createHash('sha256').update(id).digest('base64url')

/** The part of the library's adapter that its features in use call. */
export class StateAdapter {
  readonly #store: Store
  readonly #model: string

  constructor(store: Store, model: string) {
    this.#store = store
    this.#model = model
  }

  async upsert(id: string, payload: object, ttlS = UNUSED_CLIENT_TTL_S): Promise<void> {
    const { jti: _, ...rest } = payload as { readonly jti?: string }
    await this.#store.set(this.#model, hashId(id), rest, Math.max(1, Math.ceil(ttlS)))
  }

  async find(id: string): Promise<object | undefined> {
    const key = hashId(id)
    const found = await this.#store.get(this.#model, key)
    if (found === undefined || this.#model === 'Client') return found
    const isConsumed = CONSUMABLE.has(this.#model) && (await this.#store.get(CONSUMED, key)) !== undefined
    return { ...found, jti: id, ...(isConsumed && { consumed: true }) }
  }

  /** Sessions are found by their cookie only. */
  async findByUid(): Promise<undefined> {}

  async destroy(id: string): Promise<void> {
    await this.#store.delete(this.#model, hashId(id))
  }

  /**
   * Atomic: of two who use the same code or refresh token at the same time, one gets tokens, and
   * then both lose them. One of the two is a thief, and nobody knows which (RFC 9700, 4.14.2).
   */
  async consume(id: string): Promise<void> {
    const key = hashId(id)
    const found = await this.#store.get(this.#model, key)
    const { exp, grantId } = (found ?? {}) as { readonly exp?: number; readonly grantId?: string }
    const ttlS = Math.max(1, Math.ceil((exp ?? 0) - Date.now() / 1000))
    if (await this.#store.add(CONSUMED, key, ttlS)) return
    if (grantId !== undefined) await this.revokeByGrantId(grantId)
    throw new errors.InvalidGrant('already used')
  }

  /** Codes and refresh tokens are good only as long as their grant is there. */
  async revokeByGrantId(grantId: string): Promise<void> {
    await this.#store.delete('Grant', hashId(grantId))
  }
}
