// Notes that a call keeps between its rounds of questions, in addition to the answers.
import { isObject, type JsonObject } from '../protocol/messages.ts'

/** Maximum length of a question's key and of a kept value's name, characters. */
export const MAX_KEY_LENGTH = 128

/** The key of the notes among the answers. Keys of handlers are never empty. */
export const NOTES_KEY = ''

export interface Notes extends JsonObject {
  /** For a confirmation that is used up, but still counts for this call. */
  readonly consent?: JsonObject
  /** Hashes of refused answers, by the key of their question. */
  readonly refused?: Readonly<Record<string, string>>
  /** If several questions share a key: the hash of each question, by the key of its answer. */
  readonly shared?: Readonly<Record<string, string>>
  /** By the names of `ctx.keep`. */
  readonly kept?: JsonObject
  /** When the first value was kept. */
  readonly keptAtMs?: number
}

/** @param answers of earlier rounds. Clients cannot write notes: `collectAnswers` drops theirs */
export function readNotes(answers: JsonObject): Notes {
  const notes = Object.hasOwn(answers, NOTES_KEY) ? answers[NOTES_KEY] : undefined
  return isObject(notes) ? { ...notes } : {}
}

export function withoutNotes(answers: JsonObject): JsonObject {
  if (!Object.hasOwn(answers, NOTES_KEY)) return answers
  const { [NOTES_KEY]: _forged, ...others } = answers
  return others
}
