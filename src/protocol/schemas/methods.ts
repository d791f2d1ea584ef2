// The params of each method, without `_meta`. Spec 2026-07-28: schema.
import { type Static, Type } from '@sinclair/typebox'
import { AnyObject, InputResponse, LOG_LEVELS, type LogLevel } from './common.ts'

const Strings = Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } })

export const CallToolParams = Type.Object({
  name: Type.String(),
  arguments: Type.Optional(AnyObject),
  ...InputResponse,
})
export type CallToolParams = Static<typeof CallToolParams>

/** Other members are not stored. Spec 2025-11-25: basic/lifecycle, "Initialization". */
export const InitializeParams = Type.Object({
  protocolVersion: Type.String({ maxLength: 64 }),
  capabilities: AnyObject,
  clientInfo: Type.Object({ name: Type.String(), version: Type.String() }),
})
export type InitializeParams = Static<typeof InitializeParams>

export const SetLevelParams = Type.Object({ level: Type.Union(LOG_LEVELS.map(level => Type.Literal(level))) })
export type SetLevelParams = { level: LogLevel }

export const SubscribeParams = Type.Object({ uri: Type.String({ format: 'uri', maxLength: 2048 }) })
export type SubscribeParams = Static<typeof SubscribeParams>

export const ReadResourceParams = Type.Object({ uri: Type.String({ format: 'uri' }), ...InputResponse })
export type ReadResourceParams = Static<typeof ReadResourceParams>

export const GetPromptParams = Type.Object({
  name: Type.String(),
  arguments: Type.Optional(Strings),
  ...InputResponse,
})
export type GetPromptParams = Static<typeof GetPromptParams>

export const CompleteParams = Type.Object({
  ref: Type.Union([
    Type.Object({ type: Type.Literal('ref/prompt'), name: Type.String() }),
    Type.Object({ type: Type.Literal('ref/resource'), uri: Type.String() }),
  ]),
  argument: Type.Object({ name: Type.String(), value: Type.String() }),
  context: Type.Optional(Type.Object({ arguments: Type.Optional(Strings) })),
})
export type CompleteParams = Static<typeof CompleteParams>

/** Only in 2025-11-25. Spec 2025-11-25: basic/utilities/tasks, "Task Parameters". */
export const TaskMetadata = Type.Object({ ttl: Type.Optional(Type.Union([Type.Number(), Type.Null()])) })
export type TaskMetadata = Static<typeof TaskMetadata>

export const TaskParams = Type.Object({ taskId: Type.String() })
export type TaskParams = Static<typeof TaskParams>

export const UpdateTaskParams = Type.Object({ taskId: Type.String(), inputResponses: AnyObject })
export type UpdateTaskParams = Static<typeof UpdateTaskParams>

export const SubscriptionFilter = Type.Object({
  toolsListChanged: Type.Optional(Type.Boolean()),
  promptsListChanged: Type.Optional(Type.Boolean()),
  resourcesListChanged: Type.Optional(Type.Boolean()),
  resourceSubscriptions: Type.Optional(Type.Array(Type.String({ format: 'uri' }), { maxItems: 1000 })),
  taskIds: Type.Optional(Type.Array(Type.String(), { maxItems: 1000 })),
})
export type SubscriptionFilter = Static<typeof SubscriptionFilter>

export const ListenParams = Type.Object({ notifications: SubscriptionFilter })
export type ListenParams = Static<typeof ListenParams>
