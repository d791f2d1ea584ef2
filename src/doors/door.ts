// A door: how requests come in and answers go out (`toolrack/door`). The server loops over its doors
// and knows none by name.
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

/** A way by which requests come in, beside MCP over HTTP. */
export interface Door {
  /** Writes to stdout, where the log of the server would be otherwise. */
  readonly takesStdout?: boolean
  /** Label of metrics, audit and log, such as `websocket`: lower case, at most 32 characters. */
  readonly name: string
  /**
   * Its paths, such as `/chat`; with a slash at the end all below it, such as `/chat/`. Then `MCP_PATH`
   * cannot be one of them, and errors there that no route answers have the form of the door.
   */
  readonly paths?: readonly string[]
  /** Those of its paths for which clients get tokens of their own: each has metadata of its own. RFC 9728. */
  readonly resources?: readonly string[]
  /**
   * Its rows of the start-up report; default: one that says that it is open.
   *
   * @param base the server's URL, without a slash at its end
   */
  describe?(base: string): readonly StartUpRow[]
  /**
   * Its form of errors: of refusals by the guards, of what its routes throw, and of what Fastify answers
   * at its paths before any route. Records of these then name the door. Default: JSON-RPC.
   */
  toErrorAnswer?(error: McpError, requestId: string): Answer
  /** The status that it answers with, for records; default: 200, or that of the error. */
  toStatus?(served: Served): number
  /** Whether a page of the door has sent a request of the endpoint: the audit has then its name. */
  hasSent?(headers: Headers): boolean
  /** Adds the routes of the door, in a scope of their own; also for a door without HTTP, to begin. */
  open(app: FastifyInstance, context: DoorContext): MaybePromise<void>
  /** Called once all connections are closed, before the stores close. */
  close?(): MaybePromise<void>
}

/** What a door gets of the server. */
export interface DoorContext {
  /** Finds, checks, runs and records a request. Never throws: an error is an answer. */
  serve(request: DoorRequest): Promise<Served>
  /**
   * Checks origin, load, token and rate, in this order; for `onRequest` of a route. A refusal has the
   * form of `toErrorAnswer`, unless the scope sets an error handler of its own.
   */
  readonly guards: readonly onRequestHookHandler[]
  /** The guards of a route that needs other checks than most. */
  createGuards(options: GuardOptions): readonly onRequestHookHandler[]
  /** Refuses requests while the server drains, before their bodies are read; for after the guards. */
  readonly refuseWhileDraining: onRequestHookHandler
  /**
   * Answers `OPTIONS` at a path, so that pages of allowed origins can send more than forms.
   *
   * @param findAllowed lists the methods there for the `Allow` header, such as `GET, HEAD`
   */
  answerOptions(app: FastifyInstance, path: string, findAllowed?: (request: FastifyRequest) => string): void
  /** Before the guards: a challenge then names the scopes of that tool, resource or prompt. */
  nameRequest(request: FastifyRequest, named: { readonly method: string; readonly name: string }): void
  /** Who sends a request that has passed the guards, and what the records have of it. */
  readFacts(request: FastifyRequest): RequestFacts
  /** Aborts once the client has left before its answer was sent. */
  watchClient(reply: FastifyReply): AbortSignal
  /**
   * Reads bodies of a media type, within the bounds of a request, of a client and of all; by default as
   * JSON with the bounds of the endpoint.
   */
  readBodies(app: FastifyInstance, body: BodyOptions): void
  /** Sends a body, or an answer with its status. What a slow reader leaves unread takes no room of others. */
  send(reply: FastifyReply, payload: Answer | string | Buffer): void
  /** Progress and log entries as an event stream, which opens at the first one. */
  openEvents(reply: FastifyReply): EventSink
  /** Calls the listener at the end of each request of the server, as `app.toolrack.on('ended', …)` does. */
  onEnded(listener: EndedListener): void
  /** JSON-RPC of every revision over one channel, with sessions, questions and subscriptions. */
  converse(facts: ConversationFacts): Conversation
  /** Path that a proxy, or `publicUrl`, puts before those of the server, such as `/shop`; or empty. */
  readonly pathPrefix: string
  /** The largest message that is read. */
  readonly maxBodyBytes: number
  readonly log: Log
  /** Aborts once the server closes and no request is under way: the door closes its connections. */
  readonly signal: AbortSignal
}

/** How the guards of a door run. */
export interface GuardOptions {
  /** Run after that of the origin, and before those that cost more. */
  readonly checks?: readonly onRequestHookHandler[]
  /** Without the token, such as for the files of a page. */
  readonly isPublic?: boolean
}

/** Which bodies a door reads. */
export interface BodyOptions {
  /** Its media type. */
  readonly type: string
  parse?(body: Buffer, request: FastifyRequest): unknown
}

/** What `serve` takes of a door. */
export type DoorRequest = Omit<ServeRequest, 'door'>

/** Who asks, as the guards have verified it. */
export type RequestFacts = Pick<
  DoorRequest,
  'caller' | 'clientKey' | 'headers' | 'httpVersion' | 'requestId' | 'requestBytes'
>

/** Events: `progress`, `log`, and the last one. */
export interface EventSink extends NotificationSink {
  /** Sends the last event and ends the stream. */
  finish(event: string, json: string): void
}

const isPaths = (paths: unknown): boolean =>
  paths === undefined || (Array.isArray(paths) && paths.every(path => String(path).startsWith('/')))

const NAME = /^[a-z][a-z0-9-]{0,31}$/

/** @throws ConfigError naming the option and what was expected */
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
