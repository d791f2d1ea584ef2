// Questions to the user, and the types of their answers.
// Spec 2026-07-28: client/elicitation.
import type { Members, Static, TypedSchema } from './schema-types.ts'

/** A flat object: each property is a text, a number, a boolean, or a choice of texts. */
export interface FormSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, object>>
  readonly required?: readonly string[] | undefined
}

/** A question to the user by a form. */
export interface FormParams<S extends FormSchema = FormSchema> {
  mode?: 'form' | undefined
  message: string
  requestedSchema: S
}

/** A question to the user by a page that the client opens. */
export interface UrlParams {
  mode: 'url'
  message: string
  url: string
}

/** A question to the user: a form, or a page to open. */
export type ElicitParams = FormParams | UrlParams

/** The values that the user has filled in. */
export type FormContent<S extends FormSchema> = S extends TypedSchema
  ? Static<S>
  : string extends keyof S['properties']
    ? Record<string, unknown>
    : Members<
        { [Name in keyof S['properties']]: FieldContent<S['properties'][Name]> },
        S extends { readonly required: readonly (infer Name)[] } ? Name : never
      >

type FieldContent<Field> = Field extends { readonly type: 'array'; readonly items: infer Item }
  ? FieldContent<Item>[]
  : Field extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Field extends { readonly oneOf: readonly { readonly const: infer Value }[] }
      ? Value
      : Field extends { readonly anyOf: readonly { readonly const: infer Value }[] }
        ? Value
        : Field extends { readonly type: 'string' }
          ? string
          : Field extends { readonly type: 'number' | 'integer' }
            ? number
            : Field extends { readonly type: 'boolean' }
              ? boolean
              : unknown

/**
 * What the user has answered. A client may leave out the content of a form without required fields.
 * The answer to a URL has no content.
 */
export type ElicitAnswer<S extends FormSchema = FormSchema> =
  | { action: 'decline' | 'cancel'; content?: undefined }
  | ([S] extends [never]
      ? { action: 'accept'; content?: undefined }
      : Record<never, never> extends FormContent<S>
        ? { action: 'accept'; content?: FormContent<S> | undefined }
        : { action: 'accept'; content: FormContent<S> })
