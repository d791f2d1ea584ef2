// Opens an exchange from a request that is already a value in the newest revision: from a door whose
// clients send no metadata of MCP.
import { withTraceId } from '../observability/trace-context.ts'
import { META_CAPABILITIES, META_CLIENT, META_VERSION } from '../protocol/classify.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { findRevision, MODERN_VERSIONS, type Revision } from '../protocol/revisions/index.ts'
import { type ClientCapabilities, type LogLevel, META_LOG_LEVEL, RequestMeta } from '../protocol/schemas/common.ts'
import type { Ask, Exchange } from '../request/exchange.ts'
import { assertParams } from '../request/params.ts'
import type { ConnectionInfo } from './modern.ts'

/** The newest revision. Doors get results in its shape. */
export const [NEWEST_VERSION] = MODERN_VERSIONS as [string]
const NEWEST: Revision = findRevision(NEWEST_VERSION)!

/** The client of a door, and the questions that the door can pass on. */
export interface DoorClient {
  readonly info?: { readonly name: string; readonly version: string } | undefined
  /** The capabilities that the door can pass on, such as `{ elicitation: { form: {} } }`. */
  readonly capabilities: ClientCapabilities
}

/** The request, and its client. */
export interface Asked {
  /** The method, such as `tools/call`. */
  readonly method: string
  readonly params: JsonObject
  readonly client: DoorClient
  /** Lowest level of log entries for the sink, or for `onLog`. Default: no log entries. */
  readonly logLevel?: LogLevel | undefined
  /** Further members of `_meta`. */
  readonly meta?: JsonObject | undefined
  /**
   * Default: the answer contains the questions, and the client has to repeat its request with the
   * answers.
   */
  readonly ask?: Ask | undefined
}

/**
 * @param connection if it has a sink, the client gets progress and log entries
 * @throws McpError INVALID_PARAMS (-32602) if `meta` is invalid
 */
export function openRequest(
  { method, params, client, logLevel, meta: extra, ask }: Asked,
  connection: ConnectionInfo,
): Exchange {
  const meta = {
    [META_VERSION]: NEWEST_VERSION,
    ...(client.info !== undefined && { [META_CLIENT]: client.info }),
    [META_CAPABILITIES]: client.capabilities,
    ...(connection.sink !== undefined && { progressToken: 0 }),
    ...(logLevel !== undefined && { [META_LOG_LEVEL]: logLevel }),
    ...extra,
  } as RequestMeta
  assertParams(RequestMeta, meta, '_meta ')
  return {
    ...connection,
    id: 0,
    method,
    params: { ...params, _meta: meta },
    meta,
    revision: NEWEST,
    capabilities: client.capabilities,
    logLevel,
    session: undefined,
    isForeign: true,
    ask,
    log: withTraceId(connection.log, { _meta: meta }, connection.headers),
  }
}
