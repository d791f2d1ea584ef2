// The questions of tools, and the answers that a test has written down for them.
import { getFormValidator } from '../input/form.ts'
import { isObject, type JsonObject } from '../protocol/messages.ts'
import type { ClientRequest } from '../protocol/revisions/index.ts'
import type { CreateMessageResult, ElicitResult, ListRootsResult } from '../protocol/schemas/results.ts'

/** A question as the client gets it, with its params beside its key. */
export interface AskedQuestion {
  /** The handler's key. */
  readonly key: string
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  /** Of an elicitation. */
  readonly message?: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into params freely
  readonly [param: string]: any
}

/**
 * - of `ctx.confirm`: true or false
 * - of `ctx.elicit`: the content that the user accepts with, `'accept'`, `'decline'`, `'cancel'`, or
 *   an ElicitResult
 * - of `ctx.sample`: the text of the model, or a CreateMessageResult
 * - of `ctx.listRoots`: the roots, or their URIs, or a ListRootsResult
 */
export type ScriptedAnswer =
  | string
  | boolean
  | ElicitResult
  | CreateMessageResult
  | ListRootsResult
  | readonly (string | { readonly uri: string; readonly name?: string })[]
  | Readonly<Record<string, unknown>>

/** Decides on each question. `undefined` leaves it without an answer, which fails the call. */
export type AnswerQuestion = (
  question: AskedQuestion,
) => ScriptedAnswer | undefined | Promise<ScriptedAnswer | undefined>

/** Answers by the handler's key or by the message, or a function that answers every question. */
export type Answers = AnswerQuestion | Readonly<Record<string, ScriptedAnswer | AnswerQuestion>>

/** A tool has asked what the test does not answer, or not as the question demands. */
export class QuestionError extends Error {
  override name = 'QuestionError'
  readonly question: AskedQuestion

  constructor(message: string, question: AskedQuestion) {
    super(message)
    this.question = question
  }
}

export function toAskedQuestion(key: string, { method, params }: ClientRequest): AskedQuestion {
  return { ...params, key, method: method as AskedQuestion['method'] }
}

/** Answers the questions of one call. */
export class ScriptedUser {
  readonly #answers: Answers
  /** Fixed answers that were given, by key. */
  readonly #given = new Map<string, unknown>()

  constructor(answers: Answers) {
    this.#answers = answers
  }

  /** @throws QuestionError if there is no answer, or the server did not take it */
  async answer(question: AskedQuestion): Promise<unknown> {
    const { key } = question
    if (this.#given.has(key)) throw createRefusedAnswerError(question, this.#given.get(key))
    const scripted = this.#find(question)
    const answer = typeof scripted === 'function' ? await scripted(question) : scripted
    if (answer === undefined) throw createUnansweredError(question)
    const result = toResult(question, answer)
    // A function may answer otherwise when it is asked again.
    if (typeof scripted !== 'function') this.#given.set(key, result)
    return result
  }

  #find({ key, message }: AskedQuestion): ScriptedAnswer | AnswerQuestion | undefined {
    const answers = this.#answers
    if (typeof answers === 'function') return answers
    const name = [key, message].find(each => each !== undefined && Object.hasOwn(answers, each))
    return name === undefined ? undefined : answers[name]
  }
}

function toResult(question: AskedQuestion, answer: ScriptedAnswer): unknown {
  switch (question.method) {
    case 'elicitation/create':
      if (answer === true || answer === 'accept')
        return { action: 'accept', ...(hasFields(question) && { content: {} }) }
      return typeof answer === 'object' ? toElicitResult(answer) : { action: answer === false ? 'decline' : answer }
    case 'sampling/createMessage':
      if (typeof answer !== 'string') return answer
      return { role: 'assistant', content: { type: 'text', text: answer }, model: 'scripted', stopReason: 'endTurn' }
    case 'roots/list':
      if (!Array.isArray(answer)) return answer
      return { roots: answer.map(root => (typeof root === 'string' ? { uri: root } : root)) }
  }
}

// A form without fields has no content, and clients leave it out.
const hasFields = ({ requestedSchema }: AskedQuestion): boolean =>
  Object.keys(requestedSchema?.properties ?? {}).length > 0

const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel']

function toElicitResult(answer: object): unknown {
  const { action } = answer as JsonObject
  const isWhole = ACTIONS.includes(action) && Object.keys(answer).every(key => key === 'action' || key === 'content')
  return isWhole ? answer : { action: 'accept', content: answer }
}

function createUnansweredError(question: AskedQuestion): QuestionError {
  const { key, method, message } = question
  const asked = message === undefined ? '' : `: ${JSON.stringify(message)}`
  return new QuestionError(
    `The tool asks ${JSON.stringify(key)} (${method})${asked}. There is no answer to it; ` +
      `give one, such as answers: { ${createExample(question)} }`,
    question,
  )
}

/** An answer that fits the question, as a line of code. */
function createExample({ key, message, method, mode, requestedSchema }: AskedQuestion): string {
  const name = JSON.stringify(key)
  if (method === 'sampling/createMessage') return `${name}: 'a text of the model'`
  if (method === 'roots/list') return `${name}: ['file:///project']`
  if (mode === 'url') return `${name}: 'accept'`
  const { properties } = requestedSchema as { properties: Record<string, JsonObject> }
  const fields = Object.entries(properties).map(([field, schema]) => `${JSON.stringify(field)}: ${createField(schema)}`)
  // The key of `ctx.confirm` is made of its message.
  return fields.length === 0 ? `${JSON.stringify(message)}: true` : `${name}: { ${fields.join(', ')} }`
}

const EXAMPLES: Readonly<Record<string, unknown>> = { boolean: true, integer: 1, number: 1, array: [] }

function createField({ type, enum: values, default: fallback }: JsonObject): string {
  const [first] = Array.isArray(values) ? values : []
  return JSON.stringify(first ?? fallback ?? EXAMPLES[String(type)] ?? 'a text')
}

function createRefusedAnswerError(question: AskedQuestion, given: unknown): QuestionError {
  const reason = findIssue(question, given) ?? 'it is no answer of this kind'
  return new QuestionError(`The answer to ${JSON.stringify(question.key)} is not taken: ${reason}`, question)
}

function findIssue({ method, requestedSchema }: AskedQuestion, given: unknown): string | undefined {
  if (method !== 'elicitation/create' || !isObject(given)) return undefined
  const { action, content = {} } = given
  if (!ACTIONS.includes(action)) return `${JSON.stringify(action)} is none of ${ACTIONS.join(', ')}`
  if (!isObject(requestedSchema)) return undefined
  const issues = getFormValidator(requestedSchema).issues(content, 3)
  return issues.map(({ path, expected }) => `${path || 'the content'} ${expected}`).join('; ') || undefined
}
