// The audit, as a server knows it: it hears of each end of a request, and of what else changes who
// may do what. packages/audit writes it.
import type { Caller } from '../request/exchange.ts'
import type { RequestEnded } from './request-ended.ts'

/** An event that is audited beside requests; docs/reference/audit.md has the fields. */
export interface AuditEvent {
  readonly event:
    | 'token-exchange'
    | 'api-key-added'
    | 'api-key-changed'
    | 'api-key-ended'
    | 'reload'
    | 'secret-renewed'
    | 'tools-changed'
    | 'issuers-changed'
    | 'calls-read'
    | 'lines-lost'
    | 'chain-ended'
  readonly caller?: Caller | undefined
  /** In words of the server, bounded; `service` is cleaned. */
  readonly [field: string]: unknown
}

export interface Audit {
  readonly isOn: boolean
  /** Level of the log's own line for a request: `debug` if the audit writes to the same stream. */
  readonly requestLogLevel: 'debug' | 'info'
  /** Why lines wait or are lost. */
  readonly problems: readonly string[]
  /** False while calls are refused, since they might not be audited (AUDIT_REQUIRED). */
  readonly isReady: boolean
  /** Of the server then. */
  readonly status: 'refusing'
  write(ended: RequestEnded): void
  record(event: AuditEvent): void
  /** Goes on in the file that is at the path now, after a rotation. */
  reopen(): void
  /** Resolves when all lines are written. */
  close(): Promise<void>
}

export const noAudit: Audit = Object.freeze({
  isOn: false,
  requestLogLevel: 'info',
  problems: [],
  isReady: true,
  status: 'refusing',
  write: () => {},
  record: () => {},
  reopen: () => {},
  close: async () => {},
})
