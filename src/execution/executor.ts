// The parts of a server that calls use.
import type { Seal } from '../auth/seal.ts'
import type { Hooks } from '../registry/hooks.ts'
import type { FileStore } from '../state/files.ts'
import type { UsedTokens } from '../state/used-tokens.ts'
import type { Admission, AdmissionGate } from './admission.ts'
import type { CallerTokens } from './caller-tokens.ts'
import type { HandlerErrorLog } from './handler-error-log.ts'
import type { IdempotentCalls } from './idempotency.ts'
import type { Mask } from './mask.ts'
import type { SlowChecks } from './slow-checks.ts'
import type { ReportUnhandledError } from './unhandled-errors.ts'

export interface Executor {
  readonly admission: Admission
  readonly mask: Mask
  readonly callerTokens: CallerTokens
  readonly seal: Seal
  readonly usedTokens: UsedTokens
  readonly files: FileStore
  readonly idempotency: IdempotentCalls
  readonly reportUnhandledError: ReportUnhandledError
  readonly errorLog: HandlerErrorLog
  readonly hooks: Pick<Hooks, 'onCall'>
  readonly slowChecks: SlowChecks
  readonly rules: {
    /** Whether clients may get what tools log. */
    readonly clientLogging: boolean
    readonly toolTimeoutMs: number
    readonly maxResultBytes: number
    /** `tool-errors` shows the text of ToolError only. */
    readonly errorMessages: 'all' | 'tool-errors'
  }
}

/** The executor for one call. */
export type CallExecutor = Omit<Executor, 'admission'> & { readonly admission: AdmissionGate }
