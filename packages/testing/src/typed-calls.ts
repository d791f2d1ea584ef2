// The names, arguments and structured content of what a test serves, as the compiler knows them
// from the definitions.
import type { Inferred, PromptArgument, PromptArguments, Static, TypedSchema } from 'toolrack'
import type { CallOptions } from './options.ts'

/** What `tools.call` takes and returns for each tool among definitions, by its name. */
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

/** What `tools.getPrompt` takes for each prompt among definitions, by its name. */
export type PromptCalls<D> =
  string extends NameOf<PromptIn<D>>
    ? Record<string, TypedCall<Record<string, string>>>
    : { [P in PromptIn<D> as NameOf<P>]: TypedCall<SentTexts<SchemaOf<P, 'arguments'>>> }

/** Arguments and structured content of one tool. */
export interface TypedCall<Arguments, Structure = unknown> {
  /** Behind the name. Arguments may be left away if none is required. */
  readonly parameters: Record<never, never> extends Arguments
    ? [args?: Arguments, options?: CallOptions]
    : [args: Arguments, options?: CallOptions]
  readonly structure: Structure
}

export type ParametersOf<Call> = Call extends { readonly parameters: infer Rest extends readonly unknown[] }
  ? Rest
  : never

export type StructureOf<Call> = Call extends { readonly structure: infer Structure } ? Structure : never

/** What the server itself takes from the arguments of a call. */
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
