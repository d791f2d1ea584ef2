// One request being served: who asks, in which revision, how to notify and when to stop. Made by `open`, once.
import type { Cancellation } from './cancellation.ts'
import type { Headers } from './protocol/headers.ts'
import type { JsonObject, RequestId } from './protocol/messages.ts'
import type { Revision } from './protocol/revisions/index.ts'
import type { ClientCapabilities, LogLevel, RequestMeta } from './protocol/schemas/common.ts'

/** The verified identity behind a request; undefined where access control is off. */
export interface Caller {
  readonly subject: string
  readonly clientId?: string
  readonly scopes: readonly string[]
}

/** The part of a pino logger that is used below the routes. */
export interface Log {
  debug(fields: object, text: string): void
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
  /** Missing on loggers that log nothing. */
  isLevelEnabled?(level: string): boolean
}

/** Where notifications go. Opened by the first one, so that a quiet call stays a plain JSON answer. */
export interface Sink {
  /** False when the reader lags: wait for `onDrain`, or let newer news replace older. */
  send(json: string): boolean
  /** Called each time when a lagging reader has caught up. */
  onDrain(listener: () => void): void
  /** Takes the stream over, for longer than the request is being served. */
  hold(): HeldStream
}

/** A stream that outlives its exchange: whoever holds it ends it. */
export interface HeldStream extends Pick<Sink, 'send' | 'onDrain'> {
  /** The last message, then the end. */
  finish(json: string): void
}

export interface Exchange {
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject
  readonly meta: RequestMeta
  readonly revision: Revision
  readonly headers: Headers
  readonly capabilities: ClientCapabilities
  readonly caller: Caller | undefined
  /** Whose limits count: the subject, or the address where nobody is verified. */
  readonly clientKey: string
  /** Undefined where the client takes no stream. */
  readonly sink: Sink | undefined
  readonly logLevel: LogLevel | undefined
  readonly cancellation: Cancellation
  readonly requestId: string
  readonly log: Log
}
