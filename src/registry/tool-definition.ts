// A tool definition, typed from its schemas. Spec 2026-07-28: server/tools, "Tool".
import type { Static, TSchema } from '@sinclair/typebox'
import type { CallToolResult, Icon } from '../protocol/schemas/results.ts'
import type { Schema } from '../schema/validator.ts'
import type { Requires } from './definition.ts'
import { tagDefinition } from './definition.ts'
import type { ToolContext } from './handler-context.ts'

/** The static type of a TypeBox schema; plain JSON Schema is untyped. */
export type Typed<S> = S extends TSchema ? Static<S> : Record<string, unknown>

type MaybePromise<T> = T | Promise<T>
type ResultReturn = Omit<CallToolResult, 'resultType'>
export type ToolReturn<O> = O extends TSchema ? Static<O> | ResultReturn : unknown

export interface ToolAnnotations {
  title?: string
  readOnlyHint?: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
}

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
  /** TypeBox or JSON Schema; default: no arguments. */
  inputSchema?: I
  /** If set, the handler returns the structured content. */
  outputSchema?: O
  /** All are needed to see and to call the tool. */
  scopes?: string[]
  /** Environment variables without which the tool is not served; of an array, one is enough. */
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
  handler(args: Typed<I>, ctx: ToolContext): MaybePromise<ToolReturn<O>>
}

// biome-ignore lint/suspicious/noExplicitAny: argument and result types differ by tool
export type AnyToolDefinition = ToolDefinition<any, any>

/** Types the arguments and the result from the schemas. Registration checks the definition. */
export function defineTool<I extends TSchema | Schema = Schema, O extends TSchema | Schema = Schema>(
  definition: ToolDefinition<I, O>,
): ToolDefinition<I, O> {
  return tagDefinition('tool', definition)
}
