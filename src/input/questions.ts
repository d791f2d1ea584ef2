// What a handler asks its client in the course of one run: answered from what came with the request, else noted.
// Every question that is open when the handler ends is asked in one round; then the handler runs again from the top.
// Spec 2026-07-28: basic/patterns/mrtr.
import { isObject, type JsonObject } from '../protocol/messages.ts'
import type { ClientCapabilities } from '../protocol/schemas/common.ts'
import { pickKnown } from '../protocol/schemas/common.ts'
import { ElicitUrlParams } from '../protocol/schemas/questions.ts'
import { CreateMessageResult, ElicitResult, ListRootsResult } from '../protocol/schemas/results.ts'
import type { ElicitParams, InputContext, SampleParams } from '../registry/handler-context.ts'
import { copyJson, JsonCopier } from '../registry/json-copy.ts'
import { createIssueFinder } from '../schema/validator.ts'
import {
  createMissingCapabilityError,
  findMissingCapabilities,
  type InputRequest,
  mergeCapabilities,
  type RequiredCapabilities,
} from './capabilities.ts'
import { findFormIssue, getFormValidator, toKnownForm } from './form.ts'
import { findContentIssue, findSamplingIssue, toKnownSampling } from './sampling.ts'

// In place of an answer: the client's own error, such as that its user would not have its model asked.

/** Rejects the question of the handler, in this run and in every later one. */
export class Refused extends Error {
  override name = 'Refused'
}

/** Ends a run whose question has no answer yet; handlers need not know it, and lose nothing by catching it. */
class InputNeeded extends Error {
  override name = 'InputNeeded'
}

const MAX_QUESTIONS = 32
/** Of all questions of a round together. */
const MAX_QUESTION_BYTES = 4 * 1024 * 1024
const MAX_KEY_LENGTH = 128

type AnswerCheck = (answer: unknown) => boolean

export class Questions implements InputContext {
  /** The open questions, by key. */
  readonly open: Record<string, InputRequest> = Object.create(null)
  /** The answers that were used, by key. */
  readonly used: JsonObject = Object.create(null)
  /** What its user was not asked, since the client cannot. */
  readonly #unasked: string[] = []
  #missing: RequiredCapabilities | undefined
  readonly #capabilities: ClientCapabilities
  readonly #answers: JsonObject
  readonly #copier = new JsonCopier({ maxBytes: MAX_QUESTION_BYTES, tally: { stripped: 0 } })

  constructor(capabilities: ClientCapabilities, answers: JsonObject) {
    this.#capabilities = capabilities
    this.#answers = answers
  }

  /**
   * These, where one is open; a handler may have caught what its question threw.
   *
   * @throws McpError MISSING_CAPABILITY where the client cannot be asked: names what is missing for every question
   */
  getIfOpen(): this | undefined {
    if (this.#missing !== undefined) throw createMissingCapabilityError(this.#missing)
    for (const _key in this.open) return this
    return undefined
  }

  /** What the client would have to declare, and what its user would have been asked; undefined if it can be asked all. */
  get missingCapabilities(): { required: RequiredCapabilities; questions: readonly string[] } | undefined {
    return this.#missing && { required: this.#missing, questions: this.#unasked }
  }

  elicit(key: string, params: ElicitParams): Promise<ElicitResult> {
    return this.#ask(key, { method: 'elicitation/create', params: { mode: 'form', ...params } }, checkElicit(params))
  }

  sample(key: string, params: SampleParams): Promise<CreateMessageResult> {
    return this.#ask(key, { method: 'sampling/createMessage', params }, isSampleResult)
  }

  listRoots(key: string): Promise<ListRootsResult> {
    return this.#ask(key, { method: 'roots/list', params: {} }, isRootsResult)
  }

  #ask<T>(key: string, request: InputRequest, isAnswer: AnswerCheck): Promise<T> {
    const promise = this.#answer<T>(key, request, isAnswer)
    // A handler may end before it awaits its question; that is no unhandled rejection.
    promise.catch(() => {})
    return promise
  }

  // A page to open is for the user alone.
  #noteUnasked({ params }: InputRequest): void {
    const { mode, message } = params ?? {}
    if (mode === 'form' && typeof message === 'string' && this.#unasked.length < MAX_QUESTIONS)
      this.#unasked.push(message)
  }

  async #answer<T>(key: string, request: InputRequest, isAnswer: AnswerCheck): Promise<T> {
    if (typeof key !== 'string' || key === '' || key.length > MAX_KEY_LENGTH) {
      throw new TypeError(`the key of a question must be a string of 1 to ${MAX_KEY_LENGTH} characters`)
    }
    const missing = findMissingCapabilities(this.#capabilities, request)
    if (missing !== undefined) {
      this.#missing = mergeCapabilities(this.#missing, missing)
      this.#noteUnasked(request)
      throw createMissingCapabilityError(missing)
    }
    const answer = Object.hasOwn(this.#answers, key) ? this.#answers[key] : undefined
    if (answer instanceof Refused) {
      this.used[key] = answer
      throw answer
    }
    if (answer !== undefined && isAnswer(answer)) {
      this.used[key] = answer
      // What the handler does with it is not what the client answered.
      return copyJson(answer) as T
    }
    if (Object.keys(this.open).length >= MAX_QUESTIONS)
      throw new RangeError(`more than ${MAX_QUESTIONS} open questions`)
    // Copied, cleaned and checked here, where what is wrong with it is the handler's error.
    const question = this.#copier.copy(request) as unknown as InputRequest
    const fault = findQuestionIssue(question)
    if (fault !== undefined) throw new TypeError(`the question ${key} cannot be asked: ${fault}`)
    this.open[key] = toKnownRequest(question)
    throw new InputNeeded(`Waiting for the answer to ${key}`)
  }
}

const findElicitUrlIssue = createIssueFinder(ElicitUrlParams)
const findElicitResultIssue = createIssueFinder(ElicitResult)
const findSampleResultIssue = createIssueFinder(CreateMessageResult)
const findRootsIssue = createIssueFinder(ListRootsResult)

function findQuestionIssue({ method, params = {} }: InputRequest): string | undefined {
  switch (method) {
    case 'elicitation/create':
      return params['mode'] === 'url' ? findElicitUrlIssue(params, 'params') : findFormIssue(params)
    case 'sampling/createMessage':
      return findSamplingIssue(params)
    case 'roots/list':
      return undefined
  }
}

/** What a client is told of a question that may be asked. */
function toKnownRequest({ method, params = {} }: InputRequest): InputRequest {
  switch (method) {
    case 'elicitation/create':
      return { method, params: params['mode'] === 'url' ? pickKnown(ElicitUrlParams, params) : toKnownForm(params) }
    case 'sampling/createMessage':
      return { method, params: toKnownSampling(params) }
    case 'roots/list':
      return { method, params }
  }
}

// An answer that breaks its schema, or the one that it was asked with, is asked for again.
const isRootsResult: AnswerCheck = answer => findRootsIssue(answer, '') === undefined
const isSampleResult: AnswerCheck = answer =>
  findSampleResultIssue(answer, '') === undefined &&
  findContentIssue((answer as CreateMessageResult).content, '') === undefined

function checkElicit(params: ElicitParams): AnswerCheck {
  return answer => {
    if (findElicitResultIssue(answer, '') !== undefined) return false
    const { action, content } = answer as ElicitResult
    if (action !== 'accept' || params.mode === 'url') return true
    return isObject(content) && getFormValidator(params.requestedSchema).isValid(content)
  }
}
