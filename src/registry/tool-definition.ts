// A tool as its author writes it, typed from its schemas.
// Spec 2026-07-28: server/tools, "Tool".
import type { Static, TSchema } from '@sinclair/typebox'
import type { CallToolResult, Icon } from '../protocol/schemas/results.ts'
import type { Schema } from '../schema/validator.ts'
import type { Requires } from './definition.ts'
import { tagDefinition } from './definition.ts'
import type { ToolContext } from './handler-context.ts'

/** The static type of a TypeBox schema; of plain JSON Schema nothing is known. */
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
  /** Milliseconds, or words such as `1 minute`. */
  timeWindow: number | string
}

export type TaskSupport = 'forbidden' | 'optional' | 'required'

/** A definition's handler, bound and freed of its types. */
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
  /** What the handler returns is then the structured content. */
  outputSchema?: O
  /** All are needed to see the tool and to call it. */
  scopes?: string[]
  /**
   * Variables of the environment without which the tool is not served; of an array, one is enough.
   */
  requires?: Requires
  /**
   * Variables of the environment that it reads beside these; one that looks like a slip of theirs
   * stops the start.
   */
  settings?: string[]
  rateLimit?: RateLimit
  /** Milliseconds, 1–600,000. */
  timeout?: number
  /** Calls of this tool at once. */
  concurrency?: number
  /** Whether a call may, or must, run for longer than its request; default: `forbidden`. */
  task?: TaskSupport
  /** `false` lets text out as it is; default: control characters and the like are stripped. */
  sanitize?: boolean
  /**
   * Runs the handler in a process of its own, which is ended at the deadline. `true` in a file of
   * the tools folder; else the module that exports the tool: `import.meta.url`.
   */
  isolate?: boolean | string
  handler(args: Typed<I>, ctx: ToolContext): MaybePromise<ToolReturn<O>>
}

// biome-ignore lint/suspicious/noExplicitAny: the types of arguments and results differ from tool to tool
export type AnyToolDefinition = ToolDefinition<any, any>

/** Types a tool's arguments and result from its schemas. Nothing is checked before registration. */
export function defineTool<I extends TSchema | Schema = Schema, O extends TSchema | Schema = Schema>(
  definition: ToolDefinition<I, O>,
): ToolDefinition<I, O> {
  return tagDefinition('tool', definition)
}
