// What the doctor finds, and what all its checks share.
import type { JsonObject } from '../../protocol/messages.ts'
import type { HttpAnswer, Send } from './http.ts'
import type { Session } from './mcp.ts'

export type Level = 'ok' | 'warning' | 'problem'

export interface Finding {
  readonly check: string
  readonly level: Level
  /** What was seen. */
  readonly seen: string
  readonly fix?: string
}

/** The server, and what the checks before have learned of it. */
export interface Patient {
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
  /** The first answer that was no error of the network. */
  first?: HttpAnswer
  ok(seen: string): void
  warn(seen: string, fix: string): void
  problem(seen: string, fix: string): void
}

export type Check = (patient: Patient) => Promise<void>

/** Ends the diagnosis: what comes after could only fail. */
export class StopDiagnosis extends Error {}
