// A tool as the server keeps it: its definition checked, compiled once, frozen.
// Spec 2026-07-28: server/tools, "Tool".
import { parse as parseTime } from '@lukeed/ms'
import { Type } from '@sinclair/typebox'
import type { MirroredParam } from '../protocol/headers.ts'
import { isObject } from '../protocol/messages.ts'
import { compile, type Schema, type Validator } from '../validator.ts'
import type { ToolContext } from './context.ts'
import { assertShape, LISTED, listedOf, RegistrationError, Scopes } from './definition.ts'
import { type Home, isolatedHandler } from './isolate.ts'
import { mirroredParams } from './mirrored-params.ts'
import type { Entry } from './registry.ts'
import { Requires, Variable } from './requirements.ts'
import type { AnyToolDefinition, TaskSupport } from './tool-definition.ts'
import { copySchema } from './tool-schema.ts'

/** A tool as it is served. */
export interface Tool extends Entry {
  readonly kind: 'tool'
  readonly name: string
  readonly input: Validator
  readonly output: Validator | undefined
  /** `_meta` is an argument of its own. */
  readonly declaresMeta: boolean
  readonly mirrored: readonly MirroredParam[]
  readonly scopes: readonly string[]
  readonly requires: Requires
  readonly settings: readonly string[]
  readonly rateLimit: { readonly max: number; readonly windowMs: number } | undefined
  readonly timeoutMs: number | undefined
  readonly concurrency: number | undefined
  readonly sanitizes: boolean
  readonly task: TaskSupport
  /** Its author says that it changes nothing. */
  readonly isReadOnly: boolean
  /** May be run again where a run was broken off. */
  readonly isIdempotent: boolean
  /** Neither read-only nor idempotent: an answer that was asked for counts once. */
  readonly isOneTime: boolean
  handler(args: unknown, ctx: ToolContext): unknown
}

/** Longest deadline that a tool may ask for. */
const MAX_TIMEOUT_MS = 600_000

const NO_ARGUMENTS: Schema = Object.freeze({ type: 'object', additionalProperties: false })

const Annotations = Type.Object({
  title: Type.Optional(Type.String()),
  readOnlyHint: Type.Optional(Type.Boolean()),
  destructiveHint: Type.Optional(Type.Boolean()),
  idempotentHint: Type.Optional(Type.Boolean()),
  openWorldHint: Type.Optional(Type.Boolean()),
})

const Shape = Type.Object(
  {
    ...LISTED,
    name: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,128}$' }),
    annotations: Type.Optional(Annotations),
    inputSchema: Type.Optional(Type.Object({ type: Type.Literal('object') })),
    outputSchema: Type.Optional(Type.Object({})),
    scopes: Scopes,
    requires: Requires,
    settings: Type.Optional(Type.Array(Variable)),
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

/**
 * Checks and compiles a definition.
 *
 * @param home where it comes from, and how such as want it are isolated
 * @throws RegistrationError naming the tool, the field and what was expected
 */
export function buildTool(definition: AnyToolDefinition, home: Home = {}): Tool {
  const inputSchema = findSchema(definition, 'inputSchema') ?? NO_ARGUMENTS
  const outputSchema = findSchema(definition, 'outputSchema')
  assertShape('tool', definition.name, Shape, { ...definition, inputSchema, outputSchema })
  const { name, annotations, rateLimit, handler, task = 'forbidden' } = definition
  // What it answers then is a sentence, which fits no schema.
  const mayBeTold = task === 'required' && home.tellsOfTasks === true
  const listed = listedOf(
    {
      name,
      title: definition.title,
      description: definition.description,
      icons: definition.icons,
      inputSchema,
      outputSchema: mayBeTold ? undefined : outputSchema,
      annotations,
      execution: task === 'forbidden' ? undefined : { taskSupport: mayBeTold ? 'optional' : task },
      _meta: definition._meta,
    },
    { annotations: Annotations },
  )
  return Object.freeze({
    kind: 'tool',
    key: name,
    name,
    listed,
    json: JSON.stringify(listed),
    input: compileField(name, 'inputSchema', inputSchema),
    output: outputSchema && compileField(name, 'outputSchema', outputSchema),
    declaresMeta: isObject(inputSchema['properties']) && Object.hasOwn(inputSchema['properties'], '_meta'),
    mirrored: mirroredParams(name, inputSchema),
    scopes: Object.freeze([...(definition.scopes ?? [])]),
    requires: definition.requires ?? [],
    settings: definition.settings ?? [],
    rateLimit: rateLimit && { max: rateLimit.max, windowMs: windowOf(name, rateLimit.timeWindow) },
    timeoutMs: definition.timeout,
    concurrency: definition.concurrency,
    sanitizes: definition.sanitize !== false,
    task,
    isReadOnly: annotations?.readOnlyHint === true,
    isIdempotent: annotations?.idempotentHint === true,
    isOneTime: annotations?.readOnlyHint !== true && annotations?.idempotentHint !== true,
    handler: isolatedHandler(definition, home) ?? handler.bind(definition),
  } satisfies Tool)
}

function findSchema(definition: AnyToolDefinition, field: 'inputSchema' | 'outputSchema'): Schema | undefined {
  return definition[field] === undefined ? undefined : copySchema(definition.name, field, definition[field])
}

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
