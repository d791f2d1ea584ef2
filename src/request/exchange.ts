// The types of one request in service: caller, revision, notifications, cancellation.
import type { Headers } from '../protocol/headers.ts'
import type { JsonObject, RequestId } from '../protocol/messages.ts'
import type { ClientRequest, Revision } from '../protocol/revisions/index.ts'
import type { ClientCapabilities, LogLevel, RequestMeta } from '../protocol/schemas/common.ts'
import type { Cancellation } from './cancellation.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** The verified identity of a client; undefined without access control. */
export interface Caller {
  /** Equal subjects of two issuers are two callers. */
  readonly issuer?: string | undefined
  readonly subject: string
  readonly clientId?: string | undefined
  readonly scopes: readonly string[]
  /** The claims that the operator selected, such as the tenant. */
  readonly claims?: Readonly<JsonObject> | undefined
  /** Unix time, ms, when the token and the caller's streams end; undefined: never. */
  readonly expiresAtMs?: number | undefined
}

/** The log of the server; that part of a pino logger which code below the routes uses. */
export interface Log {
  debug(fields: object, text: string): void
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
  child?(fields: object): Log
  isLevelEnabled?(level: string): boolean
}

/** Receives notifications. The first one opens the stream; without it, plain JSON is sent. */
export interface NotificationSink {
  /** False if the reader lags: wait for `onDrain`, or let newer messages replace older ones. */
  send(json: string): boolean
  /** Called each time a lagging reader has caught up. */
  onDrain(listener: () => void): void
  /** Keeps the stream open after the response. */
  detach(): DetachedStream
  /**
   * Opens the stream if the client names SSE, so that proxies keep waiting. Missing if it is always
   * open.
   */
  keepAlive?(): void
  /** Whether the stream is open. Then the HTTP status is 200, however the request ends. */
  readonly isOpen?: boolean
  /** The client has disconnected, but may come back. */
  readonly isDisconnected?: boolean
  /** Ends the connection, not the stream; later events are stored. Missing without resumption. */
  disconnect?(): void
}

/** A stream that outlives its exchange; its owner ends it. */
export interface DetachedStream extends Pick<NotificationSink, 'send' | 'onDrain'> {
  /** Sends the last message and ends the stream. */
  finish(json: string): void
  /** Called at the token's expiry; the listener may send a last message and ends the stream. */
  onExpiry(listener: () => void): void
}

/** Asks the client. Answers have the keys of their questions. An abort withdraws the questions. */
export interface Ask {
  (questions: Readonly<Record<string, ClientRequest>>, signal?: AbortSignal): Promise<JsonObject>
  /** How long the client has taken to answer, ms. */
  waitedMs?: number
}

/** A stream event and the id after which the stream can resume, if it can. */
export interface StreamEvent {
  readonly id: string | undefined
  readonly json: string
}

/** One connection of an event stream. */
export interface SseConnection {
  readonly caller: Caller | undefined
  readonly isClosed: boolean
  send(json: string, id?: string): boolean
  /** Sends several events at once, without a bound on their size. */
  sendAll(events: readonly StreamEvent[]): boolean
  /** Sends an empty event with the id to resume from and the time to wait. */
  prime(id: string, retryMs: number): void
  /** Sends a comment, which clients ignore. */
  keepAlive(): void
  onDrain(listener: () => void): void
  end(): void
}

export interface ProgressListener {
  report(progress: number, total?: number, message?: string): void
  /** Sends the last report that was held back, and nothing after it. */
  close(): void
}

export interface SessionControl {
  readonly id: string
  setLogLevel(level: LogLevel): MaybePromise<void>
  /** @throws McpError BUSY past the bound */
  subscribe(uri: string): MaybePromise<void>
  unsubscribe(uri: string): MaybePromise<void>
}

export interface Exchange {
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject
  readonly meta: RequestMeta
  readonly revision: Revision
  readonly headers: Headers
  /** '1.1' or '2.0'; undefined without a connection. */
  readonly httpVersion?: string | undefined
  readonly capabilities: ClientCapabilities
  readonly caller: Caller | undefined
  /** The owner of its state, by `Owners`; undefined without a caller. */
  readonly owner: string | undefined
  /** The key for limits: the owner, or the address of an unverified client. */
  readonly clientKey: string
  /** Undefined if the client accepts no stream. */
  readonly sink: NotificationSink | undefined
  readonly logLevel: LogLevel | undefined
  /** Takes log entries without a sink, in the form of `notifications/message`. */
  readonly onLog?: ((entry: JsonObject) => void) | undefined
  readonly session: SessionControl | undefined
  /** Set if a task makes the call. */
  readonly taskId?: string | undefined
  /** The client wants a task at once if the tool can be one. RFC 7240, 4.1. */
  readonly prefersAsync?: boolean | undefined
  /** Undefined if the client has to repeat its request with the results. */
  readonly ask: Ask | undefined
  readonly progress?: ProgressListener | undefined
  readonly cancellation: Cancellation
  /** Called when the process of an isolated tool begins the handler. */
  readonly onBegun?: (() => void) | undefined
  /** Measures the time of a step; undefined if nothing records it. */
  readonly timed?: (<T>(step: string, work: () => T) => T) | undefined
  /** The parent span (W3C Trace Context); undefined without tracing. */
  readonly traceparent?: string | undefined
  readonly requestId: string
  /** The door of the request, such as `plain-http`; undefined for MCP over HTTP. */
  readonly door?: string | undefined
  /**
   * Whether its client does not speak MCP. Then the revision is that of the door, and is not
   * recorded.
   */
  readonly isForeign?: boolean | undefined
  /** The size of the request's JSON; undefined if unknown. */
  readonly requestBytes?: number | undefined
  readonly log: Log
}
