// If the client can be asked during its request, runs the handler in rounds until it asks nothing
// more. Otherwise the questions are the result of a single round.
import type { JsonObject } from '../protocol/messages.ts'
import type { Ask } from '../request/exchange.ts'
import { Questions } from './questions.ts'

/** Rounds of questions per request. */
export const MAX_ROUNDS = 10

export class TooManyRoundsError extends Error {
  override name = 'TooManyRounds'
  override message = `asked its client in more than ${MAX_ROUNDS} rounds`
}

/**
 * @param attempt runs the handler, with the answers of earlier rounds if there were any
 * @returns the handler's outcome, or the questions that the client has to answer
 * @throws TooManyRounds, and what `attempt` and `ask` throw
 */
export async function runInRounds<T>(
  ask: Ask | undefined,
  attempt: (answers?: JsonObject) => Promise<T | Questions>,
): Promise<T | Questions> {
  let outcome = await attempt()
  for (let round = 0; ask !== undefined && outcome instanceof Questions; round++) {
    if (round === MAX_ROUNDS) throw new TooManyRoundsError()
    const { used, open } = outcome
    outcome = await attempt({ ...used, ...(await ask(open)) })
  }
  return outcome
}
