// One request being served: who asks, in which revision, how to notify and when to stop. Made by `open`, once.
import type { Headers } from '../protocol/headers.ts'
import type { JsonObject, RequestId } from '../protocol/messages.ts'
import type { ClientRequest, Revision } from '../protocol/revisions/index.ts'
import type { ClientCapabilities, LogLevel, RequestMeta } from '../protocol/schemas/common.ts'
import type { Cancellation } from './cancellation.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** The verified identity behind a request; undefined where access control is off. */
export interface Caller {
  /** Who says so; subjects of two issuers are two. */
  readonly issuer?: string | undefined
  readonly subject: string
  readonly clientId?: string | undefined
  readonly scopes: readonly string[]
  /** Unix time in ms when the token ends, and with it the streams that were opened by it; undefined: never. */
  readonly expiresAtMs?: number | undefined
}

/** The part of a pino logger that is used below the routes. */
export interface Log {
  debug(fields: object, text: string): void
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
  /** The same, with more fields in each line. */
  child?(fields: object): Log
  /** Missing on loggers that log nothing. */
  isLevelEnabled?(level: string): boolean
}

/** Where notifications go. Opened by the first one, so that a quiet call stays a plain JSON answer. */
export interface NotificationSink {
  /** False when the reader lags: wait for `onDrain`, or let newer news replace older. */
  send(json: string): boolean
  /** Called each time when a lagging reader has caught up. */
  onDrain(listener: () => void): void
  /** Takes the stream over, for longer than the request is being served. */
  detach(): DetachedStream
  /** Somebody read it and nobody does now, though somebody may again. */
  readonly isDisconnected?: boolean
  /** Ends the connection, not the stream: what follows is kept for the client's return. Missing where it cannot return. */
  disconnect?(): void
}

/** A stream that outlives its exchange: whoever holds it ends it. */
export interface DetachedStream extends Pick<NotificationSink, 'send' | 'onDrain'> {
  /** The last message, then the end. */
  finish(json: string): void
  /** Called in place of the end when the caller's token ends: there may be a last word. */
  onExpiry(listener: () => void): void
}

/**
 * Asks the client. Questions and answers have the same keys; an answer is what the client returned,
 * or a `Refused`. An abort withdraws the questions.
 */
export interface Ask {
  (questions: Readonly<Record<string, ClientRequest>>, signal?: AbortSignal): Promise<JsonObject>
  /** How long the client has taken to answer, ms. */
  waitedMs?: number
}

/** One event of a stream, and the id from which the stream can be resumed behind it, where it can. */
export interface StreamEvent {
  readonly id: string | undefined
  readonly json: string
}

/** An open event stream, one connection long. */
export interface SseConnection {
  /** Who reads. */
  readonly caller: Caller | undefined
  readonly isClosed: boolean
  /** False when the reader lags. */
  send(json: string, id?: string): boolean
  /** Several at once, however long they are together. */
  sendAll(events: readonly StreamEvent[]): boolean
  /** An empty event: where to resume from, and after how long. */
  prime(id: string, retryMs: number): void
  onDrain(listener: () => void): void
  end(): void
}

/** Who hears how far a call has come. */
export interface ProgressListener {
  report(progress: number, total?: number, message?: string): void
  /** Tells the last that was held back, then nothing more. */
  close(): void
}

/** What a client may change of its session by a request. */
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
  /** Of the connection: '1.1' or '2.0'; undefined where there is none any more. */
  readonly httpVersion?: string | undefined
  readonly capabilities: ClientCapabilities
  readonly caller: Caller | undefined
  /** Whose limits count: the subject, or the address where nobody is verified. */
  readonly clientKey: string
  /** Undefined where the client takes no stream. */
  readonly sink: NotificationSink | undefined
  readonly logLevel: LogLevel | undefined
  /** The session that it belongs to; undefined in the stateless revisions. */
  readonly session: SessionControl | undefined
  /** Asks the client while the request waits; undefined where the client has to repeat its request with the answers. */
  readonly ask: Ask | undefined
  /** In place of notifications to the client. */
  readonly progress?: ProgressListener | undefined
  readonly cancellation: Cancellation
  /** Notes how long a step takes; undefined where nobody wants to know. */
  readonly timed?: (<T>(step: string, work: () => T) => T) | undefined
  /** The span that what it starts belongs to (W3C Trace Context); undefined where nothing is traced. */
  readonly traceparent?: string | undefined
  readonly requestId: string
  /** As it came, in JSON; undefined where it was not counted. */
  readonly requestBytes?: number | undefined
  readonly log: Log
}

// Each request needs it several times.
const ownerNames = new WeakMap<Caller, string>()

/** Issuer and subject; undefined where nobody is verified. */
export function getOwner(caller: Caller | undefined): string | undefined {
  if (caller === undefined) return undefined
  let name = ownerNames.get(caller)
  if (name === undefined) ownerNames.set(caller, (name = JSON.stringify([caller.issuer ?? null, caller.subject])))
  return name
}
