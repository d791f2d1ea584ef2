// A tool definition, typed from its schemas. Spec 2026-07-28: server/tools, "Tool".

import type { Schema } from '@toolrack/json-schema/validator'
import type { ContentBlock } from '../protocol/blocks.ts'
import type { Icon } from '../protocol/schemas/contents.ts'
import type { Requires } from './definition.ts'
import { tagDefinition } from './definition.ts'
import type { FileContent } from './file-content.ts'
import type { ToolContext } from './handler-context.ts'
import type { OnCall, Visible } from './hooks.ts'
import type { AnySchema, Inferred, Static, TypedSchema } from './schema-types.ts'
import type { ToolAnnotations } from './tool-annotations.ts'

/** Members of every whole result: the tool's own content. */
export interface ToolContent {
  content: readonly (ContentBlock | FileContent)[]
  _meta?: Record<string, unknown> | undefined
}

/** A whole result. With an `outputSchema`, the structured content has to fit it. */
export interface ToolResult<Structure = unknown> extends ToolContent {
  structuredContent: Structure
  isError?: boolean | undefined
}

/** A whole result that reports an error. Structured content is optional. */
export type ToolErrorResult = ToolContent &
  ({ isError: boolean; structuredContent?: undefined } | { isError: true; structuredContent: unknown })

/** The return value of a handler. For a schema of a library, this is the input of its check. */
type Returned<O> = [O] extends [never] ? unknown : O extends TypedSchema ? Inferred<O, 'input'> : unknown

declare const NEVER: unique symbol

/**
 * Keeps the literal types of a definition. No value has this type. It is one of the types that a
 * handler may return, because the compiler infers a handler before it knows the schema: with it, the
 * compiler keeps `'kg'`, and does not widen it to `string`.
 */
export interface Literals<O> {
  readonly [key: string]: ([O] extends [never] ? string | number | boolean : never) | Literals<O>
  readonly [NEVER]: never
}

/** The return value of the handler: a whole result, or a value of the schema. */
export type ToolReturn<O> = ToolResult<Returned<O>> | ToolErrorResult | Returned<O> | Literals<O>

/** How often each client may call a tool. */
export interface RateLimit {
  /** Calls per client within `timeWindow`. */
  max: number
  /** Milliseconds, or a text such as `30 s` or `1 minute`. */
  timeWindow: number | string
}

/** Whether a call may, or must, become a task. */
export type TaskSupport = 'forbidden' | 'optional' | 'required'

/** The content beside a structure: its JSON, what the handler returned, or both. */
export type ToolText = 'structure' | 'own' | 'both'

export type ToolHandler = (args: unknown, ctx: ToolContext) => unknown

/** A tool as its author writes it, whatever its schemas are. Without type arguments, any tool. */
// biome-ignore lint/suspicious/noExplicitAny: the schemas of any tool
export interface ToolDefinition<I = any, O = any, Name extends string = string> {
  /** 1–128 of `A-Za-z0-9_.-`. */
  name: Name
  title?: string | undefined
  description?: string | undefined
  icons?: Icon[] | undefined
  annotations?: ToolAnnotations | undefined
  _meta?: Record<string, unknown> | undefined
  /** Zod, Valibot, ArkType, TypeBox or JSON Schema; default: no arguments. */
  inputSchema?: I | undefined
  /** If set, the handler returns the structured content. */
  outputSchema?: O | undefined
  /** A caller needs all of them to see and to call the tool. */
  scopes?: string[] | undefined
  /** Variables or conditions that the tool needs to be served; one of an inner array is enough. */
  requires?: Requires | undefined
  /** Other environment variables that the tool reads. A likely typo of one stops the start. */
  settings?: string[] | undefined
  rateLimit?: RateLimit | undefined
  /** Milliseconds, or a text such as `30 s`: from 1 ms to 10 minutes. */
  timeout?: number | string | undefined
  /** Concurrent calls of this tool. */
  concurrency?: number | undefined
  /** Whether a call may, or must, run as a task; default: `forbidden`. */
  task?: TaskSupport | undefined
  /** `false` returns text unchanged; by default control characters and the like are removed. */
  sanitize?: boolean | undefined
  /**
   * Content beside a structure. Default: `structure`, its JSON as text. `both`: the handler's own
   * content before that JSON; the OpenAPI document then describes it. `own`: the handler's content
   * alone.
   * Spec 2026-07-28: server/tools, "Structured Content".
   */
  text?: ToolText
  /**
   * Runs the handler in a process of its own, which is killed at the deadline. `true` in a tools
   * folder; else the URL of the module that exports the tool: `import.meta.url`.
   */
  isolate?: boolean | string | undefined
  /** A call with an `idempotencyKey` acts once: within a day, the same key gets the first result. */
  idempotency?: boolean | undefined
  /** Runs around each call, within the hooks of all tools. */
  onCall?: OnCall | undefined
  /** Whether a caller sees the tool and may call it, in addition to its scopes. */
  visible?: Visible | undefined
  handler(args: Static<I>, ctx: ToolContext): ToolReturn<NoInfer<O>> | Promise<ToolReturn<NoInfer<O>>>
}

/** What `defineTool` takes; its own `onCall` knows its arguments. */
export interface ToolOptions<I, O, Name extends string> extends ToolDefinition<I, O, Name> {
  /** Runs around each call, within the hooks of all tools. */
  onCall?: OnCall<Static<I>> | undefined
}

/**
 * Defines a tool.
 * Types the arguments and the result from the schemas. Registration checks the definition.
 */
export function defineTool<I extends AnySchema = Schema, O extends AnySchema = Schema, Name extends string = string>(
  definition: ToolOptions<I, O, Name>,
): ToolDefinition<I, O, Name> {
  return tagDefinition('tool', definition)
}
