// Opens an exchange from a modern request: metadata in `_meta`, mirrored in headers.
// Spec 2026-07-28: basic/index, "_meta", and basic/transports/streamable-http, "Server Validation".
import { withTraceId } from '../observability/trace-context.ts'
import { McpError } from '../protocol/errors.ts'
import { checkMethodHeader, checkNameHeader } from '../protocol/headers.ts'
import { isObject, type Message } from '../protocol/messages.ts'
import type { Revision } from '../protocol/revisions/index.ts'
import { META_LOG_LEVEL, RequestMeta } from '../protocol/schemas/common.ts'
import type { Exchange } from '../request/exchange.ts'
import { assertParams } from '../request/params.ts'

export type ConnectionInfo = Pick<
  Exchange,
  | 'headers'
  | 'httpVersion'
  | 'caller'
  | 'owner'
  | 'prefersAsync'
  | 'clientKey'
  | 'sink'
  | 'cancellation'
  | 'requestId'
  | 'requestBytes'
  | 'log'
  | 'door'
>

type RequestMessage = Extract<Message, { kind: 'request' }>

/**
 * Opens a request that came by HTTP, whose headers mirror it.
 *
 * @param mirrored the param that the `Mcp-Name` header repeats; undefined if it repeats none
 * @throws McpError INVALID_PARAMS (-32602) if `_meta` is invalid, HEADER_MISMATCH (-32020)
 */
export function openMirrored(
  revision: Revision,
  message: RequestMessage,
  connection: ConnectionInfo,
  mirrored: { readonly param: string } | undefined,
): Exchange {
  const exchange = openModern(revision, message, connection)
  checkMethodHeader(connection.headers, message.method)
  if (mirrored !== undefined) checkNameHeader(connection.headers, message.params, mirrored.param)
  return exchange
}

/** @throws McpError INVALID_PARAMS (-32602) if `_meta` is invalid */
export function openModern(
  revision: Revision,
  { id, method, params }: RequestMessage,
  connection: ConnectionInfo,
): Exchange {
  const meta = readMeta(params['_meta'])
  return {
    id,
    method,
    params,
    meta,
    revision,
    headers: connection.headers,
    httpVersion: connection.httpVersion,
    capabilities: meta['io.modelcontextprotocol/clientCapabilities'],
    caller: connection.caller,
    owner: connection.owner,
    clientKey: connection.clientKey,
    sink: connection.sink,
    logLevel: meta[META_LOG_LEVEL] as Exchange['logLevel'],
    prefersAsync: connection.prefersAsync,
    session: undefined,
    ask: undefined,
    cancellation: connection.cancellation,
    requestId: connection.requestId,
    requestBytes: connection.requestBytes,
    door: connection.door,
    log: withTraceId(connection.log, params, connection.headers),
  }
}

function readMeta(meta: unknown): RequestMeta {
  if (!isObject(meta)) throw new McpError('INVALID_PARAMS', '_meta is missing')
  assertParams(RequestMeta, meta, '_meta ')
  return meta as RequestMeta
}
