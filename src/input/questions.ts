// The questions of a handler during one run: answered from the request, else collected. All open
// questions are asked in one round; then the handler runs again from the start.
// Spec 2026-07-28: basic/patterns/mrtr.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createIssueFinder } from '@toolrack/json-schema/validator'
import { hashJson } from '../protocol/json-hash.ts'
import type { JsonObject } from '../protocol/messages.ts'
import type { ClientCapabilities } from '../protocol/schemas/common.ts'
import { pickKnown } from '../protocol/schemas/common.ts'
import { ElicitUrlParams } from '../protocol/schemas/questions.ts'
import type { CreateMessageResult, ListRootsResult } from '../protocol/schemas/results.ts'
import { ToolError } from '../registry/content.ts'
import type { ElicitAnswer, FormParams, FormSchema, UrlParams } from '../registry/form-types.ts'
import type { InputContext, SampleParams } from '../registry/handler-context.ts'
import { copyJson, JsonCopier } from '../registry/json-copy.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import { assertAnswer, readAnswer } from './answers.ts'
import {
  createMissingCapabilityError,
  findMissingCapabilities,
  type InputRequest,
  mergeCapabilities,
  type RequiredCapabilities,
} from './capabilities.ts'
import { type ConfirmationSource, createConfirmKey } from './confirmation.ts'
import { findFormIssue, toKnownForm } from './form.ts'
import { addKept, Kept } from './kept.ts'
import { MAX_KEY_LENGTH, NOTES_KEY, type Notes, readNotes } from './notes.ts'
import { findSamplingIssue, toKnownSampling } from './sampling.ts'
import { type NotAwaited, type QuestionName, QuestionWatch } from './watch.ts'

/**
 * The client answered with an error, or with an unusable value. Rejects the question in this run and in
 * every later one. The text comes from the client, or describes what it sent.
 */
export class Refused extends ToolError {
  override name = 'Refused'
}

/** Ends a run whose question has no answer yet. A handler may catch it without harm. */
class InputNeeded extends Error {
  override name = 'InputNeeded'
}

type Caller = (...args: never[]) => unknown

const MAX_QUESTIONS = 32
/** Maximum number of questions of one run, answered or not. */
const MAX_ASKED = 1000
/** Maximum size of all questions in a round. */
const MAX_QUESTION_BYTES = 4 * 1024 * 1024

/** Ends a run that lacks the consent of a user whom the client cannot ask. */
class ConfirmationNeeded extends Error {
  override name = 'ConfirmationNeeded'
}

export class Questions implements InputContext {
  readonly open: Record<string, InputRequest> = Object.create(null)
  /** The answers that the handler has used, by key. */
  readonly used: JsonObject = Object.create(null)
  /**
   * The hash of each question, by the key under which it is asked. Of earlier runs only if a key was
   * shared.
   */
  readonly #hashes: Map<string, string>
  /** Messages that the user did not get, since the client lacks the capability. */
  readonly #unasked: string[] = []
  /** Whether an answer of this round did not fit its question, so that the question is asked again. */
  #hasUnfitAnswer = false
  /** Whether this round has computed a value that only its own state contains. */
  #hasComputed = false
  /** The id of this round's state if the next round keeps it. Of both states, only one can be used. */
  stateId: string | undefined
  #missing: RequiredCapabilities | undefined
  readonly #capabilities: ClientCapabilities
  readonly #answers: JsonObject
  readonly #notes: Notes
  readonly #source: ConfirmationSource | undefined
  #kept: Kept | undefined
  #asked = 0
  readonly #watch = new QuestionWatch()
  readonly #copier = new JsonCopier({ maxBytes: MAX_QUESTION_BYTES, tally: { stripped: 0 } })

  /** @param source of the confirmations of a tool's call */
  constructor(capabilities: ClientCapabilities, answers: JsonObject, source?: ConfirmationSource) {
    this.#capabilities = capabilities
    this.#answers = answers
    this.#notes = readNotes(answers)
    this.#hashes = new Map(Object.entries(this.#notes.shared ?? {}))
    if (Object.hasOwn(answers, NOTES_KEY)) this.used[NOTES_KEY] = this.#notes
    this.#source = source
  }

  /**
   * Returns this if a question is open, even if the handler caught the error.
   * @throws McpError MISSING_CAPABILITY with the missing capabilities of every question
   */
  getIfOpen(): this | undefined {
    if (this.#missing !== undefined) throw createMissingCapabilityError(this.#missing)
    for (const _key in this.open) return this
    return undefined
  }

  /** Undefined if the client has every capability that was needed. */
  get missingCapabilities(): { required: RequiredCapabilities; questions: readonly string[] } | undefined {
    return this.#missing && { required: this.#missing, questions: this.#unasked }
  }

  /** Whether somebody waits for one of the questions. */
  get isAwaited(): boolean {
    return this.#watch.isTaken
  }

  /** Checks a run that has returned. @returns the first question that nobody waits for */
  findForgotten(): MaybePromise<NotAwaited | undefined> {
    return this.#watch.findForgotten()
  }

  /** The run has ended, so nobody can ask any more. */
  close(): void {
    this.#watch.close()
  }

  /** Whether the round may run again with the same state, since it had no effect. */
  get isRepeatable(): boolean {
    return this.#hasUnfitAnswer && !this.#hasComputed
  }

  /** The values that the call has kept so far. */
  get kept(): JsonObject | undefined {
    return this.#notes.kept
  }

  keep<T>(name: string, compute: () => T | Promise<T>): Promise<T> {
    this.#kept ??= new Kept(this.kept, (ownName, value) => {
      const kept = addKept(this.kept, ownName, value)
      this.#hasComputed = true
      this.#note({ kept, keptAtMs: this.#notes.keptAtMs ?? Date.now() })
      return value
    })
    return this.#kept.keep(name, compute)
  }

  // Each passes itself on, so that the error can point to the line that called it.

  elicit<const S extends FormSchema = never>(
    key: string,
    params: FormParams<S> | UrlParams,
    caller: Caller = this.elicit,
  ): Promise<ElicitAnswer<S>> {
    const request = { method: 'elicitation/create' as const, params: { mode: 'form', ...params } }
    return this.#ask('elicit', caller, () => this.#answer(key, request))
  }

  confirm(message: string, caller: Caller = this.confirm): Promise<void> {
    return this.#ask('confirm', caller, () => this.#confirm(message))
  }

  sample(key: string, params: SampleParams, caller: Caller = this.sample): Promise<CreateMessageResult> {
    return this.#ask('sample', caller, () => this.#answer(key, { method: 'sampling/createMessage', params }))
  }

  listRoots(key: string, caller: Caller = this.listRoots): Promise<ListRootsResult> {
    return this.#ask('listRoots', caller, () => this.#answer(key, { method: 'roots/list', params: {} }))
  }

  #ask<T>(question: QuestionName, caller: Caller, answer: () => Promise<T>): Promise<T> {
    return ++this.#asked > MAX_ASKED ? this.#refuseAnother() : this.#watch.watch(question, caller, answer())
  }

  // Waits a turn: all others are answered at once, so a loop of questions would block every timer.
  async #refuseAnother(): Promise<never> {
    await nextTurn()
    // The deadline has passed, and nobody waits any more.
    if (this.#watch.isClosed) await new Promise(() => {})
    throw new RangeError(`asked more than ${MAX_ASKED} times in one run, in which no answer changes`)
  }

  async #confirm(message: string): Promise<void> {
    if (typeof message !== 'string' || message === '') throw new TypeError('confirm needs the question, as a text')
    // Checked for all clients, since otherwise only one that cannot ask would show the mistake.
    this.#source?.assertConfirmable()
    const key = createConfirmKey(message)
    const params = { mode: 'form', message, requestedSchema: { type: 'object' as const, properties: {} } }
    const form = { method: 'elicitation/create' as const, params }
    if (findMissingCapabilities(this.#capabilities, form) !== undefined) return this.#findConsent(message)
    const { action } = await this.#answer<ElicitAnswer>(key, form)
    if (action !== 'accept') throw new ToolError(`The user has not agreed: ${message}`)
  }

  async #findConsent(message: string): Promise<void> {
    const note = await this.#source?.confirmations.find(message, this.#notes.consent)
    if (note === undefined) throw new ConfirmationNeeded(`The user has not been asked: ${message}`)
    this.#note({ consent: note })
  }

  // Only forms: a model cannot open a page for the user.
  #noteUnasked({ params }: InputRequest): void {
    const { mode, message } = params ?? {}
    if (mode === 'form' && typeof message === 'string' && this.#unasked.length < MAX_QUESTIONS)
      this.#unasked.push(message)
  }

  async #answer<T>(key: string, request: InputRequest): Promise<T> {
    if (typeof key !== 'string' || key === '' || key.length > MAX_KEY_LENGTH) {
      throw new TypeError(`the key of a question must be a string of 1 to ${MAX_KEY_LENGTH} characters`)
    }
    const missing = findMissingCapabilities(this.#capabilities, request)
    if (missing !== undefined) {
      this.#missing = mergeCapabilities(this.#missing, missing)
      this.#noteUnasked(request)
      throw createMissingCapabilityError(missing)
    }
    const ownKey = this.#findOwnKey(key, request)
    const answer = Object.hasOwn(this.#answers, ownKey) ? this.#take(ownKey, request) : undefined
    // Copied, so that the handler cannot change the client's answer.
    if (answer !== undefined) return copyJson(answer) as T
    if (Object.keys(this.open).length >= MAX_QUESTIONS)
      throw new RangeError(`more than ${MAX_QUESTIONS} open questions`)
    // Copied and checked here, so that an invalid question is an error of the handler.
    const question = this.#copier.copy(request) as unknown as InputRequest
    const fault = findQuestionIssue(question)
    if (fault !== undefined) throw new TypeError(`the question ${key} cannot be asked: ${fault}`)
    this.open[ownKey] = toKnownRequest(question)
    throw new InputNeeded(`Waiting for the answer to ${ownKey}`)
  }

  /**
   * @returns undefined if the question is asked again
   * @throws Refused for an answer that another attempt cannot improve; McpError INVALID_PARAMS
   */
  #take(key: string, request: InputRequest): JsonObject | undefined {
    const answer = this.#answers[key]
    if (!(answer instanceof Refused)) assertAnswer(key, answer)
    const read = answer instanceof Refused ? answer : readAnswer(request, answer)
    const hash = 'fault' in read && read.mayImprove ? hashJson(answer) : undefined
    if (hash !== undefined && this.#notes.refused?.[key] !== hash) {
      this.#note({ refused: { ...this.#notes.refused, [key]: hash } })
      this.#hasUnfitAnswer = true
      return undefined
    }
    this.used[key] = answer
    if ('value' in read) return read.value
    throw read instanceof Refused
      ? read
      : new Refused(`The answer to ${JSON.stringify(key)} cannot be used: ${read.fault}`)
  }

  /** Keeps a note for the later rounds of the call. */
  #note(note: Partial<Notes>): void {
    this.used[NOTES_KEY] = Object.assign(this.#notes, note)
  }

  /**
   * A hook and a handler do not know each other's keys, so a second question with the same key gets
   * a key of its own. Across runs, only questions that share a key are compared, because their order
   * may change. Comparing a single question would never succeed if it contains a time or a random
   * id.
   */
  #findOwnKey(key: string, request: InputRequest): string {
    const hash = hashJson(request)
    let ownKey = key
    for (let ordinal = 2; (this.#hashes.get(ownKey) ?? hash) !== hash; ordinal++) ownKey = `${key}-${ordinal}`
    this.#hashes.set(ownKey, hash)
    if (ownKey !== key) this.#note({ shared: { ...this.#notes.shared, [key]: this.#hashes.get(key)!, [ownKey]: hash } })
    return ownKey
  }
}

const findElicitUrlIssue = createIssueFinder(ElicitUrlParams)

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

/** Keeps the members that the specification names. */
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
