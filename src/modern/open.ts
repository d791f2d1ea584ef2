// Opens an exchange from what a modern request carries itself: metadata in `_meta`, mirrored in headers.
// Spec 2026-07-28: basic/index, "_meta", and basic/transports/streamable-http, "Server Validation".
import { logOf } from '../audit/trace.ts'
import type { Exchange } from '../exchange.ts'
import { assertParams } from '../params.ts'
import { McpError } from '../protocol/errors.ts'
import { checkMethodHeader, checkNameHeader, type Headers } from '../protocol/headers.ts'
import { isObject, type Message } from '../protocol/messages.ts'
import type { Revision } from '../protocol/revisions/index.ts'
import { META_LOG_LEVEL, RequestMeta } from '../protocol/schemas/common.ts'

/** What the connection knows: who is there, how to reach it, when it is gone. */
export type Connection = Pick<
  Exchange,
  'headers' | 'httpVersion' | 'caller' | 'clientKey' | 'sink' | 'cancellation' | 'requestId' | 'requestBytes' | 'log'
>

type Request = Extract<Message, { kind: 'request' }>

/** @throws McpError INVALID_PARAMS (-32602) where `_meta` lacks what it must have, HEADER_MISMATCH (-32020) */
export function openModern(revision: Revision, request: Request, connection: Connection): Exchange {
  const { id, method, params } = request
  const meta = readMeta(params['_meta'])
  checkMirrors(connection.headers, revision, request)
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
    clientKey: connection.clientKey,
    sink: connection.sink,
    logLevel: meta[META_LOG_LEVEL] as Exchange['logLevel'],
    session: undefined,
    ask: undefined,
    cancellation: connection.cancellation,
    requestId: connection.requestId,
    requestBytes: connection.requestBytes,
    log: logOf(connection.log, params, connection.headers),
  }
}

function readMeta(meta: unknown): RequestMeta {
  if (!isObject(meta)) throw new McpError('INVALID_PARAMS', '_meta is missing')
  assertParams(RequestMeta, meta, '_meta ')
  return meta as RequestMeta
}

function checkMirrors(headers: Headers, revision: Revision, { method, params }: Request): void {
  checkMethodHeader(headers, method)
  const source = revision.names.get(method)
  if (source !== undefined) checkNameHeader(headers, params, source)
}
