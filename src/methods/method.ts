// The type of a protocol method: its facts, and the function that serves it. One file per page of
// the specification.
import type { TSchema } from '@sinclair/typebox'
import type { Access } from '../auth/access.ts'
import type { Seal } from '../auth/seal.ts'
import type { ServerInfo } from '../config/identity.ts'
import type { Settings } from '../config/settings.ts'
import type { Executor } from '../execution/executor.ts'
import type { InputRequired } from '../input/rounds.ts'
import type { Target } from '../observability/request-ended.ts'
import type { KeptResult, ServerMeta } from '../protocol/encode.ts'
import type { JsonObject } from '../protocol/messages.ts'
import type { Catalog, CatalogEntry } from '../registry/catalog.ts'
import type { ChangeEmitter } from '../registry/changes.ts'
import type { Hooks } from '../registry/hooks.ts'
import type { Exchange } from '../request/exchange.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import type { OutcomeKind } from '../request/outcome.ts'
import type { ResultFacts } from '../request/served.ts'
import type { TaskService } from '../tasks/tasks.ts'

/** The parts of a server that methods use; each method names its own. */
export interface MethodRuntime {
  /** The identity of the server, in full. */
  readonly serverInfo: ServerInfo
  /** The same, as `_meta`. */
  readonly fullServerMeta: ServerMeta
  /** For the `_meta` of every result: without icons that contain all their bytes in a URL. */
  readonly serverMeta: ServerMeta
  readonly instructions: string | undefined
  readonly catalog: Catalog
  readonly changes: ChangeEmitter
  readonly executor: Executor
  readonly hooks: Hooks
  readonly tasks: TaskService
  readonly seal: Seal
  readonly access: Access
  readonly settings: Settings
  /** Event streams of the process, one of each session or subscription. */
  readonly maxStreams: number
}

export type Uses<Part extends keyof MethodRuntime> = Pick<MethodRuntime, Part>

export type MethodResult =
  | {
      readonly result: JsonObject | KeptResult
      /** The outcome of a tool call, for logs and metrics. */
      readonly kind?: OutcomeKind | 'task'
      readonly facts?: ResultFacts | undefined
      /** Replaces that of the runtime. */
      readonly serverMeta?: ServerMeta
    }
  /** The client has to repeat the request of `exchange` with the answers. */
  | InputRequired

/** Returned by a method that answers on its own stream. */
export const DETACHED = Symbol('detached')

/** The target of a request. In revisions that mirror, the `Mcp-Name` header repeats the param. */
export interface MethodTarget {
  readonly kind: Target['kind']
  /** The member of `params` that names the target. */
  readonly param: 'name' | 'uri' | 'taskId'
  /** Undefined if it is not served. A task has no scopes until it is read. */
  find?(name: string, catalog: Catalog): CatalogEntry | undefined
}

export interface Method<Part extends keyof MethodRuntime = keyof MethodRuntime> {
  readonly params: TSchema
  readonly target?: MethodTarget
  /** If it returns false, the method is refused like an unknown one. */
  isOffered?(catalog: Catalog, params: JsonObject, settings: Settings): boolean
  /** Runs before the params are checked. @throws McpError if this client may not use the method */
  assertAllowed?(exchange: Exchange): void
  serve(exchange: Exchange, runtime: Uses<Part>): MaybePromise<MethodResult | typeof DETACHED>
}
