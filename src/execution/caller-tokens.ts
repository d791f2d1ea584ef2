// Tokens of other services on behalf of callers, for `ctx.caller.tokenFor`: what a call needs of them.
import { ToolError } from '../registry/content.ts'
import type { Caller, Exchange } from '../request/exchange.ts'

/** What of an exchange is needed here. */
export type Asking = Pick<Exchange, 'caller' | 'owner' | 'requestId' | 'taskId' | 'cancellation' | 'timed' | 'log'>

export interface CallerTokens {
  /** Undefined if none is kept. */
  readonly subjectTokens: SubjectTokens | undefined
  /** @throws ToolError, whose text the model reads; TypeError if the request is wrong */
  tokenFor(asking: Asking, request: unknown): Promise<string>
  close(): void
}

/** The tokens with which callers came. */
export interface SubjectTokens {
  remember(caller: Caller, token: string): void
  /** Keeps the token for the run of a task in this process, until the token expires. */
  keepForTask(taskId: string, caller: Caller | undefined): void
  forgetTask(taskId: string): void
}

/** Of a server that is not set up for it. */
export const noCallerTokens: CallerTokens = Object.freeze({
  subjectTokens: undefined,
  async tokenFor() {
    throw new ToolError(
      'This server gets no tokens for other services: TOKEN_EXCHANGE_CLIENT_ID and TOKEN_EXCHANGE_CLIENT_SECRET are not set',
    )
  },
  close() {},
})

/** `cached`: the token was there already, so nobody was asked. */
export type ExchangeOutcome = 'ok' | 'refused' | 'failed' | 'cached'
