// A schema in the form that a form needs, with the check of values.
import type { JsonObject } from '../client/json-rpc.ts'
import { Judge } from './judge.ts'
import type { Document } from './schema.ts'
import { createAnswer, createUntouched } from './untouched.ts'

export interface Model {
  readonly document: Document
  readonly judge: Judge
}

/** @param isAnswer of a question */
export function createModel(schema: unknown, isAnswer = false): Model {
  const judge = new Judge(schema)
  return { judge, document: { root: schema, fits: (part, value) => judge.fits(part, value), isAnswer } }
}

/** The initial value of an answer: the schema's defaults, which the user reviews. */
export const createInitialData = (schema: unknown): JsonObject => createAnswer(schema, createModel(schema).document)

/** The initial arguments: required constants, and nothing that nobody chose. */
export function createArguments(schema: unknown): JsonObject {
  try {
    return createUntouched(schema, createModel(schema).document)
  } catch {
    // For an unreadable schema, no required parts are known.
    return {}
  }
}
