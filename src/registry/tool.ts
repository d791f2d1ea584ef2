// A tool as the server stores it: checked, compiled once, frozen.
// Spec 2026-07-28: server/tools, "Tool".
import { Type } from '@sinclair/typebox'
import type { Validator } from '@toolrack/json-schema/validator'
import type { MirroredParam } from '../protocol/headers.ts'
import { isObject, type JsonObject } from '../protocol/messages.ts'
import { readDuration } from '../text/duration.ts'
import { createFillDefaults, type FillDefaults, withDefaults } from './defaults.ts'
import {
  assertFunctions,
  assertShape,
  createListing,
  ExplainableError,
  LISTED,
  RegistrationError,
  Requires,
  Scopes,
  VariableName,
} from './definition.ts'
import type { ToolContext } from './handler-context.ts'
import type { OnCall, ToolInfo, Visible } from './hooks.ts'
import { withKeyArgument } from './idempotency-key.ts'
import type { Isolate, IsolatedHandler, ToolModule } from './isolate.ts'
import { findMirroredParams } from './mirrored-params.ts'
import type { Entry } from './registry.ts'
import { findDeclared } from './root-schema.ts'
import { compileSchema, type ReadLibrarySchema, readSchema, type SchemaField, type ToolSchema } from './schemas.ts'
import type { Parse } from './standard-schema.ts'
import { ToolAnnotations } from './tool-annotations.ts'
import type { TaskSupport, ToolDefinition } from './tool-definition.ts'

export interface Tool extends Entry {
  readonly kind: 'tool'
  readonly name: string
  /** Checks arguments with their defaults. */
  readonly input: Validator
  /** Adds the defaults of TypeBox and JSON Schema; undefined if there are none. */
  readonly fillDefaults: FillDefaults | undefined
  readonly output: Validator | undefined
  /** The schema library's own check of the arguments, after `input`. */
  readonly parseInput: Parse | undefined
  /** The library's check of what the handler returns, before `output`. */
  readonly parseOutput: Parse | undefined
  /** Patterns of a schema library that may be slow. */
  readonly slowPatterns: readonly string[]
  readonly isIsolated: boolean
  /** Variables that the code of an isolated tool reads, but its process does not get. */
  readonly undeclared: readonly string[]
  /** The facts that hooks see. */
  readonly info: ToolInfo
  /** Its hooks, the outermost first. */
  readonly onCall: readonly OnCall[]
  readonly visible: Visible | undefined
  /** False without an input schema: what clients send is dropped. */
  readonly takesArguments: boolean
  /** The arguments that the input schema names. */
  readonly declared: ReadonlySet<string>
  readonly mirroredParams: readonly MirroredParam[]
  readonly scopes: readonly string[]
  readonly requires: Requires
  readonly settings: readonly string[]
  readonly rateLimit: { readonly max: number; readonly windowMs: number } | undefined
  readonly timeoutMs: number | undefined
  readonly concurrency: number | undefined
  readonly sanitizes: boolean
  /** The content stands alone, without the JSON of the structure. */
  readonly hasOwnText: boolean
  /** Results have content in addition to their structure. */
  readonly hasContent: boolean
  readonly task: TaskSupport
  readonly isReadOnly: boolean
  /** An interrupted run may be repeated. */
  readonly isIdempotent: boolean
  /** A call with an idempotency key acts once only. */
  readonly hasIdempotency: boolean
  /** Neither read-only nor idempotent: a client's answer may be used once only. */
  readonly isOneTime: boolean
  handler(args: unknown, ctx: ToolContext): unknown
}

/** Longest `timeout` of a definition, ms. */
export const MAX_TIMEOUT_MS = 600_000

const NO_ARGUMENTS_SCHEMA = Object.freeze({ type: 'object', additionalProperties: false })
const NO_ARGUMENTS: ToolSchema = Object.freeze({
  listed: NO_ARGUMENTS_SCHEMA,
  checked: NO_ARGUMENTS_SCHEMA,
  parse: undefined,
  slowPatterns: [],
})

const ToolShape = Type.Object(
  {
    ...LISTED,
    name: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,128}$' }),
    annotations: Type.Optional(ToolAnnotations),
    inputSchema: Type.Optional(Type.Object({ type: Type.Literal('object') })),
    outputSchema: Type.Optional(Type.Object({})),
    scopes: Scopes,
    requires: Requires,
    settings: Type.Optional(Type.Array(VariableName)),
    rateLimit: Type.Optional(
      Type.Object({
        max: Type.Integer({ minimum: 1 }),
        timeWindow: Type.Integer({ minimum: 1 }),
      }),
    ),
    timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TIMEOUT_MS })),
    concurrency: Type.Optional(Type.Integer({ minimum: 1 })),
    task: Type.Optional(Type.Union([Type.Literal('forbidden'), Type.Literal('optional'), Type.Literal('required')])),
    sanitize: Type.Optional(Type.Boolean()),
    text: Type.Optional(Type.Union([Type.Literal('structure'), Type.Literal('own'), Type.Literal('both')])),
    isolate: Type.Optional(Type.Union([Type.Boolean(), Type.String()])),
    idempotency: Type.Optional(Type.Boolean()),
    onCall: Type.Optional(Type.Unknown()),
    visible: Type.Optional(Type.Unknown()),
    handler: Type.Unknown(),
  },
  { additionalProperties: false },
)

export const TOOL_FIELDS: readonly string[] = Object.keys(ToolShape.properties)

/** Facts that the definition itself does not contain. */
export interface BuildContext {
  readonly module?: ToolModule | undefined
  readonly isolate?: Isolate | undefined
  readonly hasTaskFallback?: boolean | undefined
  readonly readLibrarySchema?: ReadLibrarySchema | undefined
}

/** @throws RegistrationError naming the tool, the field and the expected value */
export function buildTool(definition: ToolDefinition, context: BuildContext = {}): Tool {
  const input = findSchema(definition, 'inputSchema', context) ?? NO_ARGUMENTS
  const output = findSchema(definition, 'outputSchema', context)
  const [inputSchema, outputSchema] = [input.listed, output?.listed]
  const { timeout, rateLimit } = readTimes(definition)
  assertShape('tool', definition.name, ToolShape, { ...definition, timeout, rateLimit, inputSchema, outputSchema })
  assertFunctions('tool', definition, ['onCall', 'visible'])
  const { name, annotations, handler, task = 'forbidden' } = definition
  // The fallback returns a text, which would not fit an output schema.
  const hasFallback = task === 'required' && context.hasTaskFallback === true
  const isolated = isolate(definition, context)
  const fillDefaults = input.parse === undefined ? createFillDefaults(input.listed) : undefined
  const listed = createListing(
    {
      name,
      title: definition.title,
      description: definition.description,
      icons: definition.icons,
      inputSchema: definition.idempotency === true ? withKeyArgument(name, inputSchema) : inputSchema,
      outputSchema: hasFallback ? undefined : outputSchema,
      annotations,
      execution: task === 'forbidden' ? undefined : { taskSupport: hasFallback ? 'optional' : task },
      _meta: definition._meta,
    },
    { annotations: ToolAnnotations },
  )
  return Object.freeze({
    kind: 'tool',
    key: name,
    name,
    listed,
    json: JSON.stringify(listed),
    input: withDefaults(compileSchema(name, 'inputSchema', input), fillDefaults),
    fillDefaults,
    output: output && compileSchema(name, 'outputSchema', output),
    parseInput: input.parse,
    parseOutput: output?.parse,
    slowPatterns: Object.freeze([...input.slowPatterns, ...(output?.slowPatterns ?? [])]),
    isIsolated: isolated !== undefined,
    undeclared: isolated?.undeclared ?? [],
    info: createInfo(definition, listed),
    onCall: definition.onCall === undefined ? [] : [definition.onCall.bind(definition)],
    visible: definition.visible?.bind(definition),
    takesArguments: input !== NO_ARGUMENTS,
    declared: findDeclared(inputSchema),
    hasIdempotency: definition.idempotency === true,
    mirroredParams: findMirroredParams(name, inputSchema),
    scopes: Object.freeze([...(definition.scopes ?? [])]),
    requires: definition.requires ?? [],
    settings: definition.settings ?? [],
    rateLimit: rateLimit && { max: rateLimit.max, windowMs: rateLimit.timeWindow },
    timeoutMs: timeout,
    concurrency: definition.concurrency,
    sanitizes: definition.sanitize !== false,
    hasOwnText: definition.text === 'own',
    hasContent: definition.text === 'own' || definition.text === 'both',
    task,
    isReadOnly: annotations?.readOnlyHint === true,
    isIdempotent: annotations?.idempotentHint === true,
    isOneTime: annotations?.readOnlyHint !== true && annotations?.idempotentHint !== true,
    handler: isolated?.handler ?? handler.bind(definition),
  } satisfies Tool)
}

/** @returns undefined if the tool runs here @throws RegistrationError if no other process can run it */
function isolate(definition: ToolDefinition, context: BuildContext): IsolatedHandler | undefined {
  if (definition.isolate === undefined || definition.isolate === false) return undefined
  if (context.isolate === undefined)
    throw new RegistrationError('tool', definition.name, 'isolate: this server runs no workers')
  return context.isolate(definition, context.module)
}

/** @param listed a frozen copy of the definition's facts */
function createInfo({ name, scopes = [] }: ToolDefinition, listed: JsonObject): ToolInfo {
  const { title, description, annotations, _meta } = listed as Partial<ToolInfo>
  return Object.freeze({ name, title, description, annotations, scopes: Object.freeze([...scopes]), _meta })
}

function findSchema(
  definition: ToolDefinition,
  field: SchemaField,
  { readLibrarySchema }: BuildContext,
): ToolSchema | undefined {
  const { name, [field]: schema } = definition
  return schema === undefined ? undefined : readSchema(name, field, schema, readLibrarySchema)
}

interface Times {
  readonly timeout: number | undefined
  readonly rateLimit: { readonly max: number; readonly timeWindow: number } | undefined
}

/** Converts times that are texts to ms. Other values stay; the check of the shape judges them. */
function readTimes({ name, timeout, rateLimit }: ToolDefinition): Times {
  const read = (field: string, time: unknown) => {
    if (typeof time !== 'string') return time
    const ms = readDuration(time)
    if (ms === undefined)
      throw new ExplainableError('tool', name, `${field}: ${JSON.stringify(time)} is not a time`, { what: 'time' })
    return Math.round(ms)
  }
  const isWindow = isObject(rateLimit) && rateLimit.timeWindow !== undefined
  const window = isWindow && { ...rateLimit, timeWindow: read('rateLimit.timeWindow', rateLimit.timeWindow) }
  return { timeout: read('timeout', timeout), rateLimit: window || rateLimit } as Times
}
