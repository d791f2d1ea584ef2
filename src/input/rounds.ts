// Where a client can be asked while its request waits, the handler runs in rounds: with the answers so far, until it
// asks nothing more. Where it cannot, the questions are the result of the one round.
import type { Eventually } from '../chain.ts'
import type { Ask } from '../exchange.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { Questions } from './questions.ts'

/** Rounds of questions in one request. */
export const MAX_ROUNDS = 10

/** A request whose handler does not stop asking. */
export class TooManyRounds extends Error {
  override name = 'TooManyRounds'
  override message = `asked its client in more than ${MAX_ROUNDS} rounds`
}

/**
 * @param attempt runs the handler; with the answers of earlier rounds, where there were any
 * @returns what the handler ended with, or the questions that the client has to bring answers to
 * @throws TooManyRounds, and what `attempt` and `ask` throw
 */
export function inRounds<T>(
  ask: Ask | undefined,
  attempt: (answers?: JsonObject) => Eventually<T | Questions>,
): Eventually<T | Questions> {
  const first = attempt()
  if (ask === undefined) return first
  if (first instanceof Promise) return first.then(outcome => goOn(ask, attempt, outcome))
  return first instanceof Questions ? goOn(ask, attempt, first) : first
}

async function goOn<T>(
  ask: Ask,
  attempt: (answers: JsonObject) => Eventually<T | Questions>,
  first: T | Questions,
): Promise<T> {
  let outcome = first
  for (let round = 0; outcome instanceof Questions; round++) {
    if (round === MAX_ROUNDS) throw new TooManyRounds()
    const { used, open } = outcome
    outcome = await attempt({ ...used, ...(await ask(open)) })
  }
  return outcome
}
