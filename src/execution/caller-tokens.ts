// Gets tokens of other services on behalf of callers, for `ctx.caller.tokenFor`.
import { ToolError } from '../registry/content.ts'
import type { Caller, Exchange } from '../request/exchange.ts'

/** The parts of an exchange that this needs. */
export type Asking = Pick<Exchange, 'caller' | 'owner' | 'requestId' | 'taskId' | 'cancellation' | 'timed' | 'log'>

export interface CallerTokens {
  /** Undefined if no tokens are kept. */
  readonly subjectTokens: SubjectTokens | undefined
  /** @throws ToolError, whose text the model reads; TypeError if the request is invalid */
  tokenFor(asking: Asking, request: unknown): Promise<string>
  close(): void
}

/** The tokens that callers have sent. */
export interface SubjectTokens {
  remember(caller: Caller, token: string): void
  /** Keeps the token for the run of a task in this process, until the token expires. */
  keepForTask(taskId: string, caller: Caller | undefined): void
  forgetTask(taskId: string): void
}

/** For a server without token exchange. */
export const noCallerTokens: CallerTokens = Object.freeze({
  subjectTokens: undefined,
  async tokenFor() {
    throw new ToolError(
      'This server gets no tokens for other services: TOKEN_EXCHANGE_CLIENT_ID and TOKEN_EXCHANGE_CLIENT_SECRET are not set',
    )
  },
  close() {},
})

/** `cached`: a token was kept, so no server was asked. */
export type ExchangeOutcome = 'ok' | 'refused' | 'failed' | 'cached'
