// A door: how requests come in and answers go out (`toolrack/door`). The server loops over its doors
// and knows none by name.
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { ConfigError } from '../config/settings.ts'
import type { StartUpRow } from '../observability/banner.ts'
import type { EndedListener } from '../observability/ended-request.ts'
import type { McpError } from '../protocol/errors.ts'
import type { Headers } from '../protocol/headers.ts'
import type { Answer } from '../request/answer.ts'
import type { Log, NotificationSink } from '../request/exchange.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import type { Served } from '../request/served.ts'
import type { Conversation, ConversationFacts } from './conversation.ts'
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
  /** An error at one of its paths that Fastify answers before any route; default: JSON-RPC. */
  toErrorAnswer?(error: McpError, requestId: string): Answer
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
   * Checks origin, load, token and rate, in this order; for `onRequest` of a route. A refusal is
   * answered by the error handler of the scope, which writes JSON-RPC unless the door sets its own.
   */
  readonly guards: readonly onRequestHookHandler[]
  /** Who sends a request that has passed the guards, and what the records have of it. */
  readFacts(request: FastifyRequest): RequestFacts
  /** Aborts once the client has left before its answer was sent. */
  watchClient(reply: FastifyReply): AbortSignal
  /**
   * Reads bodies of a media type, within the bounds of a request, of a client and of all; by default as
   * JSON with the bounds of the endpoint.
   */
  readBodies(app: FastifyInstance, body: { readonly type: string; parse?(body: Buffer): unknown }): void
  /** Progress and log entries as an event stream, which opens at the first one. */
  openEvents(reply: FastifyReply): EventSink
  /** Calls the listener at the end of each request of the server, as `app.toolrack.on('ended', …)` does. */
  onEnded(listener: EndedListener): void
  /** JSON-RPC of every revision over one channel, with sessions, questions and subscriptions. */
  converse(facts: ConversationFacts): Conversation
  /** The largest message that is read. */
  readonly maxBodyBytes: number
  readonly log: Log
  /** Aborts once the server closes and no request is under way: the door closes its connections. */
  readonly signal: AbortSignal
}

/** What `serve` takes of a door. */
export type DoorRequest = Omit<ServeRequest, 'door'>

/** Who asks, as the guards have verified it. */
export type RequestFacts = Pick<DoorRequest, 'caller' | 'clientKey' | 'headers' | 'requestId' | 'requestBytes'>

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
