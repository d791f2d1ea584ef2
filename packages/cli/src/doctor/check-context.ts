// The findings of the doctor, and the context that all its checks share.
import type { JsonObject } from 'toolrack'
import type { HttpAnswer, Send } from './http.ts'
import type { WatchedStream } from './watched-stream.ts'

/** A kind of problem of a server. Each file of checks has its own, as rows. */
export interface Fault {
  /** Never changes: programs rely on it. */
  readonly id: string
  readonly severity: 'warning' | 'problem'
  /** Which clients fail because of it, and how. */
  readonly effect: string
  readonly fix: string
}

export interface Finding {
  readonly id: string
  readonly check: string
  readonly severity: 'ok' | Fault['severity']
  /** The observation. */
  readonly cause: string
  readonly effect?: string
  readonly fix?: string
}

export interface Session {
  readonly id: string | undefined
  readonly version: string
  readonly capabilities: JsonObject
}

/** The server, and the results of earlier checks. */
export interface CheckContext {
  /** The name of the check that runs. */
  check: string
  url: URL
  readonly send: Send
  readonly token: string | undefined
  /** Origin of a web page that will use the server. */
  readonly origin: string | undefined
  /** If missing, the server does not speak the newest era. */
  modern?: { readonly capabilities: JsonObject }
  session?: Session
  /** Whether it never answers `server/discover`. */
  isProbeSilent?: boolean
  /** Id of the handshake: a number, as clients send it, unless the server refuses that. */
  handshakeId: unknown
  /** A request that works in a session and changes nothing. */
  harmless: 'ping' | 'tools/list'
  /** Sessions that have not ended yet. */
  readonly sessions: Set<Session>
  /** The first answer. */
  first?: HttpAnswer
  /** A stream that stays open while the other checks run. */
  stream?: WatchedStream
  ok(seen: string): void
  report(fault: Fault, cause: string): void
  /** Reports a fault only the first time, since each answer may show it again. */
  reportOnce(fault: Fault, cause: string): void
}

export type Check = (context: CheckContext) => Promise<void>

/** Ends the checks, because all later ones could only fail. */
export class AbortChecks extends Error {}
