// The questions of a tool as JSON of plain HTTP, and the answers that it accepts.
// Spec 2026-07-28: client/elicitation and basic/patterns/mrtr.
import { type Static, Type } from '@sinclair/typebox'
import { getFormValidator } from '../input/form.ts'
import { isObject, type JsonObject } from '../protocol/messages.ts'
import { AnyObject } from '../protocol/schemas/common.ts'
import { assertParams } from '../request/params.ts'
import { locate } from '../schema/issues.ts'
import { type Problem, type ProblemError, toProblemError } from './problems.ts'

/** The body of an answer to a call's questions. */
const CallAnswers = Type.Object(
  {
    state: Type.String({ maxLength: 512 * 1024 }),
    answers: AnyObject,
    arguments: Type.Optional(AnyObject),
  },
  { additionalProperties: false },
)
export type CallAnswers = Static<typeof CallAnswers>

/** The body of an answer to a task's questions. */
const TaskAnswers = Type.Object({ answers: AnyObject }, { additionalProperties: false })

/** @throws McpError INVALID_PARAMS (400) */
export function readCallAnswers(body: unknown): CallAnswers {
  assertParams(CallAnswers, body)
  return { ...(body as CallAnswers), answers: toInputResponses((body as CallAnswers).answers) }
}

/** @throws McpError INVALID_PARAMS (400) */
export function readTaskAnswers(body: unknown): JsonObject {
  assertParams(TaskAnswers, body)
  return toInputResponses((body as Static<typeof TaskAnswers>).answers)
}

/** The fields of a form accept it; a text is the action alone: accept, decline or cancel. */
function toInputResponses(answers: JsonObject): JsonObject {
  const toResponse = (answer: unknown) => {
    if (isObject(answer)) return { action: 'accept', content: answer }
    return { action: answer === true ? 'accept' : answer === false ? 'decline' : answer }
  }
  return Object.fromEntries(Object.entries(answers).map(([key, answer]) => [key, toResponse(answer)]))
}

/** One question of a tool. */
export interface Question extends JsonObject {
  readonly key: string
  readonly mode: 'form' | 'url'
  readonly message: string
}

/** @param requests of the questions, by key: elicitations alone, since nothing else is declared */
export function toQuestions(requests: JsonObject): Question[] {
  return Object.entries(requests as Record<string, { params?: JsonObject }>).map(([key, { params = {} }]) => {
    const { mode, message, requestedSchema, url } = params
    const text = String(message)
    return mode === 'url'
      ? { key, mode, message: text, url }
      : { key, mode: 'form', message: text, schema: requestedSchema }
  })
}

/** Issues of one answer. */
const MAX_ISSUES = 10
const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel']

/**
 * Why questions that were answered are asked again.
 *
 * @param responses by the key of the question
 */
function findAnswerErrors(questions: readonly Question[], responses: JsonObject): ProblemError[] {
  return questions.flatMap(({ key, schema }) => {
    if (!Object.hasOwn(responses, key)) return []
    const { action, content } = responses[key] as JsonObject
    const place = locate(['answers', key]).pointer
    if (!ACTIONS.includes(action))
      return [toProblemError(place, 'must be the fields of the form, or accept, decline or cancel')]
    if (action !== 'accept' || schema === undefined) return []
    const issues = getFormValidator(schema as object).issues(content ?? {}, MAX_ISSUES)
    return issues.map(({ pointer, expected }) => toProblemError(`${place}${pointer}`, expected))
  })
}

interface AskedCall {
  readonly questions: readonly Question[]
  readonly state: unknown
  readonly arguments: unknown
  /** Where the answers go. */
  readonly url: string
  /** What the client has answered, if this is not the first round. */
  readonly responses?: JsonObject | undefined
}

/** The answer is the body for `url`, in which only `answers` has to be filled in. */
export function toQuestionProblem({ questions, state, arguments: args, url, responses = {} }: AskedCall): Problem {
  const errors = findAnswerErrors(questions, responses)
  const answers = Object.fromEntries(questions.map(({ key, mode }) => [key, mode === 'url' ? 'accept' : {}]))
  return {
    status: 409,
    name: 'question',
    title: 'The tool asks',
    detail: questions.map(({ message }) => message).join(' '),
    more: {
      ...(errors.length > 0 && { errors }),
      questions,
      answer: { method: 'POST', url, body: { state, arguments: args, answers } },
    },
  }
}
