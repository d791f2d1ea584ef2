// What was refused, and what the operator can do about it. Of each reason one line in a while is a warning, with how many
// there were since the last; under a flood the rest is only for who looks closely.
import type { Log } from './exchange.ts'
import type { ErrorName } from './protocol/errors.ts'
import { Silences } from './silence.ts'

export const HINTS: Readonly<Partial<Record<ErrorName, string>>> = {
  UNAUTHENTICATED: 'the token was missing or is not for this server: JWT_AUDIENCE, JWT_ISSUER, docs/access.md',
  INSUFFICIENT_SCOPE: 'the token lacks a scope of the tool: grant it, or see SCOPES_SUPPORTED and SCOPE_HIERARCHY',
  FORBIDDEN_ORIGIN: 'a page of another origin called: add it to ALLOWED_ORIGINS if it is yours',
  FORBIDDEN_HOST: 'the server was called by a name it does not know: set PUBLIC_URL, or add it to ALLOWED_HOSTS',
  SESSION_NOT_FOUND:
    'the session has expired, or is of another process: its client begins anew; replicas need REDIS_URL',
  BODY_TOO_LARGE: 'raise MAX_BODY_BYTES if such bodies are wanted',
  RATE_LIMITED: 'a client asks more often than RATE_LIMIT_MAX in RATE_LIMIT_WINDOW; behind a proxy set TRUST_PROXY',
  BUSY: 'the process is full: raise MAX_CONCURRENT_CALLS and MAX_QUEUED_CALLS, or add a replica; of new tokens: docs/access.md',
  STATE_UNAVAILABLE: 'Redis does not answer: look at it and at REDIS_URL; calls without state go on',
  DRAINING: 'the server is going down: its proxy should send requests elsewhere once GET /ready is 503',
}
export const OTHERWISE = 'the client sent what the protocol does not allow; its maker has to look'

/** What tells the lines of one request. */
export interface Marks {
  readonly requestId: string
  readonly traceId?: string | undefined
}

export class RefusalLog {
  readonly #log: Log
  readonly #quietLevel: 'debug' | 'info'
  readonly #silences: Silences

  /** @param quietLevel of the lines that are no warning @param now a clock that never steps back, ms */
  constructor(log: Log, quietLevel: 'debug' | 'info', now?: () => number) {
    this.#log = log
    this.#quietLevel = quietLevel
    this.#silences = new Silences(now)
  }

  note(marks: Marks, outcome: ErrorName): void {
    const before = this.#silences.count(outcome)
    if (before === undefined) {
      this.#log[this.#quietLevel]({ ...marks, outcome }, 'refused')
      return
    }
    const hint = HINTS[outcome] ?? OTHERWISE
    this.#log.warn({ ...marks, outcome, ...(before > 0 && { before }), hint }, 'refused')
  }
}
