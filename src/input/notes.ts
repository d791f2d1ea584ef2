// What a call remembers between its rounds of questions, besides the answers.
import { isObject, type JsonObject } from '../protocol/messages.ts'

/** Longest key of a question, and name of a kept value, characters. */
export const MAX_KEY_LENGTH = 128

/** Where the notes stand among the answers. No key of a handler is empty. */
export const NOTES_KEY = ''

export interface Notes extends JsonObject {
  /** Of a confirmation that is used up, and still counts for this call. */
  readonly consent?: JsonObject
  /** Hashes of answers that were asked for again, by the key of their question. */
  readonly refused?: Readonly<Record<string, string>>
  /** Where several questions share a key: the hash of each, by the key of its answer. */
  readonly shared?: Readonly<Record<string, string>>
  /** By the names of `ctx.keep`. */
  readonly kept?: JsonObject
  /** When the first of them was kept. */
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
