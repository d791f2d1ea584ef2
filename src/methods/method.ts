// What a method of the protocol is: the schema of its params and what serves it. One file per page of the specification.
import type { TSchema } from '@sinclair/typebox'
import type { Access } from '../access/access.ts'
import type { Audit } from '../audit/audit.ts'
import type { Eventually } from '../chain.ts'
import type { Exchange } from '../exchange.ts'
import type { Executor, Outcome } from '../execution/execute.ts'
import { sealState } from '../input/request-state.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { JsonObject } from '../protocol/messages.ts'
import type { RefusalLog } from '../refusal-log.ts'
import type { Catalog } from '../registry/catalog.ts'
import type { Changes } from '../registry/changes.ts'
import type { Seal } from '../seal.ts'
import type { SessionControl } from '../session.ts'
import type { Asked } from '../tasks/defer.ts'
import type { Tasks } from '../tasks/tasks.ts'
import type { Tracing } from '../tracing/tracing.ts'
import type { UnsentBytes } from '../unsent-bytes.ts'

/** What methods work with; made once at start. */
export interface Services {
  /** `_meta` of every result: who the server is. */
  readonly serverMeta: JsonObject
  readonly serverMetaJson: string
  readonly instructions: string | undefined
  readonly catalog: Catalog
  readonly changes: Changes
  readonly executor: Executor
  readonly tasks: Tasks
  readonly seal: Seal
  readonly access: Access
  readonly audit: Audit
  readonly metrics: Metrics
  readonly refusals: RefusalLog
  /** Undefined where no OpenTelemetry SDK listens. */
  readonly tracing: Tracing | undefined
  /** What has been answered and not been read. */
  readonly unsent: UnsentBytes
  readonly rules: {
    readonly pageSize: number
    readonly listTtlMs: number
    readonly maxStreams: number
    readonly slowCallMs: number
  }
}

/** A result that is already JSON, such as a page of a list. */
export class Serialised {
  readonly json: string

  constructor(json: string) {
    this.json = json
  }
}

export interface Served {
  readonly result: JsonObject | Serialised
  /** How a tool call ended, for logs and metrics. */
  readonly kind?: Outcome['kind'] | 'task'
}

/** The request is answered by a stream that its method holds. */
export const HELD = Symbol('held')

export interface Method {
  readonly params: TSchema
  /** The scopes of what `Mcp-Name` names; undefined if it is not served. There is no caller yet. */
  findScopes?(name: string, catalog: Catalog): readonly string[] | undefined
  /** Whether the capability behind it is advertised; what is not is as unknown as any other name. */
  isOffered?(catalog: Catalog): boolean
  /** Comes before its params are looked at. @throws McpError where this client may not use it */
  assertAllowed?(exchange: Exchange): void
  serve(exchange: Exchange, services: Services): Eventually<Served | typeof HELD>
}

/** The answer of a method that asks for input. Spec 2026-07-28: basic/patterns/mrtr, "InputRequiredResult". */
export function inputRequired(seal: Seal, exchange: Exchange, { open, used }: Asked): Served {
  const requestState = sealState(seal, exchange, used)
  return { kind: 'input_required', result: { resultType: 'input_required', inputRequests: open, requestState } }
}

/** @throws Error where a revision without sessions lists a method that needs one */
export function sessionOf({ session, method }: Exchange): SessionControl {
  if (session === undefined) throw new Error(`${method} needs a session`)
  return session
}
