// The consent of a user whose client cannot ask: a sealed, single-use argument. The model gets it
// with the refusal, and calls again with it once the user has agreed.
import { createHash, randomUUID } from 'node:crypto'
import type { Seal } from '../auth/seal.ts'
import { hashJson } from '../protocol/json-hash.ts'
import { isObject, type JsonObject } from '../protocol/messages.ts'
import type { Exchange } from '../request/exchange.ts'
import type { UsedTokens } from '../state/used-tokens.ts'
import { cleanText } from '../text/clean.ts'
import { MAX_KEY_LENGTH } from './notes.ts'

export const CONFIRMATION_ARGUMENT = 'confirmation'
/** Distinguishes a confirmation from an invented argument of that name. */
const PREFIX = 'confirmation.'
const CONFIRMATION_TTL_MS = 10 * 60 * 1000
/** Longest quoted question, characters. */
const MAX_MESSAGE = 500
/** Questions of one refusal; the next refusal asks the rest. */
const MAX_MESSAGES = 32

interface ConfirmationPayload {
  readonly id: string
  readonly expiresAtMs: number
  readonly owner: string | undefined
  /** Hash of the tool and its arguments. */
  readonly call: string
  /** The keys of the questions to which the user agrees. */
  readonly keys: readonly string[]
}

export interface ConfirmableCall {
  readonly tool: string
  readonly exchange: Exchange
  /** The arguments without the confirmation. */
  readonly args: JsonObject
  readonly seal: Seal
  readonly usedTokens: UsedTokens
}

/** The key of a question for consent: the question, shortened if it is long. */
export function createConfirmKey(message: string): string {
  // Clients send the key back, and the server does not read JSON with half a character.
  if (message.length <= MAX_KEY_LENGTH) return message.toWellFormed()
  return `${message.slice(0, 80).toWellFormed()} ${createHash('sha256').update(message).digest('base64url').slice(0, 16)}`
}

/** The confirmation of a refusal, if the value is one. Models may add blanks around it. */
export function readConfirmation(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : ''
  return text.startsWith(PREFIX) ? text : undefined
}

/** Makes the confirmations of a call when its handler first needs them. */
export interface ConfirmationSource {
  readonly confirmations: Confirmations
  /** @throws TypeError if no call of the tool could carry a confirmation */
  assertConfirmable(): void
}

/** The content of a confirmation. */
interface Consent {
  readonly keys: ReadonlySet<string>
  /**
   * Lets later rounds of the call use the consent again, although it is used up; undefined without
   * one.
   */
  readonly note: JsonObject | undefined
}

const NO_CONSENT: Consent = { keys: new Set(), note: undefined }

/** The confirmations of one call. */
export class Confirmations {
  readonly #call: ConfirmableCall
  readonly #refused = new Set<string>()
  #taking: Promise<Consent> | undefined
  #consent = NO_CONSENT

  constructor(call: ConfirmableCall) {
    this.#call = call
  }

  /**
   * Finds out if the call carries the user's consent. The first question uses the confirmation up.
   *
   * @param earlier the note of an earlier round
   * @returns the note for later rounds; undefined without the consent
   */
  async find(message: string, earlier: unknown): Promise<JsonObject | undefined> {
    // Before the first wait, since the handler may not wait for the answer.
    this.#refused.add(message)
    this.#consent = await (this.#taking ??= this.#take(earlier))
    const { keys, note } = this.#consent
    if (!keys.has(createConfirmKey(message))) return undefined
    this.#refused.delete(message)
    return note
  }

  /** The text for the model if consent is missing: the questions, and how to give the answer. */
  explain(): string | undefined {
    if (this.#refused.size === 0) return undefined
    const { tool } = this.#call
    const messages = [...this.#refused].slice(0, MAX_MESSAGES)
    const questions = messages.map(message => JSON.stringify(cleanText(message.slice(0, MAX_MESSAGE))))
    const keys = [...this.#consent.keys, ...messages.map(createConfirmKey)]
    return (
      `${tool} needs the consent of the user, whom this client cannot ask. Ask the user: ${questions.join(' and ')} ` +
      `If they agree, call ${tool} again within 10 minutes with the same arguments and this argument, ` +
      `which counts once: ${JSON.stringify({ [CONFIRMATION_ARGUMENT]: this.#seal(keys) })}`
    )
  }

  #seal(keys: readonly string[]): string {
    const { seal, exchange } = this.#call
    const payload: ConfirmationPayload = {
      id: randomUUID(),
      expiresAtMs: Date.now() + CONFIRMATION_TTL_MS,
      owner: exchange.owner,
      call: this.#hashCall(),
      keys,
    }
    return PREFIX + seal.seal('confirmation', payload)
  }

  async #take(earlier: unknown): Promise<Consent> {
    const payload = this.#open()
    if (payload === undefined) return NO_CONSENT
    const { id, expiresAtMs, keys } = payload
    // The client cannot invent such a note, since the id is sealed.
    const isTaken = isObject(earlier) && earlier['id'] === id
    if (!isTaken && (await this.#call.usedTokens.consumeOnce(id, expiresAtMs)) !== true) return NO_CONSENT
    return { keys: new Set(keys), note: { id } }
  }

  /** The confirmation of this call by this caller; undefined if it has no valid one. */
  #open(): ConfirmationPayload | undefined {
    const { seal, exchange } = this.#call
    const given = readConfirmation((exchange.params['arguments'] as JsonObject | undefined)?.[CONFIRMATION_ARGUMENT])
    if (given === undefined) return undefined
    const payload = seal.open('confirmation', given.slice(PREFIX.length)) as ConfirmationPayload | undefined
    if (payload === undefined || payload.expiresAtMs <= Date.now()) return undefined
    const isOfThisCall = payload.owner === exchange.owner && payload.call === this.#hashCall()
    return isOfThisCall ? payload : undefined
  }

  #hashCall(): string {
    const { tool, args } = this.#call
    return hashJson([tool, args])
  }
}
