// What a handler asks its client in the course of one run: answered from what came with the request, else noted.
// Every question that is open when the handler ends is asked in one round; then the handler runs again from the top.
// Spec 2026-07-28: basic/patterns/mrtr.
import type { McpError } from '../protocol/errors.ts'
import { isObject, type JsonObject } from '../protocol/messages.ts'
import type { ClientCapabilities } from '../protocol/schemas/common.ts'
import { CreateMessageResult, ElicitResult, ListRootsResult } from '../protocol/schemas/results.ts'
import type { ElicitParams, InputContext, SampleParams } from '../registry/context.ts'
import { copyJson, JsonCopier } from '../registry/plain-json.ts'
import { compile, type Validator } from '../validator.ts'
import { assertCanAsk, type InputRequest } from './capabilities.ts'
import { Refused } from './refused.ts'

/** Ends a run whose question has no answer yet; handlers need not know it, and lose nothing by catching it. */
export class InputNeeded extends Error {
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
  /** Set where the client cannot be asked at all. */
  refusal: McpError | undefined
  readonly #capabilities: ClientCapabilities
  readonly #answers: JsonObject
  readonly #copier = new JsonCopier({ maxBytes: MAX_BYTES, tally: { stripped: 0 } })

  constructor(capabilities: ClientCapabilities, answers: JsonObject) {
    this.#capabilities = capabilities
    this.#answers = answers
  }

  get hasOpen(): boolean {
    for (const _key in this.open) return true
    return false
  }

  elicit(key: string, params: ElicitParams): Promise<ElicitResult> {
    return this.#ask(key, { method: 'elicitation/create', params: { mode: 'form', ...params } }, checkElicit(params))
  }

  sample(key: string, params: SampleParams): Promise<CreateMessageResult> {
    return this.#ask(key, { method: 'sampling/createMessage', params }, checks.sample())
  }

  listRoots(key: string): Promise<ListRootsResult> {
    return this.#ask(key, { method: 'roots/list', params: {} }, checks.roots())
  }

  #ask<T>(key: string, request: InputRequest, isAnswer: Check): Promise<T> {
    const promise = this.#answer<T>(key, request, isAnswer)
    // A handler may end before it awaits its question; that is no unhandled rejection.
    promise.catch(() => {})
    return promise
  }

  async #answer<T>(key: string, request: InputRequest, isAnswer: Check): Promise<T> {
    if (typeof key !== 'string' || key === '' || key.length > MAX_KEY_LENGTH) {
      throw new TypeError(`the key of a question must be a string of 1 to ${MAX_KEY_LENGTH} characters`)
    }
    try {
      assertCanAsk(this.#capabilities, request)
    } catch (error) {
      this.refusal = error as McpError
      throw error
    }
    const answer = Object.hasOwn(this.#answers, key) ? this.#answers[key] : undefined
    if (answer instanceof Refused) {
      this.used[key] = answer
      throw answer
    }
    if (isAnswer(answer)) {
      this.used[key] = answer
      // What the handler does with it is not what the client answered.
      return copyJson(answer) as T
    }
    if (Object.keys(this.open).length >= MAX_QUESTIONS)
      throw new RangeError(`more than ${MAX_QUESTIONS} open questions`)
    // Checked and cleaned here, where what is wrong with it is the handler's error.
    this.open[key] = this.#copier.copy(request) as unknown as InputRequest
    throw new InputNeeded(`Waiting for the answer to ${key}`)
  }
}

const checks = { elicit: lazily(ElicitResult), sample: lazily(CreateMessageResult), roots: lazily(ListRootsResult) }

function lazily(schema: Parameters<typeof compile>[0]): () => Check {
  let validator: Validator | undefined
  return () => (validator ??= compile(schema)).isValid
}

// An answer that breaks the schema it was asked with is asked for again.
function checkElicit(params: ElicitParams): Check {
  const isResult = checks.elicit()
  if (!('requestedSchema' in params)) return isResult
  return answer => {
    if (!isResult(answer)) return false
    const { action, content } = answer as ElicitResult
    return action !== 'accept' || (isObject(content) && compile({ ...params.requestedSchema }).isValid(content))
  }
}
