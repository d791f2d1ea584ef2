// The findings of the doctor, and the context that all its checks share.
import type { JsonObject } from 'toolrack'
import type { HttpAnswer, Send } from './http.ts'
import type { WatchedStream } from './watched-stream.ts'

/** Something that can be wrong with a server. Each room of checks has its own, as rows. */
export interface Fault {
  /** Stable: machines go by it. */
  readonly id: string
  readonly severity: 'warning' | 'problem'
  /** Which clients fail by it, and how. */
  readonly effect: string
  readonly fix: string
}

export interface Finding {
  readonly id: string
  readonly check: string
  readonly severity: 'ok' | Fault['severity']
  /** What was seen. */
  readonly cause: string
  readonly effect?: string
  readonly fix?: string
}

export interface Session {
  readonly id: string | undefined
  readonly version: string
  readonly capabilities: JsonObject
}

/** The server, and what the checks before have learned of it. */
export interface CheckContext {
  /** The name of the check that runs. */
  check: string
  url: URL
  readonly send: Send
  readonly token: string | undefined
  /** Of a page in a browser that is to use the server. */
  readonly origin: string | undefined
  /** Without it the newest era is not spoken. */
  modern?: { readonly capabilities: JsonObject }
  session?: Session
  /** It leaves `server/discover` without an answer. */
  isProbeSilent?: boolean
  /** Of a handshake; a number, as clients send it, unless that is refused. */
  handshakeId: unknown
  /** A request that is served in a session and changes nothing. */
  harmless: 'ping' | 'tools/list'
  /** Those that are not ended yet. */
  readonly sessions: Set<Session>
  /** The first answer that came. */
  first?: HttpAnswer
  /** Held open while the other checks run. */
  stream?: WatchedStream
  ok(seen: string): void
  report(fault: Fault, cause: string): void
  /** What each answer may show again is reported the first time only. */
  reportOnce(fault: Fault, cause: string): void
}

export type Check = (context: CheckContext) => Promise<void>

/** Ends the checks: what comes after could only fail. */
export class AbortChecks extends Error {}
