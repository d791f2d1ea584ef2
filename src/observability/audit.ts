// The audit: one line for every call and every refusal, saying who did what, and how it ended. Its
// own pino, beside the log, whose level it does not follow. It knows names; values only where the
// operator asks, and a token never.
import { pino } from 'pino'
import type { AuditSink } from '../config/options.ts'
import type { Settings } from '../config/settings.ts'
import type { Mask } from '../execution/mask.ts'
import type { Log } from '../request/exchange.ts'
import type { RequestOutcome } from '../request/outcome.ts'
import { type CleanName, copyArgumentValues, createNameCleaner, listArgumentNames } from './audit-arguments.ts'
import { openAuditFile } from './audit-file.ts'
import type { Ending } from './ending.ts'
import type { RequestEnded, Target } from './request-ended.ts'
import { findTraceId, parseTraceId } from './trace-context.ts'

export interface Audit {
  readonly isOn: boolean
  /**
   * Of the log's own line about a request: `debug` where this audit is written to the same place.
   */
  readonly requestLogLevel: 'debug' | 'info'
  write(ended: RequestEnded): void
  /** Resolves when all lines are where they go. */
  close(): Promise<void>
}

const OFF: Audit = Object.freeze({ isOn: false, requestLogLevel: 'info', write: () => {}, close: async () => {} })

export interface AuditParts {
  readonly sink: AuditSink
  /** Takes secrets out. */
  readonly mask: Mask
  readonly log: Log
}

/** @throws ConfigError where the file cannot be opened */
export function createAudit(
  { auditFile, auditArguments }: Pick<Settings, 'auditFile' | 'auditArguments'>,
  { sink, mask, log }: AuditParts,
): Audit {
  const file = sink.stream === undefined && auditFile !== undefined ? openAuditFile(auditFile, log) : undefined
  const stream = sink.stream ?? file?.stream
  if (stream === undefined) return OFF
  const lines = pino({ level: 'info' }, stream)
  const cleanName = createNameCleaner(mask)
  const describeArguments = auditArguments
    ? (args: unknown) => copyArgumentValues(args, { mask, cleanName })
    : (args: unknown) => listArgumentNames(args, cleanName)
  let isOpen = true
  return Object.freeze({
    isOn: true,
    requestLogLevel: sink.isLog ? 'debug' : 'info',
    write: (ended: RequestEnded) => {
      if (isOpen) lines.info(toLine(ended, cleanName, describeArguments), 'audit')
    },
    close: async () => {
      isOpen = false
      await file?.close()
    },
  })
}

// pino leaves out what is undefined.
function toLine(ended: RequestEnded, cleanName: CleanName, describeArguments: (args: unknown) => unknown): object {
  const { caller, ending, method, params, durationMs } = ended
  return {
    requestId: ended.requestId,
    traceId: parseTraceId(ended.traceparent) ?? findTraceId(params, ended.headers),
    subject: caller && cleanName(caller.subject),
    client: caller?.clientId === undefined ? undefined : cleanName(caller.clientId),
    issuer: caller?.issuer === undefined ? undefined : cleanName(caller.issuer),
    address: caller === undefined ? ended.clientKey.replace('address ', '') : undefined,
    verb: method === undefined ? ended.verb : undefined,
    method: method === undefined ? undefined : cleanName(method),
    ...toTargetFields(ended.target, cleanName, describeArguments),
    ...(ended.taskId !== undefined && { task: shorten(ended.taskId) }),
    outcome: toAuditOutcome(ending),
    kind: ending.reason,
    status: ended.status === 200 ? undefined : ended.status,
    durationMs: durationMs === undefined ? undefined : Math.round(durationMs * 100) / 100,
    requestBytes: ended.requestBytes,
    responseBytes: ended.responseJson && Buffer.byteLength(ended.responseJson),
  }
}

/** Words that the audit groups; the exact one is the `kind` beside it. */
const GROUPS: { readonly [O in RequestOutcome]?: string } = {
  tool_error: 'isError',
  invalid_arguments: 'isError',
  invalid_output: 'isError',
  busy: 'limited',
}

function toAuditOutcome({ outcome, reason }: Ending): string {
  // Older revisions refuse these; newer ones have a result with `isError`.
  if (reason === 'INVALID_ARGUMENTS') return 'refused'
  return GROUPS[outcome] ?? outcome
}

const MAX_URI = 500

/**
 * Enough to tell tasks apart, too little to ask for one: where nobody is verified, an id is all
 * that it takes.
 */
const SHOWN_OF_TASK_ID = 8
const shorten = (taskId: string) => taskId.slice(0, SHOWN_OF_TASK_ID)

function toTargetFields(
  target: Target | undefined,
  cleanName: CleanName,
  describeArguments: (args: unknown) => unknown,
): object | undefined {
  if (target === undefined) return undefined
  const { kind, name, arguments: args } = target
  const text = typeof name === 'string' ? name : undefined
  switch (kind) {
    case 'tool':
    case 'prompt':
      return { [kind]: text && cleanName(text), arguments: describeArguments(args) }
    case 'uri':
      return { uri: text && cleanName(text, MAX_URI) }
    case 'task':
      return { task: text && cleanName(shorten(text)) }
  }
}
