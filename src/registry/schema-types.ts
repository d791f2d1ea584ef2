// Static types of the schemas of all libraries.
import type { Static as Static034, TSchema } from '@sinclair/typebox'
import type { Schema } from '@toolrack/json-schema/validator'
// biome-ignore lint/suspicious/noTsIgnore: an error only for users who have no TypeBox 1.x
/** @ts-ignore */
import type { Static as Static1 } from 'typebox'
import type { Direction, StandardJsonSchema } from './standard-schema.ts'

/** A schema of TypeBox 1.x. */
export interface TypeBoxSchema {
  readonly '~kind': string
}

/** A schema that has a static type. */
export type TypedSchema = StandardJsonSchema | TSchema | TypeBoxSchema

/** A schema that a tool can have: of Zod, Valibot, ArkType or TypeBox, or plain JSON Schema. */
export type AnySchema = TypedSchema | Schema

/**
 * The type of a value before the library's check (`input`) or after it (`output`).
 * Plain JSON Schema has no static type.
 */
export type Inferred<S, Side extends Direction> = S extends TSchema
  ? Static034<S>
  : S extends { readonly '~standard': { readonly types?: infer Types } }
    ? NonNullable<Types> extends { readonly [D in Side]: infer T }
      ? T
      : unknown
    : S extends TypeBoxSchema
      ? Static1<S>
      : Record<string, unknown>

/**
 * The type of a schema, of any library: what a handler gets as its arguments, and what a caller
 * gets as the structured content.
 */
export type Static<S> = Inferred<S, 'output'>

/** An object type. Members that are not in `Required` are optional. */
export type Members<T, Required> = Flat<
  { -readonly [Name in keyof T as Name extends Required ? Name : never]: T[Name] } & {
    -readonly [Name in keyof T as Name extends Required ? never : Name]?: T[Name]
  }
>

/** Merges an intersection into one object, which editors show better. */
type Flat<T> = { [Name in keyof T]: T[Name] }
