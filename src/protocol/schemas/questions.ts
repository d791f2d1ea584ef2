// Schemas of the requests that handlers send to clients. src/input checks the rules that the
// specification states in prose only. Spec 2026-07-28: client/elicitation, client/sampling.
import { Type } from '@sinclair/typebox'
import { AnyObject } from './common.ts'

// An error of an enum lists the allowed values; that of a union does not.
const stringEnum = (...values: string[]) => Type.Unsafe<string>({ enum: values })
const Text = Type.Optional(Type.String())
const Strings = Type.Array(Type.String())
const base = { message: Type.String(), _meta: Type.Optional(AnyObject) }

export const ElicitFormParams = Type.Object({
  mode: Type.Optional(stringEnum('form', 'url')),
  requestedSchema: Type.Object({
    $schema: Text,
    type: Type.Literal('object'),
    properties: AnyObject,
    required: Type.Optional(Strings),
  }),
  ...base,
})

export const ElicitUrlParams = Type.Object({
  mode: Type.Literal('url'),
  // `javascript:` is a valid URL too, but a browser would run it.
  url: Type.Unsafe<string>({ type: 'string', pattern: '^https?://', format: 'uri', allOf: [{ format: 'url' }] }),
  ...base,
})

const field = { title: Text, description: Text }
const Length = Type.Optional(Type.Integer())
const Bound = Type.Optional(Type.Number())
const Titled = Type.Array(Type.Object({ const: Type.String(), title: Type.String() }))
const number = { ...field, minimum: Bound, maximum: Bound, default: Bound }
const several = { ...field, minItems: Length, maxItems: Length, default: Type.Optional(Strings) }

export const FIELDS = Object.freeze({
  string: Type.Object({
    ...field,
    minLength: Length,
    maxLength: Length,
    pattern: Text,
    format: Type.Optional(stringEnum('email', 'uri', 'date', 'date-time')),
    default: Text,
  }),
  number: Type.Object(number),
  integer: Type.Object(number),
  boolean: Type.Object({ ...field, default: Type.Optional(Type.Boolean()) }),
  choice: Type.Object({ ...field, enum: Strings, enumNames: Type.Optional(Strings), default: Text }),
  titledChoice: Type.Object({ ...field, oneOf: Titled, default: Text }),
  choices: Type.Object({ ...several, items: Type.Object({ type: Type.Literal('string'), enum: Strings }) }),
  titledChoices: Type.Object({
    ...several,
    items: Type.Object({ type: Type.Optional(Type.Literal('string')), anyOf: Titled }),
  }),
})

const Priority = Type.Optional(Type.Number({ minimum: 0, maximum: 1 }))

/** The blocks of its content are checked one by one. */
export const SamplingMessage = Type.Object({ role: stringEnum('user', 'assistant'), _meta: base._meta })

export const CreateMessageParams = Type.Object({
  messages: Type.Array(SamplingMessage),
  maxTokens: Type.Integer(),
  systemPrompt: Text,
  includeContext: Type.Optional(stringEnum('none', 'thisServer', 'allServers')),
  temperature: Bound,
  stopSequences: Type.Optional(Strings),
  metadata: Type.Optional(AnyObject),
  modelPreferences: Type.Optional(
    Type.Object({
      hints: Type.Optional(Type.Array(Type.Object({ name: Text }))),
      costPriority: Priority,
      speedPriority: Priority,
      intelligencePriority: Priority,
    }),
  ),
  tools: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String(),
        ...field,
        inputSchema: Type.Object({ type: Type.Literal('object') }),
        outputSchema: Type.Optional(AnyObject),
        annotations: Type.Optional(AnyObject),
      }),
    ),
  ),
  toolChoice: Type.Optional(Type.Object({ mode: Type.Optional(stringEnum('auto', 'required', 'none')) })),
  _meta: base._meta,
})

export const ToolUseContent = Type.Object({
  type: Type.Literal('tool_use'),
  id: Type.String(),
  name: Type.String(),
  input: AnyObject,
  _meta: base._meta,
})

/** The blocks of its content are checked one by one. */
export const ToolResultContent = Type.Object({
  type: Type.Literal('tool_result'),
  toolUseId: Type.String(),
  content: Type.Array(Type.Unknown()),
  isError: Type.Optional(Type.Boolean()),
  _meta: base._meta,
})
