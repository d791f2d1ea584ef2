// A conversation as doors see it: MCP over one channel of messages, such as stdin and stdout or a
// websocket. packages/stdio implements it. It is loaded only if the program brings doors.
import type { McpError } from '../protocol/errors.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import type { DoorRuntime, ServeRequest } from './serve-request.ts'
import type { SessionMessagesRuntime } from './session-messages.ts'

/** The other side, and how messages reach it. */
export interface ConversationFacts extends Pick<ServeRequest, 'caller' | 'clientKey' | 'headers'> {
  /** Sends one message. @returns false if the reader lags: call `onDrain` once it has caught up */
  send(json: string): boolean
  /** The bytes that were sent, and that the reader has not taken yet. */
  countUnsentBytes(): number
  /**
   * Cuts the connection, because the caller's token has ended or a slow reader takes the room of
   * others.
   * If missing, readers are not cut off.
   */
  disconnect?(): void
}

/** One channel of messages, as its door sees it. */
export interface Conversation {
  readonly isClosed: boolean
  /**
   * Takes a message of the client, or a batch. Never throws: a refusal is an answer.
   *
   * @returns a promise if the message has to wait, such as for a shared limit: do not read on until
   *   then
   */
  receive(message: Buffer | string): MaybePromise<void>
  /** Call once the reader has caught up, after `send` has returned false. */
  onDrain(): void
  /** The client sends nothing more, but still reads. @returns once all its messages are being served */
  endInput(): Promise<void>
  /** The client has left. Its requests are cancelled, and its session ends. */
  close(): Promise<void>
}

export interface ConversationRuntime extends DoorRuntime, SessionMessagesRuntime {
  readonly audit: SessionMessagesRuntime['audit'] & { readonly isOn: boolean }
  /** Whether the caller's credential was revoked before its end. */
  readonly hasEnded: (caller: object) => boolean
}

export interface ConversationParts extends ConversationFacts {
  readonly door: string
  readonly runtime: ConversationRuntime
  /** Counts a message against the client's limits. @returns the refusal, if any */
  count(): MaybePromise<McpError | undefined>
}

export type Converse = (parts: ConversationParts) => Conversation
