// The audit: one line for every call and every refusal. It has its own pino, independent of
// LOG_LEVEL. It records argument values only if the operator enables them, and never a token.
import { pino } from 'pino'
import type { AuditSink } from '../config/options.ts'
import type { Settings } from '../config/settings.ts'
import type { Mask } from '../execution/mask.ts'
import { isObject, type JsonObject } from '../protocol/messages.ts'
import { cleanText } from '../registry/clean-text.ts'
import { formatClaim } from '../request/claim-keys.ts'
import type { Caller, Log } from '../request/exchange.ts'
import type { RequestOutcome } from '../request/outcome.ts'
import { toNewName } from '../text/new-name.ts'
import { isSecretName } from '../text/secret-names.ts'
import { openAuditFile } from './audit-file.ts'
import { createNameCleaner, MAX_URI_LENGTH, type NameCleaner, shortenTaskId } from './clean-name.ts'
import type { Ending, RequestEnded, Target } from './request-ended.ts'
import { findTraceId, parseTraceId } from './trace-context.ts'

export interface Audit {
  readonly isOn: boolean
  /** Level of the log's own line for a request: `debug` if the audit writes to the same stream. */
  readonly requestLogLevel: 'debug' | 'info'
  write(ended: RequestEnded): void
  /** Resolves when all lines are written. */
  close(): Promise<void>
}

const OFF: Audit = Object.freeze({ isOn: false, requestLogLevel: 'info', write: () => {}, close: async () => {} })

export interface AuditParts {
  readonly sink: AuditSink
  readonly mask: Mask
  readonly log: Log
}

/** @throws ConfigError if the file cannot be opened */
export function createAudit(
  { auditFile, auditArguments, tenantClaim }: Pick<Settings, 'auditFile' | 'auditArguments' | 'tenantClaim'>,
  { sink, mask, log }: AuditParts,
): Audit {
  const file = sink.stream === undefined && auditFile !== undefined ? openAuditFile(auditFile, log) : undefined
  const stream = sink.stream ?? file?.stream
  if (stream === undefined) return OFF
  const lines = pino({ level: 'info' }, stream)
  const clean = createNameCleaner(mask)
  const { name: cleanName, identity } = clean
  const describeArguments = auditArguments
    ? (args: unknown) => copyArgumentValues(args, { mask, cleanName })
    : (args: unknown) => listArgumentNames(args, cleanName)
  const findTenant = (caller: Caller | undefined) =>
    tenantClaim === undefined ? undefined : cleanIfThere(formatClaim(caller, tenantClaim), identity)
  let isOpen = true
  return Object.freeze({
    isOn: true,
    requestLogLevel: sink.isLog ? 'debug' : 'info',
    write: (ended: RequestEnded) => {
      if (isOpen) lines.info(toLine(ended, { clean, describeArguments, findTenant }), 'audit')
    },
    close: async () => {
      isOpen = false
      await file?.close()
    },
  })
}

interface LineParts {
  readonly clean: NameCleaner
  describeArguments(args: unknown): unknown
  findTenant(caller: Caller | undefined): string | undefined
}

// pino omits undefined fields.
function toLine(ended: RequestEnded, { clean, describeArguments, findTenant }: LineParts): object {
  const { name: cleanName, identity } = clean
  const { caller, ending, method, params, durationMs } = ended
  return {
    requestId: ended.requestId,
    traceId: parseTraceId(ended.traceparent) ?? findTraceId(params, ended.headers),
    subject: caller && identity(caller.subject),
    client: cleanIfThere(caller?.clientId, identity),
    issuer: cleanIfThere(caller?.issuer, identity),
    tenant: findTenant(caller),
    address: caller === undefined ? ended.clientKey.replace('address ', '') : undefined,
    door: ended.door,
    verb: method === undefined ? ended.verb : undefined,
    method: method === undefined ? undefined : cleanName(method),
    ...toTargetFields(ended.target, cleanName, describeArguments),
    ...(ended.taskId !== undefined && { task: shortenTaskId(ended.taskId) }),
    outcome: toAuditOutcome(ending),
    kind: ending.reason,
    status: ended.status === 200 ? undefined : ended.status,
    durationMs: durationMs === undefined ? undefined : Math.round(durationMs * 100) / 100,
    requestBytes: ended.requestBytes,
    responseBytes: ended.responseJson && Buffer.byteLength(ended.responseJson),
  }
}

const cleanIfThere = (text: string | undefined, cleanName: (text: string) => string) =>
  text === undefined ? undefined : cleanName(text)

/** Groups outcomes for the audit; its `kind` field has the exact one. */
const GROUPS: { readonly [O in RequestOutcome]?: string } = {
  tool_error: 'isError',
  invalid_arguments: 'isError',
  invalid_output: 'isError',
  busy: 'limited',
}

function toAuditOutcome({ outcome, reason }: Ending): string {
  // Older revisions reject these; newer ones return a result with `isError`.
  if (reason === 'INVALID_ARGUMENTS') return 'refused'
  return GROUPS[outcome] ?? outcome
}

function toTargetFields(
  target: Target | undefined,
  cleanName: NameCleaner['name'],
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
      return { uri: text && cleanName(text, MAX_URI_LENGTH) }
    case 'task':
      return { task: text && cleanName(shortenTaskId(text)) }
  }
}

// Client-defined arguments are shortened and masked.

const MAX_NAMES = 32
const MAX_ARGUMENT_DEPTH = 8
const MAX_VALUE_LENGTH = 500
/** Longer texts are cut before they are masked. */
const MAX_RAW_TEXT = 10_000
/** Approximate JSON bytes of all values of a call, without brackets. */
const MAX_ARGUMENT_BYTES = 4096

const MASKED = '[masked]'
const LEFT_OUT = '…'

function listArgumentNames(args: unknown, cleanName: NameCleaner['name']): string[] | undefined {
  if (!isObject(args)) return undefined
  const names: string[] = []
  // Unlike `Object.keys`, this builds no list of all names.
  for (const name in args) {
    if (names.length === MAX_NAMES) return [...names, LEFT_OUT]
    names.push(cleanName(name))
  }
  return names
}

interface Writer {
  readonly mask: Mask
  readonly cleanName: NameCleaner['name']
  bytesLeft: number
}

/** Copies with bounded size and depth. Masks secrets, and values of keys such as `password`. */
function copyArgumentValues(args: unknown, parts: { mask: Mask; cleanName: NameCleaner['name'] }): unknown {
  if (!isObject(args)) return undefined
  return copyObject({ ...parts, bytesLeft: MAX_ARGUMENT_BYTES }, args, MAX_ARGUMENT_DEPTH)
}

function copy(writer: Writer, value: unknown, depth: number): unknown {
  if (writer.bytesLeft <= 0) return LEFT_OUT
  if (typeof value === 'string') return spendBytes(writer, copyText(writer, value))
  if (typeof value !== 'object' || value === null) return spendBytes(writer, value)
  if (depth === 0) return LEFT_OUT
  return Array.isArray(value) ? copyArray(writer, value, depth) : copyObject(writer, value as JsonObject, depth)
}

/** JSON holds them as they are, and some readers of logs begin a line after one. */
const SEPARATORS = /[\u2028\u2029]/g

function copyText({ mask }: Writer, text: string): string {
  const masked = mask(cleanText(text.slice(0, MAX_RAW_TEXT)).replace(SEPARATORS, '\n'))
  if (masked.length <= MAX_VALUE_LENGTH && text.length <= MAX_RAW_TEXT) return masked
  return `${masked.slice(0, MAX_VALUE_LENGTH).toWellFormed()}${LEFT_OUT}`
}

function copyArray(writer: Writer, values: readonly unknown[], depth: number): unknown[] {
  const copied: unknown[] = []
  for (const value of values) {
    // Brackets count too, or empty arrays would be free.
    writer.bytesLeft -= 2
    copied.push(copy(writer, value, depth - 1))
    if (writer.bytesLeft <= 0) break
  }
  return copied
}

function copyObject(writer: Writer, values: JsonObject, depth: number): JsonObject {
  const copied: JsonObject = Object.create(null)
  for (const key in values) {
    const name = toNewName(copied, writer.cleanName(key))
    writer.bytesLeft -= Buffer.byteLength(name) + 4
    copied[name] = isSecretName(key) ? spendBytes(writer, MASKED) : copy(writer, values[key], depth - 1)
    if (writer.bytesLeft <= 0) break
  }
  return copied
}

function spendBytes(writer: Writer, value: unknown): unknown {
  writer.bytesLeft -= Buffer.byteLength(JSON.stringify(value) ?? '')
  return value
}
