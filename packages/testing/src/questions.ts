// The questions of tools, and the answers that a test gives to them.
import type { CreateMessageResult, JsonObject, ListRootsResult } from 'toolrack'
import { readAnswer, toElicitAnswer } from 'toolrack/execution'
import type { ClientRequest, ElicitResult } from 'toolrack/protocol'

/** A question as the client gets it: its params, and its key. */
export interface AskedQuestion {
  /** The handler's key. */
  readonly key: string
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  /** The message of an elicitation. */
  readonly message?: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into params freely
  readonly [param: string]: any
}

/**
 * An answer to a question of a tool.
 * - for `ctx.confirm`: true or false
 * - for `ctx.elicit`: the content with which the user accepts, `'accept'`, `'decline'`, `'cancel'`, or
 *   an ElicitResult
 * - for `ctx.sample`: the text of the model, or a CreateMessageResult
 * - for `ctx.listRoots`: the roots, or their URIs, or a ListRootsResult
 */
export type ScriptedAnswer =
  | string
  | boolean
  | ElicitResult
  | CreateMessageResult
  | ListRootsResult
  | readonly (string | { readonly uri: string; readonly name?: string })[]
  | Readonly<Record<string, unknown>>

/** Decides on each question. `undefined` leaves it without an answer, so the call fails. */
export type AnswerQuestion = (
  question: AskedQuestion,
) => ScriptedAnswer | undefined | Promise<ScriptedAnswer | undefined>

/** Answers by the handler's key or by the message; or a function that answers every question. */
export type Answers = AnswerQuestion | Readonly<Record<string, ScriptedAnswer | AnswerQuestion>>

/** The test has no answer to a question of a tool, or an answer that does not fit. */
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
  /** Answers of functions that were refused, as JSON, by key. */
  readonly #refused = new Map<string, string>()

  constructor(answers: Answers) {
    this.#answers = answers
  }

  /** @throws QuestionError if the answer is missing or does not fit */
  async answer(question: AskedQuestion): Promise<unknown> {
    const scripted = this.#find(question)
    const answer = typeof scripted === 'function' ? await scripted(question) : scripted
    if (answer === undefined) throw createUnansweredError(question)
    const result = toResult(question, answer)
    const read = readAnswer({ method: question.method, params: question }, result)
    if ('value' in read) return result
    const { key } = question
    const json = JSON.stringify(result)
    // A function may give another answer when it is asked again.
    if (!read.mayImprove || typeof scripted !== 'function' || this.#refused.get(key) === json)
      throw new QuestionError(`The answer to ${JSON.stringify(key)} is not taken: ${read.fault}`, question)
    this.#refused.set(key, json)
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
      if ((answer === true || answer === 'accept') && hasFields(question)) return { action: 'accept', content: {} }
      return toElicitAnswer(answer) ?? { action: answer }
    case 'sampling/createMessage':
      if (typeof answer !== 'string') return answer
      return { role: 'assistant', content: { type: 'text', text: answer }, model: 'scripted', stopReason: 'endTurn' }
    case 'roots/list':
      if (!Array.isArray(answer)) return answer
      return { roots: answer.map(root => (typeof root === 'string' ? { uri: root } : root)) }
  }
}

// For a form without fields, clients leave out the content.
const hasFields = ({ requestedSchema }: AskedQuestion): boolean =>
  Object.keys(requestedSchema?.properties ?? {}).length > 0

function createUnansweredError(question: AskedQuestion): QuestionError {
  const { key, method, message } = question
  const asked = message === undefined ? '' : `: ${JSON.stringify(message)}`
  return new QuestionError(
    `The tool asks ${JSON.stringify(key)} (${method})${asked}. There is no answer to it; ` +
      `give one, such as answers: { ${createExample(question)} }`,
    question,
  )
}

/** An answer that would fit the question, as a line of code. */
function createExample({ key, message, method, mode, requestedSchema }: AskedQuestion): string {
  const name = JSON.stringify(key)
  if (method === 'sampling/createMessage') return `${name}: 'a text of the model'`
  if (method === 'roots/list') return `${name}: ['file:///project']`
  if (mode === 'url') return `${name}: 'accept'`
  const { properties } = requestedSchema as { properties: Record<string, JsonObject> }
  const fields = Object.entries(properties).map(([field, schema]) => `${JSON.stringify(field)}: ${createField(schema)}`)
  // The key of `ctx.confirm` comes from its message.
  return fields.length === 0 ? `${JSON.stringify(message)}: true` : `${name}: { ${fields.join(', ')} }`
}

const EXAMPLES: Readonly<Record<string, unknown>> = { boolean: true, integer: 1, number: 1, array: [] }

function createField({ type, enum: values, default: fallback }: JsonObject): string {
  const [first] = Array.isArray(values) ? values : []
  return JSON.stringify(first ?? fallback ?? EXAMPLES[String(type)] ?? 'a text')
}
