// What a handler asks its client in the course of one run: answered from what came with the request, else noted.
// Every question that is open when the handler ends is asked in one round; then the handler runs again from the top.
// Spec 2026-07-28: basic/patterns/mrtr.
import { isObject, type JsonObject } from '../protocol/messages.ts'
import type { ClientCapabilities } from '../protocol/schemas/common.ts'
import { onlyKnown } from '../protocol/schemas/known.ts'
import { ElicitUrlParams } from '../protocol/schemas/questions.ts'
import { CreateMessageResult, ElicitResult, ListRootsResult } from '../protocol/schemas/results.ts'
import type { ElicitParams, InputContext, SampleParams } from '../registry/context.ts'
import { copyJson, JsonCopier } from '../registry/plain-json.ts'
import {
  alsoMissing,
  type InputRequest,
  missingCapability,
  missingFor,
  type RequiredCapabilities,
} from './capabilities.ts'
import { faultOfForm, knownForm, validatorOfForm } from './form.ts'
import { Refused } from './refused.ts'
import { faultOfContent, faultOfSampling, knownSampling } from './sampling.ts'
import { shape } from './shape.ts'

/** Ends a run whose question has no answer yet; handlers need not know it, and lose nothing by catching it. */
class InputNeeded extends Error {
  override name = 'InputNeeded'
}

const MAX_QUESTIONS = 32
/** Of all questions of a round together. */
const MAX_BYTES = 4 * 1024 * 1024
const MAX_KEY_LENGTH = 128

type Check = (answer: unknown) => boolean

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
  readonly #copier = new JsonCopier({ maxBytes: MAX_BYTES, tally: { stripped: 0 } })

  constructor(capabilities: ClientCapabilities, answers: JsonObject) {
    this.#capabilities = capabilities
    this.#answers = answers
  }

  /**
   * These, where one is open; a handler may have caught what its question threw.
   *
   * @throws McpError MISSING_CAPABILITY where the client cannot be asked: names what is missing for every question
   */
  whenOpen(): this | undefined {
    if (this.#missing !== undefined) throw missingCapability(this.#missing)
    for (const _key in this.open) return this
    return undefined
  }

  /** What the client would have to declare, and what its user would have been asked; undefined if it can be asked all. */
  get unaskable(): { required: RequiredCapabilities; questions: readonly string[] } | undefined {
    return this.#missing && { required: this.#missing, questions: this.#unasked }
  }

  elicit(key: string, params: ElicitParams): Promise<ElicitResult> {
    return this.#ask(key, { method: 'elicitation/create', params: { mode: 'form', ...params } }, checkElicit(params))
  }

  sample(key: string, params: SampleParams): Promise<CreateMessageResult> {
    return this.#ask(key, { method: 'sampling/createMessage', params }, isSampled)
  }

  listRoots(key: string): Promise<ListRootsResult> {
    return this.#ask(key, { method: 'roots/list', params: {} }, areRoots)
  }

  #ask<T>(key: string, request: InputRequest, isAnswer: Check): Promise<T> {
    const promise = this.#answer<T>(key, request, isAnswer)
    // A handler may end before it awaits its question; that is no unhandled rejection.
    promise.catch(() => {})
    return promise
  }

  // A page to open is for the user alone.
  #note({ params }: InputRequest): void {
    const { mode, message } = params ?? {}
    if (mode === 'form' && typeof message === 'string' && this.#unasked.length < MAX_QUESTIONS)
      this.#unasked.push(message)
  }

  async #answer<T>(key: string, request: InputRequest, isAnswer: Check): Promise<T> {
    if (typeof key !== 'string' || key === '' || key.length > MAX_KEY_LENGTH) {
      throw new TypeError(`the key of a question must be a string of 1 to ${MAX_KEY_LENGTH} characters`)
    }
    const missing = missingFor(this.#capabilities, request)
    if (missing !== undefined) {
      this.#missing = alsoMissing(this.#missing, missing)
      this.#note(request)
      throw missingCapability(missing)
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
    const fault = faultOf(question)
    if (fault !== undefined) throw new TypeError(`the question ${key} cannot be asked: ${fault}`)
    this.open[key] = known(question)
    throw new InputNeeded(`Waiting for the answer to ${key}`)
  }
}

const elicitUrl = shape(ElicitUrlParams)
const elicited = shape(ElicitResult)
const sampled = shape(CreateMessageResult)
const roots = shape(ListRootsResult)

function faultOf({ method, params = {} }: InputRequest): string | undefined {
  switch (method) {
    case 'elicitation/create':
      return params['mode'] === 'url' ? elicitUrl(params, 'params') : faultOfForm(params)
    case 'sampling/createMessage':
      return faultOfSampling(params)
    case 'roots/list':
      return undefined
  }
}

/** What a client is told of a question that may be asked. */
function known({ method, params = {} }: InputRequest): InputRequest {
  switch (method) {
    case 'elicitation/create':
      return { method, params: params['mode'] === 'url' ? onlyKnown(ElicitUrlParams, params) : knownForm(params) }
    case 'sampling/createMessage':
      return { method, params: knownSampling(params) }
    case 'roots/list':
      return { method, params }
  }
}

// An answer that breaks its schema, or the one that it was asked with, is asked for again.
const areRoots: Check = answer => roots(answer, '') === undefined
const isSampled: Check = answer =>
  sampled(answer, '') === undefined && faultOfContent((answer as CreateMessageResult).content, '') === undefined

function checkElicit(params: ElicitParams): Check {
  return answer => {
    if (elicited(answer, '') !== undefined) return false
    const { action, content } = answer as ElicitResult
    if (action !== 'accept' || params.mode === 'url') return true
    return isObject(content) && validatorOfForm(params.requestedSchema).isValid(content)
  }
}
