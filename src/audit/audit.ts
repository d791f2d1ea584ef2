// The audit: one line for every call and every refusal, saying who did what, and how it ended. Its own pino, beside the
// log, whose level it does not follow. It knows names; values only where the operator asks, and a token never.
import { type DestinationStream, pino } from 'pino'
import type { Settings } from '../config.ts'
import type { Caller, Log } from '../exchange.ts'
import type { Mask } from '../execution/mask.ts'
import type { Headers } from '../protocol/headers.ts'
import { isObject } from '../protocol/messages.ts'
import { argumentNames, argumentValues } from './arguments.ts'
import { openAuditFile } from './destination.ts'
import { type CleanName, nameCleaner } from './names.ts'
import type { Ending } from './outcome.ts'
import { traceIdIn, traceIdOf } from './trace.ts'

/** What is known of one request when it has ended. */
export interface AuditEvent {
  readonly requestId: string
  readonly caller: Caller | undefined
  /** Whose limits count; of who is not verified the address: IPv4, or the /64 of IPv6. */
  readonly clientKey: string
  readonly headers: Headers
  /** Of its span, where it has one. */
  readonly traceparent?: string | undefined
  /** HTTP's, where no message was read. */
  readonly verb?: string | undefined
  readonly method?: string | undefined
  readonly params?: unknown
  /** Of a task that has ended. */
  readonly taskId?: string | undefined
  readonly ending: Ending
  /** HTTP's, where it is not 200. */
  readonly status?: number | undefined
  readonly durationMs: number | undefined
  readonly requestBytes: number | undefined
  /** Of the answer; undefined where a stream goes on. */
  readonly responseBytes: number | undefined
}

export interface Audit {
  readonly isOn: boolean
  /** Of the log's own line about a request: `debug` where this audit is written to the same place. */
  readonly noteLevel: 'debug' | 'info'
  write(event: AuditEvent): void
  /** Resolves when all lines are where they go. */
  close(): Promise<void>
}

export interface AuditTrail {
  /** Comes before `AUDIT_FILE`; undefined where there is neither: nothing is written. */
  readonly stream?: DestinationStream | undefined
  /** Whether that is where the log goes. */
  readonly isLog?: boolean
}

const OFF: Audit = Object.freeze({ isOn: false, noteLevel: 'info', write: () => {}, close: async () => {} })

export interface AuditParts {
  readonly trail: AuditTrail
  /** Takes secrets out. */
  readonly mask: Mask
  readonly log: Log
}

/** @throws ConfigError where the file cannot be opened */
export function createAudit(
  { auditFile, auditArguments }: Pick<Settings, 'auditFile' | 'auditArguments'>,
  { trail, mask, log }: AuditParts,
): Audit {
  const file = trail.stream === undefined && auditFile !== undefined ? openAuditFile(auditFile, log) : undefined
  const stream = trail.stream ?? file?.stream
  if (stream === undefined) return OFF
  const lines = pino({ level: 'info' }, stream)
  const cleanName = nameCleaner(mask)
  const argumentsOf = auditArguments
    ? (args: unknown) => argumentValues(args, { mask, cleanName })
    : (args: unknown) => argumentNames(args, cleanName)
  let isOpen = true
  return Object.freeze({
    isOn: true,
    noteLevel: trail.isLog ? 'debug' : 'info',
    write: (event: AuditEvent) => {
      if (isOpen) lines.info(lineOf(event, cleanName, argumentsOf), 'audit')
    },
    close: async () => {
      isOpen = false
      await file?.close()
    },
  })
}

// What is undefined is left out by pino.
function lineOf(event: AuditEvent, cleanName: CleanName, argumentsOf: (args: unknown) => unknown): object {
  const { caller, ending, method, params, durationMs } = event
  return {
    requestId: event.requestId,
    traceId: traceIdIn(event.traceparent) ?? traceIdOf(params, event.headers),
    subject: caller && cleanName(caller.subject),
    client: caller?.clientId === undefined ? undefined : cleanName(caller.clientId),
    issuer: caller?.issuer === undefined ? undefined : cleanName(caller.issuer),
    address: caller === undefined ? event.clientKey.replace('address ', '') : undefined,
    verb: method === undefined ? event.verb : undefined,
    method: method === undefined ? undefined : cleanName(method),
    ...targetOf(method, params, { cleanName, argumentsOf }),
    ...(event.taskId !== undefined && { task: shortened(event.taskId) }),
    outcome: ending.outcome,
    kind: ending.kind,
    status: event.status === 200 ? undefined : event.status,
    durationMs: durationMs === undefined ? undefined : Math.round(durationMs * 100) / 100,
    requestBytes: event.requestBytes,
    responseBytes: event.responseBytes,
  }
}

const MAX_URI = 500

/** Enough to tell tasks apart, too little to ask for one: where nobody is verified, an id is all that it takes. */
const SHOWN_OF_TASK_ID = 8
const shortened = (taskId: string) => taskId.slice(0, SHOWN_OF_TASK_ID)

function targetOf(
  method: string | undefined,
  params: unknown,
  { cleanName, argumentsOf }: { cleanName: CleanName; argumentsOf: (args: unknown) => unknown },
): object | undefined {
  if (!isObject(params)) return undefined
  const { name, uri, arguments: args, taskId } = params
  const called = typeof name === 'string' ? cleanName(name) : undefined
  switch (method) {
    case 'tools/call':
      return { tool: called, arguments: argumentsOf(args) }
    case 'prompts/get':
      return { prompt: called, arguments: argumentsOf(args) }
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return { uri: typeof uri === 'string' ? cleanName(uri, MAX_URI) : undefined }
    case 'tasks/get':
    case 'tasks/result':
    case 'tasks/update':
    case 'tasks/cancel':
      return { task: typeof taskId === 'string' ? cleanName(shortened(taskId)) : undefined }
    default:
      return undefined
  }
}
