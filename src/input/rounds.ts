// Where a client can be asked while its request waits, the handler runs in rounds: with the answers so far, until it
// asks nothing more. Where it cannot, the questions are the result of the one round.
import type { JsonObject } from '../protocol/messages.ts'
import type { Ask } from '../request/exchange.ts'
import { Questions } from './questions.ts'

/** Rounds of questions in one request. */
export const MAX_ROUNDS = 10

/** A request whose handler does not stop asking. */
export class TooManyRoundsError extends Error {
  override name = 'TooManyRounds'
  override message = `asked its client in more than ${MAX_ROUNDS} rounds`
}

/**
 * @param attempt runs the handler; with the answers of earlier rounds, where there were any
 * @returns what the handler ended with, or the questions that the client has to bring answers to
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
