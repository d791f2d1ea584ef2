// Asks the client during its request, and runs the handler again with the answers, until it has no
// more questions.
import type { JsonObject } from '../protocol/messages.ts'
import type { Ask, Exchange } from '../request/exchange.ts'
import { type Steps, wait } from '../request/steps.ts'
import type { Questions } from './questions.ts'

/** Rounds of questions per request. */
export const MAX_ROUNDS = 10

export class TooManyRoundsError extends Error {
  override name = 'TooManyRounds'
  override message = `asked its client in more than ${MAX_ROUNDS} rounds`
}

/** The open questions of a run, and the answers that it has used, by the handler's keys. */
export type AskedQuestions = Pick<Questions, 'open' | 'used'> & Partial<Pick<Questions, 'stateId' | 'isRepeatable'>>

/** A run that needs answers from its client. */
export interface InputRequired {
  readonly kind: 'input_required'
  readonly questions: AskedQuestions
  readonly exchange: Exchange
}

export const isInputRequired = (outcome: object): outcome is InputRequired =>
  (outcome as Partial<InputRequired>).kind === 'input_required'

/**
 * @param first the questions of the first run
 * @param attempt runs the handler again; `rounds` counts from 1
 * @throws TooManyRoundsError, and the errors of `attempt` and `ask`
 */
export function* askInRounds<T extends object>(
  first: InputRequired,
  ask: Ask,
  attempt: (answers: JsonObject, rounds: number) => Steps<T | InputRequired>,
): Steps<T> {
  let outcome: T | InputRequired = first
  for (let rounds = 1; isInputRequired(outcome); rounds++) {
    if (rounds > MAX_ROUNDS) throw new TooManyRoundsError()
    const { used, open }: AskedQuestions = outcome.questions
    const answers: JsonObject = yield* wait(ask(open))
    outcome = yield* attempt({ ...used, ...answers }, rounds)
  }
  return outcome
}
