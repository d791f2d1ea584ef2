// The interface of the kept secret: it seals what clients bring back, if the operator sets none.
import type { Store } from './store.ts'

/** Shares the secret that seals what clients bring back. */
export interface SecretStore extends Store {
  /**
   * Calls `listener` with the secret as soon as it is known, and again if it changes. Called only
   * if the operator has set no secret.
   */
  follow(listener: (secret: string) => void): void
}
