// A door that ships: a setting opens it. In addition to the context of every door, it gets facts
// about the server for documents and pages, the server's work for the console, and sessions over
// HTTP.
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
  /** The variable that opens it, such as `CONSOLE`. */
  readonly setting: string
  /** Its name in words, such as `the console`. */
  readonly title: string
  isOpen(settings: Settings, hostKind: HostKind): boolean
  /** Whether answers at its paths say how to open it. */
  readonly isExplained?: boolean
  /** Whether only verified callers may use it from other machines. */
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

/** The parts of the server that a door that ships gets. Each takes those that it needs. */
export interface ServerParts {
  readonly facts: ServerFacts
  readonly work: ServerWork
  readonly sessions: HttpSessions
}

/** Facts about the server for pages and documents. */
export interface ServerFacts {
  readonly options: Pick<ResolvedOptions, 'settings' | 'identity' | 'isPlugin' | 'toolsDir' | 'doubles'>
  /** Where clients get tokens; issuers may change while the server runs. */
  readonly authorizationServers: readonly string[]
  /** Names of the credentials that callers may send, such as `token`. */
  readonly credentials: readonly string[]
  isDoorOpen(name: string): boolean
  /** The endpoint's URL as the client of the request must write it. */
  getClientUrl(request: FastifyRequest): string
  /** Whether that URL is the same for all clients. */
  readonly isUrlFixed: boolean
  readonly catalog: Pick<Catalog, 'tools' | 'resources' | 'templates' | 'prompts'>
  /** Whether a list has an entry of the catalog for a caller. */
  isListed(entry: CatalogEntry, caller: Caller | undefined, client: ToolClient): boolean
}

/** The server's work, as the console shows it. */
export interface ServerWork {
  readonly events: Pick<RequestEvents, 'on'>
  readonly owners: Owners
  /** Hides values of secrets in kept texts. */
  readonly secretMask: Mask
  readonly access: Pick<Access, 'may'>
  readonly admission: Pick<Admission, 'load'>
  readonly audit: Pick<Audit, 'record'>
}

/** Sessions with messages over HTTP, for a door with its own streams. */
export interface HttpSessions {
  readonly registry: SessionRegistry
  /** Refuses a POST unless it sends JSON and accepts an answer in JSON or as events. */
  readonly checkMedia: onRequestHookHandler
  findOwner(request: FastifyRequest): string | undefined
  /**
   * Opens a stream, and records that. The headers of the request are released.
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
