// The context of a handler: everything that it gets besides its arguments. src/execution implements it.
import type { RequestId } from '../protocol/messages.ts'
import type { ClientCapabilities, LogLevel, RequestMeta } from '../protocol/schemas/common.ts'
import type { CreateMessageResult, ListRootsResult } from '../protocol/schemas/results.ts'
import type { Caller } from '../request/exchange.ts'
import type { CallState } from './call-state.ts'
import type { ElicitAnswer, FormParams, FormSchema, UrlParams } from './form-types.ts'

/** A request to the model of the client. */
export interface SampleParams {
  messages: { role: 'user' | 'assistant'; content: object | object[] }[]
  maxTokens: number
  systemPrompt?: string
  [key: string]: unknown
}

/**
 * Writes a log entry.
 * With two arguments, the first is the message of the second. Errors are written as `name`, `message`,
 * `code`, `cause` and `errors`; other values as `json` writes them. Values that `json` refuses
 * become text.
 */
export type LogMethod = (message: unknown, data?: unknown) => void

/** Questions to the client. The handler runs again with the answer: code before it runs twice. */
export interface InputContext {
  /** Asks the user. The key identifies the question within this call. */
  elicit<const S extends FormSchema = never>(key: string, params: FormParams<S> | UrlParams): Promise<ElicitAnswer<S>>
  sample(key: string, params: SampleParams): Promise<CreateMessageResult>
  /** Lists the folders that the client offers. */
  listRoots(key: string): Promise<ListRootsResult>
  /**
   * Computes a value once in a call: later rounds get the same value. It is sealed with the answers.
   * It must be JSON; a call with its hooks keeps at most 32 values, and 64 KiB.
   *
   * @param name of 1 to 128 characters; the same name is the same value
   * @throws TypeError if the value is not JSON; RangeError past a bound; what `compute` throws
   */
  keep<T>(name: string, compute: () => T | Promise<T>): Promise<T>
}

/** The purpose of a token. One member is enough, if the authorization server knows the rest. */
export interface TokenRequest {
  /** The service, as the authorization server names it. */
  readonly audience?: string | undefined
  /** The URL of the service (RFC 8707). */
  readonly resource?: string | undefined
  /** Separated by spaces, or a list. */
  readonly scope?: string | readonly string[] | undefined
}

/** The caller, as handlers and hooks see it. */
export interface ToolCaller extends Caller {
  /**
   * Gets an access token with which a tool calls another service on behalf of its caller (RFC
   * 8693). It may return a token that this caller got before. Do not return the token to the caller,
   * and do not log it.
   *
   * @throws ToolError if the caller has no token to exchange, or the authorization server refuses
   */
  tokenFor(request: TokenRequest): Promise<string>
}

/** The client of a request, as rules see it. */
export interface ToolClient {
  /** The declared capabilities, such as `elicitation`; empty until it has declared anything. */
  readonly capabilities: Readonly<ClientCapabilities>
}

/** Used before a client has declared anything. */
export const UNKNOWN_CLIENT: ToolClient = Object.freeze({ capabilities: Object.freeze({}) })

/** Replaces an authorization server in a test. */
export type TokenDouble = (request: TokenDoubleRequest) => string | Promise<string>

/** A request for a token, as a test gets it. */
export interface TokenDoubleRequest {
  readonly audience: string | undefined
  readonly resource: string | undefined
  readonly scope: string | undefined
  readonly caller: Caller
}

/** The context of a tool's handler, `ctx`. */
export interface ToolContext extends InputContext {
  /**
   * Resolves once the user has agreed. Asks by the client if it can. Else it refuses the call, which
   * counts when it is repeated with the `confirmation` of the refusal.
   *
   * @param message the question, such as `Cancel order 1?`
   * @throws ToolError if the user does not agree
   */
  confirm(message: string): Promise<void>
  /** Aborts when the client leaves or cancels, the deadline passes, or the server drains. */
  readonly signal: AbortSignal
  /** Undefined if anonymous. */
  readonly caller: ToolCaller | undefined
  /**
   * What hooks leave for the handler, such as the user that they have looked up. Each run begins with
   * an empty object. An isolated tool gets a copy, so the values must be JSON.
   */
  readonly state: CallState
  /** The declared capabilities, such as `elicitation` if the user can be asked. */
  readonly capabilities: Readonly<ClientCapabilities>
  /** Costs nothing if nobody listens. `progress` must increase; other values are dropped. */
  progress(progress: number, total?: number, message?: string): void
  /** Writes to the server's log, and to the client if it requested logs. */
  readonly log: Readonly<Record<LogLevel, LogMethod>>
  /**
   * Ends the connection while the call continues, so that the client polls for the result.
   * Does nothing in revisions other than 2025-11-25, whose clients cannot reconnect.
   */
  closeStream(): void
  readonly requestId: RequestId
  readonly revision: string
  /** With the keys of the newest revision. */
  readonly meta: Readonly<RequestMeta>
}
