// Problem details of plain HTTP: the answers for each refusal and each failed call of a tool.
// RFC 9457.
import type { CallToolResult, JsonObject } from 'toolrack'
import { type Answer, McpError, type Served } from 'toolrack/door'
import { CATALOGUE, type ErrorName, isObject, type OutcomeFacts, type RequestOutcome } from 'toolrack/protocol'
import { findOwnMeta, toResultText } from './plain-result.ts'

export const PROBLEM_TYPE = 'application/problem+json'

export interface Problem {
  readonly status: number
  /** Its name in words, such as `unknown-tool`. The type of the problem ends with it. */
  readonly name: string
  readonly title: string
  readonly detail: string
  readonly retryAfterS?: number | undefined
  readonly challenge?: string | undefined
  /** Members of this kind of problem. */
  readonly more?: JsonObject | undefined
}

/** Errors that MCP answers with 200, or with a status that means something else here. */
const STATUS: { readonly [N in ErrorName]?: number } = {
  UNKNOWN_TOOL: 404,
  RESOURCE_NOT_FOUND: 404,
  TASK_NOT_FOUND: 404,
  TASK_ENDED: 409,
  INVALID_ARGUMENTS: 422,
  INVALID_CURSOR: 400,
  INVALID_STATE: 400,
  HANDLER_FAILED: 500,
  MISSING_CAPABILITY: 501,
}

/** @param error any error except an McpError is a bug, and gets a fixed text */
export function toProblem(error: unknown): Problem {
  if (error instanceof InvalidAnswers) return toAnswersProblem(error.errors)
  const known = error instanceof McpError ? error : new McpError('INTERNAL_ERROR')
  const { reason, detail, retryAfterS, challenge } = known
  const title = CATALOGUE[reason].text.split(': ', 1)[0]!
  return {
    status: STATUS[reason] ?? known.status,
    name: toProblemName(reason),
    title: title === '%s' ? 'Handler failed' : title,
    detail,
    retryAfterS,
    challenge,
    more: { ...(isObject(known.data) && known.data), ...(reason === 'MISSING_CAPABILITY' && { hint: MISSING_HINT }) },
  }
}

const MISSING_HINT =
  'The tool asks for what plain HTTP cannot give, such as a model or a list of roots. Use an MCP client.'

const toProblemName = (reason: string) => reason.toLowerCase().replaceAll('_', '-')

/** The status and title of a failed call. */
const FAILURES: { readonly [O in RequestOutcome]?: readonly [status: number, title: string] } = {
  tool_error: [422, 'Tool error'],
  invalid_arguments: [422, 'Invalid arguments'],
  denied: [403, 'Insufficient scope'],
  unconfirmed: [409, 'Not confirmed'],
  limited: [429, 'Too many calls'],
  busy: [503, 'Tool busy'],
  timed_out: [504, 'Timed out'],
  cancelled: [503, 'Cancelled'],
  invalid_output: [500, 'Invalid output'],
}

const isRetryStatus = (status: number) => status === 429 || status === 503

/** One issue of the body. */
export interface ProblemError {
  /** RFC 6901, as a fragment. */
  readonly pointer: string
  readonly detail: string
}

export const toProblemError = (pointer: string, detail: string): ProblemError => ({
  pointer: `#${encodeURI(pointer).replaceAll('#', '%23')}`,
  detail,
})

/** The answers to questions are invalid. */
export class InvalidAnswers extends McpError {
  readonly errors: readonly ProblemError[]

  constructor(errors: readonly ProblemError[]) {
    super('INVALID_ARGUMENTS', 'answers that no question takes')
    this.errors = errors
  }
}

/** @param more the questions and how to answer them, if the client needs them again */
export const toAnswersProblem = (errors: readonly ProblemError[], more?: JsonObject): Problem => ({
  status: 422,
  name: 'invalid-answers',
  title: 'Invalid answers',
  detail: errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; '),
  more: { errors, ...more },
})

/** The detail is the text of the result. Other parts of the result are separate members. */
export function toFailureProblem(outcome: RequestOutcome, result: CallToolResult, facts?: OutcomeFacts): Problem {
  const [status, title] = getFailure(outcome)
  const { issues, retryAfterS = isRetryStatus(status) ? 1 : undefined } = facts ?? {}
  const errors = issues?.map(({ pointer, expected }) => toProblemError(pointer, expected))
  const { structuredContent } = result
  const _meta = findOwnMeta(result)
  const blocks = result.content.filter(({ type }) => type !== 'text')
  const more = {
    ...(errors !== undefined && { errors }),
    ...(structuredContent !== undefined && { structuredContent }),
    ...(blocks.length > 0 && { content: blocks }),
    ...(_meta !== undefined && { _meta }),
  }
  return { status, name: toProblemName(outcome), title, detail: toResultText(result) ?? '', retryAfterS, more }
}

/** The status of an answer. */
export function toStatus(served: Served): number {
  if (served.kind === 'error') return toProblem(served.error).status
  if (served.kind === 'questions') return QUESTION_STATUS
  if (served.kind !== 'result') return 200
  const { outcome, result } = served
  if (result['isError'] === true) return getFailure(outcome)[0]
  return outcome === 'task' ? 202 : 200
}

/** The status for questions of a tool: a conflict with the request. */
export const QUESTION_STATUS = 409

const getFailure = (outcome: RequestOutcome) => FAILURES[outcome] ?? FAILURES.tool_error!

/** The members of RFC 9457, with those of this kind of problem. */
const toProblemBody = ({ status, name, title, detail, more }: Problem, requestId: string): JsonObject => ({
  type: `urn:toolrack:problem:${name}`,
  title,
  status,
  detail,
  instance: `urn:toolrack:request:${requestId}`,
  ...more,
})

export function createProblemAnswer(problem: Problem, requestId: string): Answer {
  const { status, retryAfterS, challenge } = problem
  const json = JSON.stringify(toProblemBody(problem, requestId))
  return { status, json, retryAfterS, challenge, mediaType: PROBLEM_TYPE }
}
