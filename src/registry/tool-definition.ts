// A tool definition, typed from its schemas. Spec 2026-07-28: server/tools, "Tool".
import type { Static as Static034, TSchema } from '@sinclair/typebox'
// biome-ignore lint/suspicious/noTsIgnore: an error only for users who have no TypeBox 1.x
/** @ts-ignore */
import type { Static as Static1 } from 'typebox'
import type { CallToolResult, ContentBlock, Icon } from '../protocol/schemas/results.ts'
import type { Schema } from '../schema/validator.ts'
import type { Requires } from './definition.ts'
import { tagDefinition } from './definition.ts'
import type { FileContent } from './file-content.ts'
import type { ToolContext } from './handler-context.ts'
import type { OnCall, Visible } from './hooks.ts'
import type { StandardSchema } from './standard-schema.ts'
import type { ToolAnnotations } from './tool-annotations.ts'

/** What a tool takes as a schema: TypeBox 0.34 or 1.x, JSON Schema, or a library's Standard Schema. */
export type AnySchema = TSchema | Schema | StandardSchema | { readonly '~kind': string }

/** The static type of a schema; plain JSON Schema is untyped. */
type Inferred<S, Direction extends 'input' | 'output'> = S extends TSchema
  ? Static034<S>
  : S extends { readonly '~standard': { readonly types?: infer Types } }
    ? Types extends { readonly [D in Direction]: infer T }
      ? T
      : unknown
    : S extends { readonly '~kind': string }
      ? Static1<S>
      : Record<string, unknown>

/**
 * The type of a schema, of any library: what a handler gets as its arguments, and what a caller
 * gets as the structured content.
 */
export type Static<S> = Inferred<S, 'output'>

type MaybePromise<T> = T | Promise<T>
type ResultReturn = Omit<CallToolResult, 'resultType' | 'content'> & { content: (ContentBlock | FileContent)[] }
/**
 * What the handler returns: of a library's schema, what its check takes. A whole result stands
 * outside the condition, so that the compiler knows its literals before it knows the schema.
 * While `O` is `never`, the compiler still looks for it.
 */
export type ToolReturn<O> =
  | ResultReturn
  | ([O] extends [never]
      ? unknown
      : O extends TSchema | StandardSchema | { readonly '~kind': string }
        ? Inferred<O, 'input'>
        : unknown)

export interface RateLimit {
  /** Calls per client within `timeWindow`. */
  max: number
  /** Milliseconds, or text such as `1 minute`. */
  timeWindow: number | string
}

export type TaskSupport = 'forbidden' | 'optional' | 'required'

export type ToolHandler = (args: unknown, ctx: ToolContext) => unknown

export interface ToolDefinition<I = Schema, O = Schema> {
  /** 1–128 of `A-Za-z0-9_.-`. */
  name: string
  title?: string
  description?: string
  icons?: Icon[]
  annotations?: ToolAnnotations
  _meta?: Record<string, unknown>
  /** Zod, Valibot, ArkType, TypeBox or JSON Schema; default: no arguments. */
  inputSchema?: I
  /** If set, the handler returns the structured content. */
  outputSchema?: O
  /** All are needed to see and to call the tool. */
  scopes?: string[]
  /** Variables or conditions without which the tool is not served; of an array, one is enough. */
  requires?: Requires
  /** Other environment variables that it reads. A likely typo of one stops the start. */
  settings?: string[]
  rateLimit?: RateLimit
  /** Milliseconds, 1–600,000. */
  timeout?: number
  /** Concurrent calls of this tool. */
  concurrency?: number
  /** Whether a call may, or must, run as a task; default: `forbidden`. */
  task?: TaskSupport
  /** `false` returns text unchanged; by default control characters and the like are removed. */
  sanitize?: boolean
  /**
   * Runs the handler in a process of its own, which is killed at the deadline. `true` in a tools
   * folder; else the URL of the module that exports the tool: `import.meta.url`.
   */
  isolate?: boolean | string
  /** A call with an `idempotencyKey` acts once: within a day, the same key gets the first result. */
  idempotency?: boolean
  /** Runs around each call, within the hooks of all tools. */
  onCall?: OnCall
  /** Whether a caller sees the tool and may call it, beside its scopes. */
  visible?: Visible
  handler(args: Static<I>, ctx: ToolContext): MaybePromise<ToolReturn<O>>
}

// biome-ignore lint/suspicious/noExplicitAny: argument and result types differ by tool
export type AnyToolDefinition = ToolDefinition<any, any>

/** Types the arguments and the result from the schemas. Registration checks the definition. */
export function defineTool<I extends AnySchema = Schema, O extends AnySchema = Schema>(
  definition: ToolDefinition<I, O>,
): ToolDefinition<I, O> {
  return tagDefinition('tool', definition)
}
