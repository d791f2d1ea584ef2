// A way of access: makes a caller of a credential. The guard asks the first way that owns it, and no
// other. Tokens are one, API keys another.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../request/exchange.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'

export interface AccessWay {
  /** What it takes, for documents, such as `API key`. */
  readonly credential: string
  /** The same in the start-up report, such as `API keys of keys.json`. */
  readonly description: string
  /** Why it cannot work as set up now: for `GET /ready`. */
  readonly problems: readonly string[]
  /** Whether it could verify a credential once; default: true. Until then `GET /ready` answers 503. */
  readonly isReady?: boolean
  /** Where clients get credentials now, by URL; default: nowhere. */
  readonly authorizationServers?: readonly string[]
  /** Scopes by their names at the authorization server, for clients that ask it; default: the same. */
  toClientScopes?(scopes: readonly string[]): readonly string[]
  owns(credential: string): boolean
  /** The caller, if it verified the credential a moment ago. @param authorization the whole header */
  find?(authorization: string): Caller | undefined
  /**
   * @returns the same object for each request, so that `hasEnded` knows it
   * @throws TokenError if it is refused; McpError (503) if that cannot be known now
   */
  verify(credential: string, request: FastifyRequest): MaybePromise<Caller>
  /** Whether a caller's credential was taken away, or has ended, since it was verified. */
  hasEnded(caller: object): boolean
  /** Reads again what it depends on. */
  reload(): MaybePromise<void>
  /** @param app the scope of the guard, for plugins of Fastify */
  start(app: FastifyInstance): MaybePromise<void>
  close(): void
}
