// Opens an exchange from a request that is a value already, in the newest revision: of a door whose
// clients send no metadata of MCP.
import { withTraceId } from '../observability/trace-context.ts'
import { META_CAPABILITIES, META_CLIENT, META_VERSION } from '../protocol/classify.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { findRevision, MODERN_VERSIONS, type Revision } from '../protocol/revisions/index.ts'
import { type ClientCapabilities, type LogLevel, META_LOG_LEVEL, RequestMeta } from '../protocol/schemas/common.ts'
import type { Ask, Exchange } from '../request/exchange.ts'
import { assertParams } from '../request/params.ts'
import type { ConnectionInfo } from './modern.ts'

/** The newest revision, in whose shape results are served to doors. */
export const [NEWEST_VERSION] = MODERN_VERSIONS as [string]
const NEWEST: Revision = findRevision(NEWEST_VERSION)!

/** The client of a door, and what the door can pass on to it. */
export interface DoorClient {
  readonly info?: { readonly name: string; readonly version: string } | undefined
  /** What the door can pass on, such as `{ elicitation: { form: {} } }`. */
  readonly capabilities: ClientCapabilities
}

/** The request, and the program that sends it. */
export interface Asked {
  /** Such as `tools/call`. */
  readonly method: string
  readonly params: JsonObject
  readonly client: DoorClient
  /** Log entries from this level on go to the sink, or to `onLog`. Default: none do. */
  readonly logLevel?: LogLevel | undefined
  /** Further members of `_meta`. */
  readonly meta?: JsonObject | undefined
  /** Default: questions come back, and the client has to repeat its request with the answers. */
  readonly ask?: Ask | undefined
}

/**
 * @param connection with a sink, the client hears progress and log entries
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
