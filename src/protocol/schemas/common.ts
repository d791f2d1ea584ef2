// Schemas that several methods share. Spec 2026-07-28: schema.
import { type Static, Type } from '@sinclair/typebox'
import { isObject } from '../messages.ts'

export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const
/** The eight levels of log entries, from `debug` to `emergency`. */
export type LogLevel = (typeof LOG_LEVELS)[number]

export const META_LOG_LEVEL = 'io.modelcontextprotocol/logLevel'
export const META_SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'
export const META_SERVER = 'io.modelcontextprotocol/serverInfo'

/** Spec: github.com/modelcontextprotocol/ext-tasks. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'
export const META_RELATED_TASK = 'io.modelcontextprotocol/related-task'
/**
 * Progress of a task in the answer to `tasks/get`, as in a notification: the extension has no member
 * for it.
 */
export const META_PROGRESS = 'toolrack/progress'
/** Log entries of a task: `{ entries, before }`. */
export const META_LOG = 'toolrack/log'

/** Any object. `Type.Record` would test its pattern on every key. */
export const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object' })

/** The capabilities of a client, such as `elicitation`. */
export const ClientCapabilities = Type.Object({
  experimental: Type.Optional(AnyObject),
  roots: Type.Optional(AnyObject),
  sampling: Type.Optional(AnyObject),
  elicitation: Type.Optional(Type.Object({ form: Type.Optional(AnyObject), url: Type.Optional(AnyObject) })),
  extensions: Type.Optional(AnyObject),
})
export type ClientCapabilities = Static<typeof ClientCapabilities>

/** `params._meta` of every request. Spec 2026-07-28: basic/index, "Per-request protocol fields". */
export const RequestMeta = Type.Object({
  progressToken: Type.Optional(Type.Union([Type.String({ maxLength: 1024 }), Type.Integer()])),
  'io.modelcontextprotocol/protocolVersion': Type.String(),
  'io.modelcontextprotocol/clientInfo': Type.Optional(Type.Object({ name: Type.String(), version: Type.String() })),
  'io.modelcontextprotocol/clientCapabilities': ClientCapabilities,
  [META_LOG_LEVEL]: Type.Optional(Type.Union(LOG_LEVELS.map(level => Type.Literal(level)))),
})
export type RequestMeta = Static<typeof RequestMeta> & { [key: string]: unknown }

export const HandshakeMeta = Type.Object({ progressToken: RequestMeta.properties.progressToken })
export type HandshakeMeta = Static<typeof HandshakeMeta>

/** The members of a retried request. Spec 2026-07-28: basic/patterns/mrtr. */
export const InputResponse = {
  inputResponses: Type.Optional(AnyObject),
  requestState: Type.Optional(Type.String({ maxLength: 512 * 1024 })),
}

export const NoParams = Type.Object({})
export const ListParams = Type.Object({ cursor: Type.Optional(Type.String()) })
export type ListParams = Static<typeof ListParams>

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly items?: SchemaNode
}

/** Copies the members that the schema names, at every depth; all if it names none. */
export function pickKnown<T>(schema: object, value: T): T
export function pickKnown(schema: SchemaNode, value: unknown): unknown {
  const { properties, items } = schema
  if (Array.isArray(value)) return items === undefined ? value : value.map(each => pickKnown(items, each))
  if (!isObject(value) || properties === undefined) return value
  const known: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(properties, name)) known[name] = pickKnown(properties[name]!, value[name])
  }
  return known
}
