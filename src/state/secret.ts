// The interface of the kept secret. It seals values that clients send back, if the operator sets none.
import type { Store } from './store.ts'

/** Shares the secret that seals values that clients send back. */
export interface SecretStore extends Store {
  /**
   * Calls `listener` with the secret as soon as it is known, and again if it changes. Called only
   * if the operator has set no secret.
   */
  follow(listener: (secret: string) => void): void
}
