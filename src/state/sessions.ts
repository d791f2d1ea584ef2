// The interface of the session store. A session holds what the handshake agreed and what the client has
// set since.
// Sessions are small, bounded in number, and expire if no client uses them.
// Spec 2025-11-25: basic/transports, "Session Management".
import { randomUUID } from 'node:crypto'
import { McpError } from '../protocol/errors.ts'
import type { Revision } from '../protocol/revisions/index.ts'
import type { ClientCapabilities, LogLevel } from '../protocol/schemas/common.ts'
import { jitterRetryAfter } from '../request/answer.ts'
import type { MaybePromise } from '../request/maybe-promise.ts'
import type { Store } from './store.ts'

/** How often each list has changed; a comparison shows which notifications a client missed. */
export interface ListVersions {
  readonly tools: number
  readonly prompts: number
  readonly resources: number
}

/**
 * List versions that no client has seen.
 * For a client that may not know the current lists.
 */
export const NEVER_SEEN: ListVersions = Object.freeze({ tools: -1, prompts: -1, resources: -1 })

/** A session of a client that opened with `initialize`. */
export interface Session {
  /** A UUID of 122 random bits, or a sealed ticket (src/legacy/session-tickets.ts). */
  readonly id: string
  readonly revision: Revision
  /** Issuer and subject of the caller who opened it; undefined if callers are not verified. */
  readonly owner: string | undefined
  readonly capabilities: ClientCapabilities
  /** The lowest level that the client wants to receive; undefined: none. */
  logLevel: LogLevel | undefined
  /** URI of each subscribed resource, and whether a notification of a change is still to be sent. */
  subscriptions: Map<string, boolean> | undefined
  /** The versions of the lists that the client knows. */
  seen: ListVersions
}

/** The values that a new session starts with. */
export type NewSession = Pick<Session, 'revision' | 'owner' | 'capabilities' | 'seen'> & {
  /** Must be hard to guess; undefined: `open` makes one by `createSessionId`. */
  readonly id?: string | undefined
}

/**
 * Makes a random id of a session.
 * Node keeps random bits ready for it; other sources need a system call each time.
 */
export const createSessionId = (): string => randomUUID()

/** Largest number of sessions of one process; past it, the least recently used is evicted. */
export const MAX_SESSIONS = 100_000

/** Busy sessions that an eviction passes over before it gives up. */
export const MAX_EVICTION_SCAN = 1000

/** The error of a store that is full of busy sessions. */
export const tooManySessions = (): McpError =>
  new McpError('BUSY', 'too many sessions are active; retry later', { retryAfterS: jitterRetryAfter(30) })

/** How many sessions are kept, and for how long. */
export interface SessionBounds {
  /** TTL of an unused session, ms. Default: the value that the server gives at the start. */
  readonly ttlMs?: number
  readonly maxSessions?: number
}

/** Keeps sessions. */
export interface SessionStore extends Store {
  /** The largest number of sessions that is kept; undefined if it is not known. */
  readonly maxSessions?: number
  /** @throws McpError BUSY (503) if the store is full and every session it could evict is busy */
  open(opening: NewSession): MaybePromise<Session>
  /** Reads a session and renews its TTL; undefined if it is unknown, ended or expired. */
  find(id: string): MaybePromise<Session | undefined>
  /** Reads the session without renewing its TTL. */
  peek(id: string): MaybePromise<Session | undefined>
  /** Reports if the session exists, without renewing its TTL. */
  has(id: string): MaybePromise<boolean>
  /** Stores what changed in the session. */
  save(session: Session): MaybePromise<void>
  end(id: string): MaybePromise<void>
  /** Calls `listener` with each session that expires or is evicted, if the store knows of it. */
  onExpired?(listener: (session: Session) => void): void
  /** Sets which sessions are busy here, and so are not evicted for new ones. */
  protectFromEviction?(isBusy: (id: string) => boolean): void
  /** Counts the sessions, for metrics. Called every few seconds. */
  count?(): MaybePromise<number>
}
