// A schema as a form reads it, and who judges values by it.
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

/** What an answer starts with: the schema's defaults, which the user reviews. */
export const createInitialData = (schema: unknown): JsonObject => createAnswer(schema, createModel(schema).document)

/** What arguments start with: what has to be, and nothing that nobody chose. */
export function createArguments(schema: unknown): JsonObject {
  try {
    return createUntouched(schema, createModel(schema).document)
  } catch {
    // A schema that cannot be read asks for nothing that is known.
    return {}
  }
}
