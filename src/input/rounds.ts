// If the client can be asked during its request, runs the handler in rounds until it asks nothing
// more. Otherwise the questions are the result of a single round.
import type { JsonObject } from '../protocol/messages.ts'
import type { Ask } from '../request/exchange.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import { Questions } from './questions.ts'

/** Rounds of questions per request. */
export const MAX_ROUNDS = 10

export class TooManyRoundsError extends Error {
  override name = 'TooManyRounds'
  override message = `asked its client in more than ${MAX_ROUNDS} rounds`
}

/**
 * Asks the client and runs the handler again, until it asks nothing more.
 *
 * @param first the questions of the first run
 * @param attempt runs the handler, with the answers so far
 * @throws TooManyRounds, and what `attempt` and `ask` throw
 */
export async function askInRounds<T>(
  first: Questions,
  ask: Ask,
  attempt: (answers: JsonObject) => MaybePromise<T | Questions>,
): Promise<T> {
  let outcome: T | Questions = first
  for (let round = 0; outcome instanceof Questions; round++) {
    if (round === MAX_ROUNDS) throw new TooManyRoundsError()
    const { used, open } = outcome
    outcome = await attempt({ ...used, ...(await ask(open)) })
  }
  return outcome
}
