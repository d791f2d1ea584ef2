// Schemas of other libraries, such as Zod, Valibot and ArkType. Their JSON Schema is listed and
// checked; then the library's own check makes the handler's value. https://standardschema.dev

import type { Issue } from '@toolrack/json-schema/issues'
import type { MaybePromise } from '../request/maybe-promise.ts'

export type Direction = 'input' | 'output'

export interface JsonSchemaOptions {
  readonly target: 'draft-2020-12'
  readonly libraryOptions?: Record<string, unknown>
}

/** The converters of a schema: for input and for output. */
export type ToJsonSchema = Record<Direction, (options: JsonSchemaOptions) => Record<string, unknown>>

/** A schema of any library that follows Standard Schema; https://standardschema.dev/schema */
export interface StandardSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    // biome-ignore lint/suspicious/noExplicitAny: libraries differ in the types of their results
    readonly validate: (value: unknown, options?: any) => any
    readonly jsonSchema?: ToJsonSchema
    readonly types?: { readonly input: unknown; readonly output: unknown } | undefined
  }
}

/** A schema that can give its JSON Schema: https://standardschema.dev/json-schema */
export interface StandardJsonSchema extends StandardSchema {
  readonly '~standard': StandardSchema['~standard'] & { readonly jsonSchema: ToJsonSchema }
}

/** The value that the library makes, with defaults and transforms; or why it is invalid. */
export type Parsed =
  | { readonly value: unknown }
  | {
      readonly issues: readonly Issue[]
      /** The check took too long. */
      readonly isStopped?: true
    }
export type Parse = (value: unknown) => MaybePromise<Parsed>
