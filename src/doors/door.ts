// A door: how requests come in and answers go out (`toolrack/door`). The server loops over its doors
// and knows none of them by name.
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { ConfigError } from '../config/settings.ts'
import type { EndedListener } from '../observability/ended-request.ts'
import type { StartUpRow } from '../observability/start-up.ts'
import type { McpError } from '../protocol/errors.ts'
import type { Headers } from '../protocol/headers.ts'
import type { Answer } from '../request/answer.ts'
import type { Log, NotificationSink } from '../request/exchange.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import type { Served } from '../request/served.ts'
import type { Conversation, ConversationFacts } from './converse.ts'
import type { ServeRequest } from './serve-request.ts'

/** A way in for requests, in addition to MCP over HTTP. */
export interface Door {
  /** Writes to stdout, so the server's log cannot go there. */
  readonly takesStdout?: boolean
  /** Label of metrics, audit and log, such as `websocket`: lower case, at most 32 characters. */
  readonly name: string
  /**
   * Its paths, such as `/chat`. A path that ends with a slash, such as `/chat/`, stands for all
   * below it.
   * `MCP_PATH` must not be one of them. Errors of these paths have the form of the door.
   */
  readonly paths?: readonly string[]
  /** Those of its paths that need their own tokens. Each has its own metadata. RFC 9728. */
  readonly resources?: readonly string[]
  /**
   * Its rows of the start-up report; default: one row that says that it is open.
   *
   * @param base the server's URL, without a slash at its end
   */
  describe?(base: string): readonly StartUpRow[]
  /**
   * Its form of errors: for refusals by the guards, errors of its routes, and Fastify's answers at its
   * paths. Records of these then name the door. Default: JSON-RPC.
   */
  toErrorAnswer?(error: McpError, requestId: string): Answer
  /** The HTTP status of its answer, for records; default: 200, or the status of the error. */
  toStatus?(served: Served): number
  /** Whether a page of the door has sent a request to the endpoint. The audit then names the door. */
  hasSent?(headers: Headers): boolean
  /** Adds the routes of the door, in a separate scope. A door without HTTP begins its work here. */
  open(app: FastifyInstance, context: DoorContext): MaybePromise<void>
  /** Called once all connections are closed, before the stores close. */
  close?(): MaybePromise<void>
}

/** The parts of the server that a door gets. */
export interface DoorContext {
  /** Finds, checks, runs and records a request. Never throws: an error is an answer. */
  serve(request: DoorRequest): Promise<Served>
  /**
   * Checks origin, load, token and rate, in this order; for `onRequest` of a route. A refusal has the
   * form of `toErrorAnswer`, unless the scope sets an error handler of its own.
   */
  readonly guards: readonly onRequestHookHandler[]
  /** Creates the guards of a route that needs other checks than most. */
  createGuards(options: GuardOptions): readonly onRequestHookHandler[]
  /**
   * Refuses requests while the server drains, before it reads their bodies. Use it after the guards.
   */
  readonly refuseWhileDraining: onRequestHookHandler
  /**
   * Answers `OPTIONS` at a path, so that pages of allowed origins can send more than plain forms.
   *
   * @param findAllowed lists the allowed methods for the `Allow` header, such as `GET, HEAD`
   */
  answerOptions(app: FastifyInstance, path: string, findAllowed?: (request: FastifyRequest) => string): void
  /** Call it before the guards: a challenge then names the scopes of that tool, resource or prompt. */
  nameRequest(request: FastifyRequest, named: { readonly method: string; readonly name: string }): void
  /** The sender of a request that has passed the guards, and its facts for records. */
  readFacts(request: FastifyRequest): RequestFacts
  /** Aborts once the client has left before its answer was sent. */
  watchClient(reply: FastifyReply): AbortSignal
  /**
   * Reads bodies of a media type, within the bounds per request, per client and in total. By default it
   * parses JSON with the bounds of the endpoint.
   */
  readBodies(app: FastifyInstance, body: BodyOptions): void
  /**
   * Sends a body, or an answer with its status. Unread bytes of a slow reader take no room of
   * others.
   */
  send(reply: FastifyReply, payload: Answer | string | Buffer): void
  /** Sends progress and log entries as an event stream, which opens at the first one. */
  openEvents(reply: FastifyReply): EventSink
  /** Calls the listener at the end of each request of the server, as `app.toolrack.on('ended', …)` does. */
  onEnded(listener: EndedListener): void
  /** JSON-RPC of every revision over one channel, with sessions, questions and subscriptions. */
  converse(facts: ConversationFacts): Conversation
  /**
   * The part of paths that a proxy, or `publicUrl`, puts before those of the server, such as
   * `/shop`; or empty.
   */
  readonly pathPrefix: string
  /** The largest message that the server reads. */
  readonly maxBodyBytes: number
  readonly log: Log
  /**
   * Aborts once the server closes and all requests have ended. The door then closes its connections.
   */
  readonly signal: AbortSignal
}

/** How the guards of a door run. */
export interface GuardOptions {
  /** Checks that run after that of the origin, and before the expensive ones. */
  readonly checks?: readonly onRequestHookHandler[]
  /** Whether no token is needed, such as for the files of a page. */
  readonly isPublic?: boolean
}

/** The bodies that a door reads. */
export interface BodyOptions {
  /** The media type of the body. */
  readonly type: string
  parse?(body: Buffer, request: FastifyRequest): unknown
}

/** The argument of `serve`. */
export type DoorRequest = Omit<ServeRequest, 'door'>

/** The sender of a request, as the guards have verified it. */
export type RequestFacts = Pick<
  DoorRequest,
  'caller' | 'clientKey' | 'headers' | 'httpVersion' | 'requestId' | 'requestBytes'
>

/** A stream of the events `progress` and `log`, and a last event. */
export interface EventSink extends NotificationSink {
  /** Sends the last event and ends the stream. */
  finish(event: string, json: string): void
}

const isPaths = (paths: unknown): boolean =>
  paths === undefined || (Array.isArray(paths) && paths.every(path => String(path).startsWith('/')))

const NAME = /^[a-z][a-z0-9-]{0,31}$/

/** @throws ConfigError naming the option and the expected value */
export function assertDoors(doors: unknown): void {
  if (doors === undefined) return
  if (!Array.isArray(doors)) throw new ConfigError('doors: expected an array of doors')
  for (const door of doors as readonly Partial<Door>[]) {
    if (typeof door?.open !== 'function') throw new ConfigError('doors: expected doors with an open function')
    if (typeof door.name !== 'string' || !NAME.test(door.name))
      throw new ConfigError(`doors: expected a name such as websocket, not ${JSON.stringify(door.name)}`)
    if (!isPaths(door.paths) || !isPaths(door.resources))
      throw new ConfigError(`doors: expected paths of ${door.name} such as /chat`)
  }
}
