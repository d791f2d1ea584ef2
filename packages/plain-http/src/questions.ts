// The questions of a tool as JSON of plain HTTP, and the answers that plain HTTP accepts.
// Spec 2026-07-28: client/elicitation and basic/patterns/mrtr.
import { type Static, Type } from '@sinclair/typebox'
import { locate } from '@toolrack/json-schema/issues'
import type { JsonObject } from 'toolrack'
import { findFieldIssues, isElicitResult, toElicitAnswer } from 'toolrack/execution'
import { AnyObject, assertParams, isObject } from 'toolrack/protocol'
import {
  InvalidAnswers,
  type Problem,
  type ProblemError,
  QUESTION_STATUS,
  toAnswersProblem,
  toProblemError,
} from './problems.ts'

/** The body of an answer to a call's questions. */
const CallAnswers = Type.Object(
  {
    state: Type.String({ maxLength: 512 * 1024 }),
    answers: AnyObject,
    arguments: Type.Optional(AnyObject),
  },
  { additionalProperties: false },
)

export interface CallAnswers extends Static<typeof CallAnswers> {
  readonly responses: JsonObject
}

/** The body of an answer to a task's questions. */
const TaskAnswers = Type.Object({ answers: AnyObject }, { additionalProperties: false })

/** @throws McpError INVALID_PARAMS (400); InvalidAnswers (422) */
export function readCallAnswers(body: unknown): CallAnswers {
  assertParams(CallAnswers, body)
  const written = body as Static<typeof CallAnswers>
  return { ...written, responses: toInputResponses(written.answers) }
}

/** @returns the answers as they were written @throws McpError INVALID_PARAMS (400) */
export function readTaskAnswers(body: unknown): JsonObject {
  assertParams(TaskAnswers, body)
  return (body as Static<typeof TaskAnswers>).answers
}

/** @throws InvalidAnswers (422) naming each answer that no question can accept */
export function toInputResponses(answers: JsonObject): JsonObject {
  const responses = Object.entries(answers).map(([key, answer]) => [key, toElicitAnswer(answer)] as const)
  const strange = responses.filter(([, response]) => response === undefined)
  if (strange.length > 0)
    throw new InvalidAnswers(strange.map(([key]) => toProblemError(toPointer(key), FORM_OR_ACTION)))
  return Object.fromEntries(responses)
}

const ACTION = 'must be accept, decline or cancel'
const FORM_OR_ACTION = 'must be the fields of the form, or accept, decline or cancel'

const toPointer = (key: string) => locate(['answers', key]).pointer

/** One question of a tool. */
export interface Question extends JsonObject {
  readonly key: string
  readonly mode: 'form' | 'url'
  readonly message: string
}

/**
 * @param requests of the questions, by key: only elicitations, since no other capability is declared
 */
export function toQuestions(requests: JsonObject): Question[] {
  return Object.entries(requests as Record<string, { params?: JsonObject }>).map(([key, { params = {} }]) => {
    const { mode, message, requestedSchema, url } = params
    const text = String(message)
    return mode === 'url'
      ? { key, mode, message: text, url }
      : { key, mode: 'form', message: text, schema: requestedSchema }
  })
}

/** Maximum number of issues of one answer. */
const MAX_ISSUES = 10

/** The issues of answers to these questions. @param answers as they were written, by key */
export function findAnswerErrors(questions: readonly Question[], answers: JsonObject): ProblemError[] {
  return questions.flatMap(({ key, schema }) => {
    const written = Object.hasOwn(answers, key) ? answers[key] : undefined
    const { action, content, isExact = false } = toElicitAnswer(written) ?? {}
    if (action !== 'accept') return []
    const place = toPointer(key)
    if (schema === undefined) return isExact ? [toProblemError(place, ACTION)] : []
    const fields = isObject(written) && isElicitResult(written) ? `${place}/content` : place
    const issues = findFieldIssues(schema as JsonObject, content as JsonObject, { isExact: true, limit: MAX_ISSUES })
    return issues.map(({ pointer, expected }) => toProblemError(`${fields}${pointer}`, expected))
  })
}

function hasRequiredFields(schema: unknown): boolean {
  const { required } = Object(schema) as { required?: unknown }
  return Array.isArray(required) && required.length > 0
}

interface AskedCall {
  readonly questions: readonly Question[]
  readonly state: unknown
  readonly arguments: unknown
  /** The URL for the answers. */
  readonly url: string
  /** The earlier answers of the client, after the first round. */
  readonly written?: JsonObject | undefined
}

/**
 * The problem contains the body for `url`. The client only fills in `answers`: unchanged, they
 * agree to nothing.
 */
export function toQuestionProblem({ questions, state, arguments: args, url, written = {} }: AskedCall): Problem {
  const errors = findAnswerErrors(questions, written)
  const answers = Object.fromEntries(questions.map(({ key, schema }) => [key, hasRequiredFields(schema) ? {} : null]))
  const asked = { questions, answer: { method: 'POST', url, body: { state, arguments: args, answers } } }
  if (errors.length > 0) return toAnswersProblem(errors, asked)
  const detail = questions.map(({ message }) => message).join(' ')
  return { status: QUESTION_STATUS, name: 'question', title: 'The tool asks', detail, more: asked }
}
