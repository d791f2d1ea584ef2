// What goes into a task and comes out of it, in plain JSON and back.
import { ToolFailure } from '../execution/failure.ts'
import { Refused } from '../input/refused.ts'
import { McpError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/messages.ts'
import type { TaskAnswer, TaskOutcome } from '../task.ts'

export const answerOf = (response: unknown): TaskAnswer =>
  response instanceof Refused ? { refused: response.message } : { answer: response }

/** As a handler finds it. */
export const givenOf = (answer: TaskAnswer): unknown =>
  'refused' in answer ? new Refused(answer.refused) : answer.answer

/** What is not an McpError is a fault of ours, and gets a fixed text. */
export function errorOutcome(error: unknown): Extract<TaskOutcome, { error: object }> {
  const { reason, message, data } = error instanceof McpError ? error : new McpError('INTERNAL_ERROR')
  return { error: { reason, message, data } }
}

/** @throws McpError that the call ended with */
export function resultOf(outcome: TaskOutcome): JsonObject {
  if ('result' in outcome) return outcome.result
  const { reason, message, data } = outcome.error
  throw McpError.restored(reason, message, data)
}

/** How a task ends whose process went down before it did. */
export function interrupted(): McpError {
  const text = 'interrupted: the server was stopped while the task ran; call the tool again'
  return new McpError('HANDLER_FAILED', text, { cause: new ToolFailure('cancelled', text) })
}

export const mapValues = <T, R>(values: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]))
