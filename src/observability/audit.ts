// The audit, as the server sees it. It gets each end of a request, and other events that change who
// may do what. packages/audit writes it.
import type { Caller } from '../request/exchange.ts'
import type { RequestEnded } from './request-ended.ts'

/** An audited event that is not a request; docs/reference/audit.md has the fields. */
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
  /** Short texts of the server; `service` is cleaned. */
  readonly [field: string]: unknown
}

export interface Audit {
  readonly isOn: boolean
  /** Level of the log's own line for a request: `debug` if the audit writes to the same stream. */
  readonly requestLogLevel: 'debug' | 'info'
  /** The reasons why lines wait or are lost. */
  readonly problems: readonly string[]
  /** False while calls are refused, since they might not be audited (AUDIT_REQUIRED). */
  readonly isReady: boolean
  /** The status of the server while the audit is not ready. */
  readonly status: 'refusing'
  write(ended: RequestEnded): void
  record(event: AuditEvent): void
  /** Continues in the file that is now at the path, after a rotation. */
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
