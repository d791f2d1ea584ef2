// What a handler is given beside its arguments. The interface only: the execution layer makes it.
import type { RequestId } from '../protocol/messages.ts'
import type { ClientCapabilities, LogLevel, RequestMeta } from '../protocol/schemas/common.ts'
import type { CreateMessageResult, ElicitResult, ListRootsResult } from '../protocol/schemas/results.ts'
import type { Caller } from '../request/exchange.ts'

export type ElicitParams =
  | {
      mode?: 'form'
      message: string
      requestedSchema: { type: 'object'; properties: Record<string, object>; required?: string[] }
    }
  | { mode: 'url'; message: string; url: string }

export interface SampleParams {
  messages: { role: 'user' | 'assistant'; content: object | object[] }[]
  maxTokens: number
  systemPrompt?: string
  [key: string]: unknown
}

/** `data` is any JSON value; with a second argument the first is its message. */
export type LogMethod = (message: unknown, data?: unknown) => void

/**
 * What a client can be asked, in every revision: code before such a question runs again with the
 * answer.
 */
export interface InputContext {
  /** Asks the user. The key names the question within this call. */
  elicit(key: string, params: ElicitParams): Promise<ElicitResult>
  /** Asks the client's model. */
  sample(key: string, params: SampleParams): Promise<CreateMessageResult>
  /** Asks which folders the client offers. */
  listRoots(key: string): Promise<ListRootsResult>
}

export interface ToolContext extends InputContext {
  /** Aborts when the client leaves or cancels, the deadline passes, or the server drains. */
  readonly signal: AbortSignal
  /** Undefined when anonymous. */
  readonly caller: Caller | undefined
  /** What the client has declared, such as `elicitation` where its user can be asked. */
  readonly capabilities: Readonly<ClientCapabilities>
  /** Free when nobody listens. `progress` must grow; what does not is dropped. */
  progress(progress: number, total?: number, message?: string): void
  /** To the server's log, and to the client that asked. */
  readonly log: Readonly<Record<LogLevel, LogMethod>>
  /**
   * Ends the connection while the call goes on, so that a client which waits long polls for the
   * rest. Does nothing in revisions other than 2025-11-25, whose clients cannot come back.
   */
  closeStream(): void
  readonly requestId: RequestId
  readonly revision: string
  /** In every revision with the keys of the newest. */
  readonly meta: Readonly<RequestMeta>
}
