// A prompt, as defined and as served. Spec 2026-07-28: server/prompts.
import { Type } from '@sinclair/typebox'
import type { GetPromptResult, Icon } from '../protocol/schemas/results.ts'
import { assertShape, createListing, LISTED, Requires, Scopes, tagDefinition } from './definition.ts'
import type { InputContext, ToolContext } from './handler-context.ts'
import type { Entry } from './registry.ts'

/** The context of prompt and resource handlers. */
export type HandlerContext = InputContext &
  Pick<ToolContext, 'signal' | 'caller' | 'capabilities' | 'log' | 'requestId' | 'revision' | 'meta'>

/** Returns suggestions that start with `value`, best first; the server keeps at most 100. */
export type Complete = (value: string, context: Record<string, string>) => string[] | Promise<string[]>

export interface PromptArgument {
  name: string
  title?: string
  description?: string
  required?: boolean
  complete?: Complete
}

/** A user text, messages, or the whole result. */
export type PromptReturn = string | GetPromptResult['messages'] | GetPromptResult

export interface PromptDefinition {
  name: string
  title?: string
  description?: string
  icons?: Icon[]
  _meta?: Record<string, unknown>
  arguments?: PromptArgument[]
  scopes?: string[]
  /** Environment variables without which it is not served; of an array, one is enough. */
  requires?: Requires
  handler(args: Record<string, string>, ctx: HandlerContext): PromptReturn | Promise<PromptReturn>
}

export interface Prompt extends Entry {
  readonly kind: 'prompt'
  readonly description: string | undefined
  readonly arguments: readonly PromptArgument[]
  readonly scopes: readonly string[]
  readonly requires: Requires
  handler: PromptDefinition['handler']
}

const Text = Type.Optional(Type.String())

const Arguments = Type.Array(
  Type.Object({
    name: Type.String({ minLength: 1 }),
    title: Text,
    description: Text,
    required: Type.Optional(Type.Boolean()),
  }),
)

const PromptShape = Type.Object(
  {
    ...LISTED,
    name: Type.String({ minLength: 1, maxLength: 128 }),
    arguments: Type.Optional(Arguments),
    scopes: Scopes,
    requires: Requires,
    handler: Type.Unknown(),
  },
  { additionalProperties: false },
)

export function definePrompt(definition: PromptDefinition): PromptDefinition {
  return tagDefinition('prompt', definition)
}

/** @throws RegistrationError naming the prompt, the field and the expected value */
export function buildPrompt(definition: PromptDefinition): Prompt {
  assertShape('prompt', definition.name, PromptShape, definition)
  const { name, title, description, icons, _meta, scopes, requires = [], handler } = definition
  const args = definition.arguments ?? []
  const listed = createListing(
    { name, title, description, icons, arguments: args.map(({ complete: _, ...argument }) => argument), _meta },
    { arguments: Arguments },
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
    handler: handler.bind(definition),
  } satisfies Prompt)
}
