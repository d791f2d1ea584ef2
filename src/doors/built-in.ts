// A door that ships: a setting opens it. Beside the context of every door it gets what documents and
// pages say of the server, what the console shows of its work, and sessions over HTTP.
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Access } from '../auth/access.ts'
import type { HostKind } from '../config/doors.ts'
import type { ResolvedOptions } from '../config/options.ts'
import type { Settings } from '../config/settings.ts'
import type { Admission } from '../execution/admission.ts'
import type { Mask } from '../execution/mask.ts'
import type { SessionRegistry } from '../legacy/session-registry.ts'
import type { Audit } from '../observability/audit.ts'
import type { RequestEvents } from '../observability/request-ended.ts'
import type { StartUpRow } from '../observability/start-up.ts'
import type { JsonObject, Message } from '../protocol/messages.ts'
import type { Catalog, CatalogEntry } from '../registry/catalog.ts'
import type { ToolClient } from '../registry/handler-context.ts'
import type { Answer } from '../request/answer.ts'
import type { Caller, NotificationSink } from '../request/exchange.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import type { Owners } from '../request/owners.ts'
import type { Session } from '../state/sessions.ts'
import type { SseResponse } from '../transport/event-stream.ts'
import type { Door, DoorContext } from './door.ts'
import type { RequestMessage } from './session-messages.ts'

export interface BuiltInDoor extends Omit<Door, 'open'> {
  /** Its variable, such as `CONSOLE`. */
  readonly setting: string
  /** In words, such as `the console`. */
  readonly title: string
  isOpen(settings: Settings, hostKind: HostKind): boolean
  /** Whether answers at its paths say how to open it. */
  readonly isExplained?: boolean
  /** Whether only callers who are known may come from other machines. */
  needsAccessControl?(settings: Settings): boolean
  describe(base: string): readonly StartUpRow[]
  /** Its rows of the start-up report while it is closed. */
  describeClosed(): readonly StartUpRow[]
  /** The page that browsers get at `/` and at the endpoint, also while the door is closed. */
  renderPage?(request: FastifyRequest, facts: ServerFacts): Promise<BrowserPage>
  open(app: FastifyInstance, context: DoorContext, server: ServerParts): MaybePromise<void>
}

export interface BrowserPage {
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
}

/** What a door that ships gets of the server; each takes its part. */
export interface ServerParts {
  readonly facts: ServerFacts
  readonly work: ServerWork
  readonly sessions: HttpSessions
}

/** What pages and documents say of the server. */
export interface ServerFacts {
  readonly options: Pick<ResolvedOptions, 'settings' | 'identity' | 'isPlugin' | 'toolsDir' | 'doubles'>
  /** Where clients get tokens; issuers may change while the server runs. */
  readonly authorizationServers: readonly string[]
  /** Names of what callers may bring, such as `token`. */
  readonly credentials: readonly string[]
  isDoorOpen(name: string): boolean
  /** The endpoint's URL as the client of the request has to write it. */
  getClientUrl(request: FastifyRequest): string
  /** Whether that URL is the same for all clients. */
  readonly isUrlFixed: boolean
  readonly catalog: Pick<Catalog, 'tools' | 'resources' | 'templates' | 'prompts'>
  /** Whether a list has an entry of the catalog for a caller. */
  isListed(entry: CatalogEntry, caller: Caller | undefined, client: ToolClient): boolean
}

/** What the console shows of the work of the server. */
export interface ServerWork {
  readonly events: Pick<RequestEvents, 'on'>
  readonly owners: Owners
  /** Hides values of secrets in what is kept. */
  readonly secretMask: Mask
  readonly access: Pick<Access, 'may'>
  readonly admission: Pick<Admission, 'load'>
  readonly audit: Pick<Audit, 'record'>
}

/** Sessions whose messages come by HTTP, for a door with streams of its own. */
export interface HttpSessions {
  readonly registry: SessionRegistry
  /** Refuses a POST unless it sends JSON and accepts an answer in JSON or as events. */
  readonly checkMedia: onRequestHookHandler
  findOwner(request: FastifyRequest): string | undefined
  /**
   * Opens a stream, which is recorded. The headers of the request are released.
   *
   * @returns undefined if the client has left
   * @throws McpError DRAINING, NOT_ACCEPTABLE, RATE_LIMITED or BUSY
   */
  openStream(request: FastifyRequest, reply: FastifyReply): SseResponse | undefined
  /** Opens a session. @param params of `initialize` @throws McpError INVALID_PARAMS */
  begin(params: JsonObject, facts: { readonly owner: string | undefined; readonly id: string }): MaybePromise<Session>
  /** Serves a request. Never throws. @returns undefined if the client has cancelled it */
  answer(
    asked: { readonly session: Session; readonly request: FastifyRequest; readonly sink: NotificationSink },
    message: RequestMessage,
  ): MaybePromise<Answer | undefined>
  /** Takes a notification, or an answer to a question. */
  take(session: Session, message: Exclude<Message, RequestMessage>): void
  /** Records a request that no session serves. */
  refuse(request: FastifyRequest, message: RequestMessage, error: unknown): Answer
}
