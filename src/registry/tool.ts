// A tool as the server stores it: checked, compiled once, frozen.
// Spec 2026-07-28: server/tools, "Tool".
import { parse as parseTime } from '@lukeed/ms'
import { Type } from '@sinclair/typebox'
import type { MirroredParam } from '../protocol/headers.ts'
import { isObject } from '../protocol/messages.ts'
import { compile, type Schema, type Validator } from '../schema/validator.ts'
import { assertShape, createListing, LISTED, RegistrationError, Requires, Scopes, VariableName } from './definition.ts'
import type { ToolContext } from './handler-context.ts'
import { type BuildContext, createIsolatedHandler } from './isolated-module.ts'
import { JsonCopier } from './json-copy.ts'
import { findMirroredParams } from './mirrored-params.ts'
import type { Entry } from './registry.ts'
import type { AnyToolDefinition, TaskSupport } from './tool-definition.ts'

// Schemas must be plain JSON, as TypeBox's are. Other libraries' schemas are rejected with advice:
// read as JSON Schema, they would accept everything.

const MAX_SCHEMA_BYTES = 1024 * 1024

/** How to convert to JSON Schema, by the `vendor` of Standard Schema. */
const CONVERSIONS: Readonly<Record<string, string>> = {
  zod: 'z.toJSONSchema(schema)',
  valibot: 'toJsonSchema(schema) of @valibot/to-json-schema',
  arktype: 'schema.toJsonSchema()',
}

/**
 * Copies a schema, so that a tool cannot change it later. Drops TypeBox's symbols.
 *
 * @throws RegistrationError if it is not plain JSON, such as a Zod schema
 */
export function copySchema(name: unknown, field: string, schema: unknown): Schema {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    const found =
      findSchemaVendor(schema) ?? (schema === null ? 'null' : Array.isArray(schema) ? 'an array' : typeof schema)
    throw createSchemaRefusal(name, field, `must be a schema as a JSON object, not ${found}`, schema)
  }
  try {
    return new JsonCopier({ maxBytes: MAX_SCHEMA_BYTES, tally: undefined }).copy(schema) as Schema
  } catch (cause) {
    const vendor = findSchemaVendor(schema)
    const text = vendor === undefined ? `is not plain JSON: ${(cause as Error).message}` : `is a schema of ${vendor}`
    throw createSchemaRefusal(name, field, text, schema, cause)
  }
}

function createSchemaRefusal(
  name: unknown,
  field: string,
  text: string,
  schema: unknown,
  cause?: unknown,
): RegistrationError {
  const conversion = CONVERSIONS[findSchemaVendor(schema) ?? findMemberVendor(schema) ?? '']
  const way = `give TypeBox, as Type.Object({ … }), or JSON Schema${conversion ? `, as ${conversion}` : ''}`
  return new RegistrationError('tool', name, `${field} ${text}; ${way}`, { cause })
}

/** https://standardschema.dev */
function findSchemaVendor(value: unknown): string | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined
  const standard = (value as { '~standard'?: { vendor?: unknown } })['~standard']
  return typeof standard?.vendor === 'string' ? standard.vendor : undefined
}

// The official SDK accepts an object whose members are Zod schemas.
function findMemberVendor(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined
  return Object.values(schema).map(findSchemaVendor).find(Boolean)
}

export interface Tool extends Entry {
  readonly kind: 'tool'
  readonly name: string
  readonly input: Validator
  readonly output: Validator | undefined
  /** The input schema declares an argument named `_meta`. */
  readonly declaresMeta: boolean
  readonly mirroredParams: readonly MirroredParam[]
  readonly scopes: readonly string[]
  readonly requires: Requires
  readonly settings: readonly string[]
  readonly rateLimit: { readonly max: number; readonly windowMs: number } | undefined
  readonly timeoutMs: number | undefined
  readonly concurrency: number | undefined
  readonly sanitizes: boolean
  readonly task: TaskSupport
  readonly isReadOnly: boolean
  /** An interrupted run may be repeated. */
  readonly isIdempotent: boolean
  /** Neither read-only nor idempotent: a client's answer may be used once only. */
  readonly isOneTime: boolean
  handler(args: unknown, ctx: ToolContext): unknown
}

/** Longest `timeout` of a definition, ms. */
const MAX_TIMEOUT_MS = 600_000

const NO_ARGUMENTS_SCHEMA: Schema = Object.freeze({ type: 'object', additionalProperties: false })

const AnnotationsShape = Type.Object({
  title: Type.Optional(Type.String()),
  readOnlyHint: Type.Optional(Type.Boolean()),
  destructiveHint: Type.Optional(Type.Boolean()),
  idempotentHint: Type.Optional(Type.Boolean()),
  openWorldHint: Type.Optional(Type.Boolean()),
})

const ToolShape = Type.Object(
  {
    ...LISTED,
    name: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,128}$' }),
    annotations: Type.Optional(AnnotationsShape),
    inputSchema: Type.Optional(Type.Object({ type: Type.Literal('object') })),
    outputSchema: Type.Optional(Type.Object({})),
    scopes: Scopes,
    requires: Requires,
    settings: Type.Optional(Type.Array(VariableName)),
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

/** @throws RegistrationError naming the tool, the field and the expected value */
export function buildTool(definition: AnyToolDefinition, context: BuildContext = {}): Tool {
  const inputSchema = findSchema(definition, 'inputSchema') ?? NO_ARGUMENTS_SCHEMA
  const outputSchema = findSchema(definition, 'outputSchema')
  assertShape('tool', definition.name, ToolShape, { ...definition, inputSchema, outputSchema })
  const { name, annotations, rateLimit, handler, task = 'forbidden' } = definition
  // Its fallback returns a text, which fits no output schema.
  const hasFallback = task === 'required' && context.hasTaskFallback === true
  const listed = createListing(
    {
      name,
      title: definition.title,
      description: definition.description,
      icons: definition.icons,
      inputSchema,
      outputSchema: hasFallback ? undefined : outputSchema,
      annotations,
      execution: task === 'forbidden' ? undefined : { taskSupport: hasFallback ? 'optional' : task },
      _meta: definition._meta,
    },
    { annotations: AnnotationsShape },
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
    mirroredParams: findMirroredParams(name, inputSchema),
    scopes: Object.freeze([...(definition.scopes ?? [])]),
    requires: definition.requires ?? [],
    settings: definition.settings ?? [],
    rateLimit: rateLimit && { max: rateLimit.max, windowMs: parseRateLimitWindow(name, rateLimit.timeWindow) },
    timeoutMs: definition.timeout,
    concurrency: definition.concurrency,
    sanitizes: definition.sanitize !== false,
    task,
    isReadOnly: annotations?.readOnlyHint === true,
    isIdempotent: annotations?.idempotentHint === true,
    isOneTime: annotations?.readOnlyHint !== true && annotations?.idempotentHint !== true,
    handler: createIsolatedHandler(definition, context) ?? handler.bind(definition),
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

function parseRateLimitWindow(name: string, window: number | string): number {
  const ms = typeof window === 'number' ? window : parseTime(window)
  if (ms !== undefined && ms >= 1) return ms
  throw new RegistrationError(
    'tool',
    name,
    `rateLimit.timeWindow: ${JSON.stringify(window)} is not a time, such as "1 minute"`,
  )
}
