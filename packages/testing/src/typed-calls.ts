// The types of names, arguments and structured content of everything that a test serves, from its
// definitions.
import type { Inferred, PromptArgument, PromptArguments, Static, TypedSchema } from 'toolrack'
import type { CallOptions } from './options.ts'

/** The arguments and result of `tools.call` for each tool among the definitions, by name. */
export type ToolCalls<D> =
  string extends NameOf<ToolIn<D>>
    ? // biome-ignore lint/suspicious/noExplicitAny: tests look into results freely
      Record<string, TypedCall<object, any>>
    : {
        [T in ToolIn<D> as NameOf<T>]: TypedCall<
          SentArguments<SchemaOf<T, 'inputSchema'>>,
          Received<SchemaOf<T, 'outputSchema'>>
        >
      }

/** The arguments of `tools.getPrompt` for each prompt among the definitions, by name. */
export type PromptCalls<D> =
  string extends NameOf<PromptIn<D>>
    ? Record<string, TypedCall<Record<string, string>>>
    : { [P in PromptIn<D> as NameOf<P>]: TypedCall<SentTexts<SchemaOf<P, 'arguments'>>> }

/** Arguments and structured content of one tool. */
export interface TypedCall<Arguments, Structure = unknown> {
  /** The parameters after the name. If no argument is required, they may be left out. */
  readonly parameters: Record<never, never> extends Arguments
    ? [args?: Arguments, options?: CallOptions]
    : [args: Arguments, options?: CallOptions]
  readonly structure: Structure
}

export type ParametersOf<Call> = Call extends { readonly parameters: infer Rest extends readonly unknown[] }
  ? Rest
  : never

export type StructureOf<Call> = Call extends { readonly structure: infer Structure } ? Structure : never

/** Arguments of a call that are for the server itself. */
export interface ServerArguments {
  confirmation?: string
  idempotencyKey?: string
}

type ToolIn<D> = D extends unknown
  ? Extract<keyof D, 'arguments' | 'uri' | 'uriTemplate'> extends never
    ? D
    : never
  : never

type PromptIn<D> = D extends unknown ? ('arguments' extends keyof D ? D : never) : never

type NameOf<D> = D extends { readonly name: infer Name extends string } ? Name : never

type SchemaOf<T, Field extends string> = T extends { readonly [F in Field]?: infer S } ? NonNullable<S> : unknown

type SentArguments<S> = S extends TypedSchema ? Inferred<S, 'input'> & ServerArguments : object

// biome-ignore lint/suspicious/noExplicitAny: tests look into results freely
type Received<S> = S extends TypedSchema ? Static<S> : any

type SentTexts<A> = A extends readonly PromptArgument[] ? PromptArguments<A> : Record<string, string>
