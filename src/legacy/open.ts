// Opens a session by its handshake, and an exchange for each later request, also without a session.
// Spec 2025-11-25: basic/lifecycle and basic/transports, "Session Management".
import { withTraceId } from '../observability/trace-context.ts'
import { META_CAPABILITIES, META_VERSION } from '../protocol/classify.ts'
import { McpError } from '../protocol/errors.ts'
import type { JsonObject, Message } from '../protocol/messages.ts'
import { negotiate, type Revision } from '../protocol/revisions/index.ts'
import { type ClientCapabilities, HandshakeMeta, type LogLevel, type RequestMeta } from '../protocol/schemas/common.ts'
import { InitializeParams } from '../protocol/schemas/methods.ts'
import type { Exchange, NotificationSink, SessionControl } from '../request/exchange.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import { assertParams } from '../request/params.ts'
import { createSessionRequiredError } from '../request/required-session.ts'
import { type Steps, wait } from '../request/steps.ts'
import type { Session } from '../state/sessions.ts'
import { toClientCapabilities } from './capabilities.ts'
import { createAsk } from './server-requests.ts'
import type { SessionRegistry } from './session-registry.ts'

type Request = Extract<Message, { kind: 'request' }>

export type SessionConnection = Pick<
  Exchange,
  | 'headers'
  | 'httpVersion'
  | 'caller'
  | 'owner'
  | 'clientKey'
  | 'cancellation'
  | 'requestId'
  | 'requestBytes'
  | 'door'
  | 'log'
> & { readonly sink: NotificationSink | undefined }

/** @param id undefined for a new session @throws McpError INVALID_PARAMS (-32602) */
export function openSession(
  sessions: SessionRegistry,
  params: JsonObject,
  { owner, id }: { readonly owner: string | undefined; readonly id?: string },
): MaybePromise<Session> {
  assertParams(InitializeParams, params)
  if (params['_meta'] !== undefined) assertParams(HandshakeMeta, params['_meta'], '_meta ')
  const { protocolVersion, capabilities } = params as InitializeParams
  const revision = negotiate(protocolVersion)
  return sessions.open({
    id,
    revision,
    owner,
    capabilities: toClientCapabilities(revision, capabilities),
  })
}

/** @throws McpError SESSION_REQUIRED (400); SESSION_NOT_FOUND (404), also for another owner */
export function* findSession(
  sessions: SessionRegistry,
  id: string | undefined,
  owner: string | undefined,
): Steps<Session> {
  if (id === undefined) throw createSessionRequiredError()
  const session = yield* wait(sessions.find(id, owner))
  if (session !== undefined) return session
  throw new McpError('SESSION_NOT_FOUND', 'open a new one with initialize')
}

/** @throws McpError INVALID_PARAMS (-32602) if `_meta` is malformed */
export function openLegacy(
  sessions: SessionRegistry,
  session: Session,
  request: Request,
  connection: SessionConnection,
): Exchange {
  const { sink, cancellation } = connection
  return createExchange(request, connection, session, {
    session: new SessionHandle(sessions, session),
    ask: createAsk({ sessions, session, sink, cancellation }),
  })
}

const NO_CAPABILITIES: ClientCapabilities = Object.freeze({})

/**
 * Opens a request that names no session. Nothing is known of its client, so it cannot be asked, and
 * gets no log messages.
 *
 * @throws McpError INVALID_PARAMS (-32602) if `_meta` is malformed
 */
export function openStateless(revision: Revision, request: Request, connection: SessionConnection): Exchange {
  const terms = { revision, capabilities: NO_CAPABILITIES, logLevel: undefined }
  return createExchange(request, connection, terms, { session: undefined, ask: undefined })
}

/** Everything that a client has agreed with the server, or has set later. */
type Terms = Pick<Session, 'revision' | 'capabilities' | 'logLevel'>

function createExchange(
  { id, method, params }: Request,
  connection: SessionConnection,
  terms: Terms,
  { session, ask }: Pick<Exchange, 'session' | 'ask'>,
): Exchange {
  return {
    id,
    method,
    params: withoutModern(params),
    meta: toRequestMeta(params, terms),
    revision: terms.revision,
    headers: connection.headers,
    httpVersion: connection.httpVersion,
    capabilities: terms.capabilities,
    caller: connection.caller,
    owner: connection.owner,
    clientKey: connection.clientKey,
    sink: connection.sink,
    logLevel: terms.logLevel,
    session,
    ask,
    cancellation: connection.cancellation,
    requestId: connection.requestId,
    requestBytes: connection.requestBytes,
    door: connection.door,
    log: withTraceId(connection.log, params, connection.headers),
  }
}

// Removes members that have a meaning only in newer revisions.
function withoutModern(params: JsonObject): JsonObject {
  if (!('requestState' in params) && !('inputResponses' in params)) return params
  const { requestState: _state, inputResponses: _responses, ...rest } = params
  return rest
}

// In the newest revision's shape, so that tools read the same metadata in each.
function toRequestMeta({ _meta: meta }: JsonObject, { revision, capabilities }: Terms): RequestMeta {
  if (meta !== undefined) assertParams(HandshakeMeta, meta, '_meta ')
  return {
    ...(meta as HandshakeMeta | undefined),
    [META_VERSION]: revision.version,
    [META_CAPABILITIES]: capabilities,
  }
}

/** Resource subscriptions per session. */
export const MAX_SUBSCRIPTIONS_PER_SESSION = 100

export class SessionHandle implements SessionControl {
  readonly #sessions: SessionRegistry
  readonly #session: Session

  constructor(sessions: SessionRegistry, session: Session) {
    this.#sessions = sessions
    this.#session = session
  }

  get id(): string {
    return this.#session.id
  }

  setLogLevel(level: LogLevel): MaybePromise<void> {
    this.#session.logLevel = level
    return this.#sessions.save(this.#session)
  }

  subscribe(uri: string): MaybePromise<void> {
    const subscriptions = (this.#session.subscriptions ??= new Map())
    if (subscriptions.has(uri)) return
    if (subscriptions.size >= MAX_SUBSCRIPTIONS_PER_SESSION) {
      throw new McpError(
        'BUSY',
        `a session watches at most ${MAX_SUBSCRIPTIONS_PER_SESSION} resources; unsubscribe from some`,
      )
    }
    subscriptions.set(uri, false)
    this.#sessions.getOrCreate(this.#session)
    return this.#sessions.save(this.#session)
  }

  unsubscribe(uri: string): MaybePromise<void> {
    if (!this.#session.subscriptions?.delete(uri)) return
    this.#sessions.releaseIfIdle(this.#session)
    return this.#sessions.save(this.#session)
  }
}
