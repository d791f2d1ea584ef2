// A way of access beside tokens: makes a caller of a credential. The guard asks the way that owns a
// credential, and no other; what nobody owns is a token.
import type { Caller } from '../request/exchange.ts'

export interface AccessWay {
  /** What it takes, for documents, such as `API key`. */
  readonly credential: string
  /** The same in the start-up report, such as `API keys of keys.json`. */
  readonly description: string
  /** What is wrong now: for `GET /ready`. */
  readonly problems: readonly string[]
  owns(credential: string): boolean
  /**
   * @returns the same object for each request, so that `hasEnded` knows it
   * @throws TokenError if it is refused; McpError (503) if that cannot be known now
   */
  verify(credential: string): Caller
  /** Whether a caller's credential was taken away, or has ended, since it was verified. */
  hasEnded(caller: object): boolean
  /** Reads again what it depends on. */
  reload(): void
  start(): void
  close(): void
}
