// A tool as its author writes it, and as the server keeps it: checked, compiled once, frozen.
// Spec 2026-07-28: server/tools, "Tool".
import { parse as parseTime } from '@lukeed/ms'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import type { MirroredParam } from '../protocol/headers.ts'
import type { CallToolResult, Icon } from '../protocol/schemas/results.ts'
import { compile, type Schema, type Validator } from '../validator.ts'
import type { ToolContext } from './context.ts'
import { assertShape, brand, LISTED, listedOf, RegistrationError, Scopes } from './definition.ts'
import { type Home, isolatedHandler } from './isolate.ts'
import { mirroredParams } from './mirrored-params.ts'
import type { Entry } from './registry.ts'

type JsonSchema = Schema
/** The static type of a TypeBox schema; of plain JSON Schema nothing is known. */
export type Typed<S> = S extends TSchema ? Static<S> : Record<string, unknown>

type Awaitable<T> = T | Promise<T>
type Whole = Omit<CallToolResult, 'resultType'>
export type ToolReturn<O> = O extends TSchema ? Static<O> | Whole : unknown

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

export interface ToolDefinition<I = JsonSchema, O = JsonSchema> {
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
  rateLimit?: RateLimit
  /** Milliseconds, 1–600,000. */
  timeout?: number
  /** Calls of this tool at once. */
  concurrency?: number
  task?: 'forbidden' | 'optional' | 'required'
  /** `false` lets text out as it is; default: control characters and the like are stripped. */
  sanitize?: boolean
  /**
   * Runs the handler in a worker thread, which is ended at the deadline. `true` in a file of the tools folder; else the
   * module that exports the tool: `import.meta.url`.
   */
  isolate?: boolean | string
  handler(args: Typed<I>, ctx: ToolContext): Awaitable<ToolReturn<O>>
}

// biome-ignore lint/suspicious/noExplicitAny: the types of arguments and results differ from tool to tool
export type AnyToolDefinition = ToolDefinition<any, any>

/** A tool as it is served. */
export interface Tool extends Entry {
  readonly kind: 'tool'
  readonly name: string
  readonly input: Validator
  readonly output: Validator | undefined
  readonly mirrored: readonly MirroredParam[]
  readonly scopes: readonly string[]
  readonly rateLimit: { readonly max: number; readonly windowMs: number } | undefined
  readonly timeoutMs: number | undefined
  readonly concurrency: number | undefined
  readonly sanitizes: boolean
  /** Neither read-only nor idempotent: an answer that was asked for counts once. */
  readonly isOneTime: boolean
  handler(args: unknown, ctx: ToolContext): unknown
}

/** Longest deadline that a tool may ask for. */
export const MAX_TIMEOUT_MS = 600_000

const NO_ARGUMENTS: Schema = Object.freeze({ type: 'object', additionalProperties: false })

const Shape = Type.Object(
  {
    ...LISTED,
    name: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,128}$' }),
    annotations: Type.Optional(
      Type.Object({
        title: Type.Optional(Type.String()),
        readOnlyHint: Type.Optional(Type.Boolean()),
        destructiveHint: Type.Optional(Type.Boolean()),
        idempotentHint: Type.Optional(Type.Boolean()),
        openWorldHint: Type.Optional(Type.Boolean()),
      }),
    ),
    inputSchema: Type.Optional(Type.Object({ type: Type.Literal('object') })),
    outputSchema: Type.Optional(Type.Object({})),
    scopes: Scopes,
    rateLimit: Type.Optional(
      Type.Object({
        max: Type.Integer({ minimum: 1 }),
        timeWindow: Type.Union([Type.Integer({ minimum: 1 }), Type.String()]),
      }),
    ),
    timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TIMEOUT_MS })),
    concurrency: Type.Optional(Type.Integer({ minimum: 1 })),
    task: Type.Optional(Type.Union([Type.Literal('forbidden'), Type.Literal('optional'), Type.Literal('required')])),
    sanitize: Type.Optional(Type.Boolean()),
    isolate: Type.Optional(Type.Union([Type.Boolean(), Type.String()])),
    handler: Type.Unknown(),
  },
  { additionalProperties: false },
)

/** Types a tool's arguments and result from its schemas. Nothing is checked before registration. */
export function defineTool<I extends TSchema | JsonSchema = JsonSchema, O extends TSchema | JsonSchema = JsonSchema>(
  definition: ToolDefinition<I, O>,
): ToolDefinition<I, O> {
  return brand('tool', definition)
}

/**
 * Checks and compiles a definition.
 *
 * @param home where it comes from, and how such as want it are isolated
 * @throws RegistrationError naming the tool, the field and what was expected
 */
export function buildTool(definition: AnyToolDefinition, home: Home = {}): Tool {
  assertShape('tool', definition.name, Shape, definition)
  const { name, annotations, rateLimit, handler } = definition
  const inputSchema = toJson(definition.inputSchema ?? NO_ARGUMENTS)
  const outputSchema = definition.outputSchema && toJson(definition.outputSchema)
  const listed = listedOf({
    name,
    title: definition.title,
    description: definition.description,
    icons: definition.icons,
    inputSchema,
    outputSchema,
    annotations,
    _meta: definition._meta,
  })
  return Object.freeze({
    kind: 'tool',
    key: name,
    name,
    listed,
    json: JSON.stringify(listed),
    input: compileField(name, 'inputSchema', inputSchema),
    output: outputSchema && compileField(name, 'outputSchema', outputSchema),
    mirrored: mirroredParams(name, inputSchema),
    scopes: Object.freeze([...(definition.scopes ?? [])]),
    rateLimit: rateLimit && { max: rateLimit.max, windowMs: windowOf(name, rateLimit.timeWindow) },
    timeoutMs: definition.timeout,
    concurrency: definition.concurrency,
    sanitizes: definition.sanitize !== false,
    isOneTime: annotations?.readOnlyHint !== true && annotations?.idempotentHint !== true,
    handler: isolatedHandler(definition, home) ?? handler.bind(definition),
  } satisfies Tool)
}

// A copy, so that a tool which changes its own schema changes nothing here; TypeBox's symbols fall away.
const toJson = (schema: object): Schema => JSON.parse(JSON.stringify(schema))

function compileField(name: string, field: string, schema: Schema): Validator {
  try {
    return compile(schema)
  } catch (cause) {
    throw new RegistrationError('tool', name, `${field}: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

function windowOf(name: string, window: number | string): number {
  const ms = typeof window === 'number' ? window : parseTime(window)
  if (ms !== undefined && ms >= 1) return ms
  throw new RegistrationError(
    'tool',
    name,
    `rateLimit.timeWindow: ${JSON.stringify(window)} is not a time, such as "1 minute"`,
  )
}
