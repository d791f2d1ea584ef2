// Bounds the concurrent questions to an issuer. If all slots are taken, tokens wait, and addresses
// take turns.

import type { MaybePromise } from 'toolrack/protocol'
import { MAX_TURN_WAIT_MS, Turns, type Waiting } from './turns.ts'

export const MAX_QUESTIONS = 64

export class QuestionSlots {
  readonly #turns = new Turns<Waiting>()
  #taken = 0

  /**
   * @param isKnown whether the token was verified before: known tokens have their own slots,
   *   whatever others send
   * @returns whether a question may be sent, now or in its turn; then `release` must be called
   */
  take(address: string, isKnown: boolean): MaybePromise<boolean> {
    if (this.#taken < (isKnown ? 2 * MAX_QUESTIONS : MAX_QUESTIONS)) {
      this.#taken++
      return true
    }
    return new Promise(resolve => {
      const expire = () => this.#turns.rejectExpired(performance.now())
      const timer = setTimeout(expire, MAX_TURN_WAIT_MS + 1).unref()
      const waiting: Waiting = {
        sinceMs: performance.now(),
        resolve(isAllowed) {
          clearTimeout(timer)
          resolve(isAllowed)
        },
      }
      if (!this.#turns.add(address, waiting)) waiting.resolve(false)
    })
  }

  release(): void {
    // Slots of known tokens are extra.
    if (this.#turns.count === 0 || this.#taken > MAX_QUESTIONS) this.#taken--
    else this.#turns.takeNext().resolve(true)
  }

  close(): void {
    this.#turns.close()
  }
}
