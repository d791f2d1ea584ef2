// A prompt, as defined and as served. Spec 2026-07-28: server/prompts.
import { Type } from '@sinclair/typebox'
import type { JsonObject } from '../protocol/messages.ts'
import type { Icon } from '../protocol/schemas/contents.ts'
import type { GetPromptResult } from '../protocol/schemas/results.ts'
import type { Caller } from '../request/exchange.ts'
import { describeValue } from '../text/describe-value.ts'
import {
  assertFunctions,
  assertShape,
  createListing,
  type DefinitionKind,
  ExplainableError,
  LISTED,
  RegistrationError,
  Requires,
  Scopes,
  tagDefinition,
} from './definition.ts'
import type { InputContext, ToolCaller, ToolClient, ToolContext } from './handler-context.ts'
import type { Entry } from './registry.ts'
import type { Members } from './schema-types.ts'

/** The context of prompt and resource handlers. */
export type HandlerContext = InputContext &
  Pick<ToolContext, 'signal' | 'caller' | 'state' | 'capabilities' | 'log' | 'requestId' | 'revision' | 'meta'>

/** Returns suggestions that start with `value`, best first; the server keeps at most 100. */
export type Complete = (value: string, context: Record<string, string>) => string[] | Promise<string[]>

/** An argument of a prompt, which is a text. */
export interface PromptArgument {
  name: string
  title?: string | undefined
  description?: string | undefined
  required?: boolean | undefined
  complete?: Complete | undefined
}

/** The arguments of the handler. An argument that is not required may be missing. */
export type PromptArguments<A extends readonly PromptArgument[]> = string extends A[number]['name']
  ? Record<string, string>
  : Members<{ [Each in A[number] as Each['name']]: string }, Extract<A[number], { required: true }>['name']>

/** A user text, messages, or the whole result. */
export type PromptReturn = string | GetPromptResult['messages'] | GetPromptResult

/** The facts on a prompt, for rules. */
export interface PromptInfo {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly arguments: readonly Readonly<Omit<PromptArgument, 'complete'>>[]
  readonly scopes: readonly string[]
  readonly _meta?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Whether a caller sees a prompt and may get it. Must answer at once, since lists do not wait for
 * it.
 */
export type VisiblePrompt = (prompt: PromptInfo, caller: Caller | undefined, client: ToolClient) => boolean

/** A request, as `onGetPrompt` gets it. */
export interface PromptRequest {
  readonly prompt: PromptInfo
  readonly arguments: Readonly<Record<string, string>>
  /** Undefined without access control. */
  readonly caller: ToolCaller | undefined
  readonly ctx: HandlerContext
}

/**
 * Runs around the handler of a prompt. Returns the result: usually that of `next`.
 *
 * @param next calls the next hook, and the handler after the last one; `args` replace the arguments
 */
export type OnGetPrompt = (request: PromptRequest, next: (args?: Record<string, string>) => Promise<unknown>) => unknown

/** A prompt as its author writes it. Without type arguments, any prompt. */
// biome-ignore lint/suspicious/noExplicitAny: the arguments of any prompt
export interface PromptDefinition<A extends readonly PromptArgument[] = any, Name extends string = string> {
  name: Name
  title?: string | undefined
  description?: string | undefined
  icons?: Icon[] | undefined
  _meta?: Record<string, unknown> | undefined
  arguments?: A | undefined
  scopes?: string[] | undefined
  /** Environment variables that it needs to be served; one of an inner array is enough. */
  requires?: Requires | undefined
  /** Who sees it and may get it, in addition to scopes. */
  visible?: VisiblePrompt | undefined
  handler(args: PromptArguments<A>, ctx: HandlerContext): PromptReturn | Promise<PromptReturn>
}

export interface Prompt extends Entry {
  readonly kind: 'prompt'
  readonly description: string | undefined
  readonly arguments: readonly PromptArgument[]
  readonly scopes: readonly string[]
  readonly requires: Requires
  /** The facts that rules see. */
  readonly info: PromptInfo
  /** The hooks of its file, the outermost first. */
  readonly onGetPrompt: readonly OnGetPrompt[]
  readonly visible: VisiblePrompt | undefined
  handler: PromptDefinition['handler']
}

const Text = Type.Optional(Type.String())

const ARGUMENT = {
  name: Type.String({ minLength: 1 }),
  title: Text,
  description: Text,
  required: Type.Optional(Type.Boolean()),
}
const ListedArguments = Type.Array(Type.Object(ARGUMENT))

const Arguments = Type.Array(
  Type.Object({ ...ARGUMENT, complete: Type.Optional(Type.Unknown()) }, { additionalProperties: false }),
)

const PromptShape = Type.Object(
  {
    ...LISTED,
    name: Type.String({ minLength: 1, maxLength: 128 }),
    arguments: Type.Optional(Arguments),
    scopes: Scopes,
    requires: Requires,
    visible: Type.Optional(Type.Unknown()),
    handler: Type.Unknown(),
  },
  { additionalProperties: false },
)

/**
 * Defines a prompt.
 * Types the arguments of the handler from the list of them. Registration checks the definition.
 */
export function definePrompt<const A extends readonly PromptArgument[], Name extends string = string>(
  definition: PromptDefinition<A, Name>,
): PromptDefinition<A, Name> {
  return tagDefinition('prompt', definition)
}

/** @throws RegistrationError naming the prompt, the field and the expected value */
export function buildPrompt(definition: PromptDefinition): Prompt {
  assertShape('prompt', definition.name, PromptShape, definition)
  assertFunctions('prompt', definition, ['visible'])
  const { name, title, description, icons, _meta, scopes, requires = [], handler } = definition
  const args: readonly PromptArgument[] = definition.arguments ?? []
  assertArguments(name, args)
  const listed = createListing(
    { name, title, description, icons, arguments: args.map(({ complete: _, ...argument }) => argument), _meta },
    { arguments: ListedArguments },
  )
  return Object.freeze({
    kind: 'prompt',
    key: name,
    listed,
    json: JSON.stringify(listed),
    description: listed['description'] as string | undefined,
    arguments: Object.freeze([...args]),
    scopes: Object.freeze([...(scopes ?? [])]),
    requires,
    info: createInfo(definition, listed),
    onGetPrompt: [],
    visible: definition.visible?.bind(definition),
    handler: handler.bind(definition),
  } satisfies Prompt)
}

function assertArguments(prompt: string, args: readonly PromptArgument[]): void {
  for (const [index, { name, complete }] of args.entries()) {
    const path = `arguments.${index}`
    if (args.findIndex(each => each.name === name) < index) {
      const text = `${path}.name: ${name} is already defined in the same prompt; rename or remove one`
      throw new RegistrationError('prompt', prompt, text)
    }
    assertComplete('prompt', prompt, `${path}.complete`, complete)
  }
}

/** @param path of the field with the completion @throws RegistrationError */
export function assertComplete(kind: DefinitionKind, name: string, path: string, value: unknown): void {
  if (value === undefined || typeof value === 'function') return
  const fault = `${path} must be a function, not ${describeValue(value)}`
  throw new ExplainableError(kind, name, fault, { what: 'complete', field: path.split('.').at(-1)!, value })
}

/** @param listed a frozen copy of the definition's facts */
function createInfo({ name, scopes = [] }: PromptDefinition, listed: JsonObject): PromptInfo {
  const { title, description, arguments: args = [], _meta } = listed as Partial<PromptInfo>
  return Object.freeze({ name, title, description, arguments: args, scopes: Object.freeze([...scopes]), _meta })
}
