// Opens what a session's message asks for: the session itself by the handshake, then an exchange for each request.
// Spec 2025-11-25: basic/lifecycle and basic/transports, "Session Management".
import { ownerOf } from '../access/identity.ts'
import { logOf } from '../audit/trace.ts'
import type { Eventually } from '../chain.ts'
import type { Caller, Exchange, Sink } from '../exchange.ts'
import { assertParams } from '../params.ts'
import { META_CAPABILITIES, META_VERSION } from '../protocol/classify.ts'
import { McpError } from '../protocol/errors.ts'
import type { JsonObject, Message } from '../protocol/messages.ts'
import { negotiate } from '../protocol/revisions/index.ts'
import { HandshakeMeta, type RequestMeta } from '../protocol/schemas/common.ts'
import { InitializeParams } from '../protocol/schemas/methods.ts'
import type { Session } from '../session.ts'
import { askOver } from './ask.ts'
import { askableOf } from './capabilities.ts'
import type { LiveSessions } from './live-sessions.ts'
import { SessionHandle } from './session-handle.ts'

type Request = Extract<Message, { kind: 'request' }>

/** What the connection knows, as for a modern request. */
export type SessionConnection = Pick<
  Exchange,
  'headers' | 'httpVersion' | 'caller' | 'clientKey' | 'cancellation' | 'requestId' | 'requestBytes' | 'log'
> & { readonly sink: Sink | undefined }

/** The session that a handshake begins. @param id undefined: a new one @throws McpError INVALID_PARAMS (-32602) */
export function openSession(
  sessions: LiveSessions,
  params: JsonObject,
  { caller, id }: { readonly caller: Caller | undefined; readonly id?: string },
): Eventually<Session> {
  assertParams(InitializeParams, params)
  if (params['_meta'] !== undefined) assertParams(HandshakeMeta, params['_meta'], '_meta ')
  const { protocolVersion, capabilities } = params as InitializeParams
  const revision = negotiate(protocolVersion)
  return sessions.open({ id, revision, owner: ownerOf(caller), capabilities: askableOf(revision, capabilities) })
}

/**
 * The session that a request names.
 *
 * @param id undefined where the request names none
 * @throws McpError SESSION_REQUIRED (400); SESSION_NOT_FOUND (404), also where it is somebody else's
 */
export function findSession(
  sessions: LiveSessions,
  id: string | undefined,
  caller: Caller | undefined,
): Eventually<Session> {
  if (id === undefined) {
    throw new McpError('SESSION_REQUIRED', 'send Mcp-Session-Id, or open a session with initialize')
  }
  const found = sessions.find(id)
  return found instanceof Promise ? found.then(session => own(session, caller)) : own(found, caller)
}

function own(session: Session | undefined, caller: Caller | undefined): Session {
  if (session !== undefined && session.owner === ownerOf(caller)) return session
  throw new McpError('SESSION_NOT_FOUND', 'open a new one with initialize')
}

/** @throws McpError INVALID_PARAMS (-32602) where `_meta` is malformed */
export function openLegacy(
  sessions: LiveSessions,
  session: Session,
  { id, method, params }: Request,
  connection: SessionConnection,
): Exchange {
  const { sink, cancellation } = connection
  return {
    id,
    method,
    params: withoutModern(params),
    meta: metaOf(params, session),
    revision: session.revision,
    headers: connection.headers,
    httpVersion: connection.httpVersion,
    capabilities: session.capabilities,
    caller: connection.caller,
    clientKey: connection.clientKey,
    sink,
    logLevel: session.logLevel,
    session: new SessionHandle(sessions, session),
    ask: askOver({ sessions, session, sink, cancellation }),
    cancellation,
    requestId: connection.requestId,
    requestBytes: connection.requestBytes,
    log: logOf(connection.log, params, connection.headers),
  }
}

// Members that mean something in newer revisions only.
function withoutModern(params: JsonObject): JsonObject {
  if (!('requestState' in params) && !('inputResponses' in params)) return params
  const { requestState: _state, inputResponses: _responses, ...rest } = params
  return rest
}

// In the words of the newest revision, so that a tool reads the same in each.
function metaOf({ _meta: meta }: JsonObject, { revision, capabilities }: Session): RequestMeta {
  if (meta !== undefined) assertParams(HandshakeMeta, meta, '_meta ')
  return {
    ...(meta as HandshakeMeta | undefined),
    [META_VERSION]: revision.version,
    [META_CAPABILITIES]: capabilities,
  }
}
