// Users, with the claims of their last sign-in: these go into access tokens.
import { hashId } from '../state/adapter.ts'
import type { Store } from '../state/store.ts'

const KIND = 'Account'

export class Accounts {
  readonly #store: Store
  readonly #ttlS: number

  constructor(store: Store, ttlS: number) {
    this.#store = store
    this.#ttlS = ttlS
  }

  async save(subject: string, claims: Record<string, unknown>): Promise<void> {
    await this.#store.set(KIND, hashId(subject), claims, this.#ttlS)
  }

  /** @returns undefined if the last sign-in is too old */
  async find(subject: string): Promise<Record<string, unknown> | undefined> {
    return this.#store.get(KIND, hashId(subject))
  }
}
