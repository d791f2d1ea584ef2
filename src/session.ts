// A session: what its handshake settled and what its client has said since. Small, since most are never ended.
// Spec 2025-11-25: basic/transports, "Session Management".
import type { Eventually } from './chain.ts'
import type { Revision } from './protocol/revisions/index.ts'
import type { ClientCapabilities, LogLevel } from './protocol/schemas/common.ts'

/** How often each list has changed; compared, so that a client can be told what it missed. */
export interface ListVersions {
  readonly tools: number
  readonly prompts: number
  readonly resources: number
}

export interface Session {
  /** 192 random bits. */
  readonly id: string
  readonly revision: Revision
  /** Whose it is: issuer and subject; undefined where nobody is verified. */
  readonly owner: string | undefined
  readonly capabilities: ClientCapabilities
  /** The least level that the client wants to see; undefined: none. */
  logLevel: LogLevel | undefined
  /** The resources that it watches, and whether a change of each still has to be told. */
  subscriptions: Map<string, boolean> | undefined
  /** What the client knows of the lists. */
  seen: ListVersions
}

/** What a client may change of its session by a request. */
export interface SessionControl {
  readonly id: string
  setLogLevel(level: LogLevel): Eventually<void>
  /** @throws McpError BUSY past the bound */
  subscribe(uri: string): Eventually<void>
  unsubscribe(uri: string): Eventually<void>
}
