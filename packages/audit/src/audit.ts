// The audit: one line for every call and every refusal, and for other events that change who may do
// what. It has its own pino, independent of LOG_LEVEL. It records argument values only if the
// operator enables them, and never a token.
import { pino } from 'pino'
import type { Caller } from 'toolrack'
import type { Mask } from 'toolrack/execution'
import { formatClaim, type Headers, isNoError, type Log, type RequestOutcome } from 'toolrack/protocol'
import {
  type Audit,
  type AuditEvent,
  createNameCleaner,
  type Ending,
  findTraceId,
  MAX_URI_LENGTH,
  type NameCleaner,
  parseTraceId,
  type RequestEnded,
  shortenTaskId,
  type Target,
} from 'toolrack/records'
import type { AuditSink, Settings } from 'toolrack/settings'
import { copyArgumentValues, listArgumentNames } from './arguments.ts'
import { AuditChain } from './chain.ts'
import { AuditFile } from './file.ts'

type AuditSettings = Pick<Settings, 'auditFile' | 'auditRequired' | 'auditArguments' | 'tenantClaim'>

export interface AuditParts {
  readonly sink: AuditSink
  readonly mask: Mask
  readonly log: Log
  /** The door whose page has sent a request to the endpoint, by the headers. */
  findSender(headers: Headers): string | undefined
  countLost(lines: number): void
}

export class AuditLog implements Audit {
  readonly isOn = true
  readonly status = 'refusing'
  readonly requestLogLevel: 'debug' | 'info'
  readonly #chain = new AuditChain()
  readonly #file: AuditFile | undefined
  readonly #isRequired: boolean
  readonly #lines: pino.Logger
  readonly #parts: LineParts
  /** If the audit is in the log, the process's own last line marks the end. */
  readonly #hasEnd: boolean
  #isOpen = true

  /** @throws ConfigError if the file cannot be opened */
  constructor(settings: AuditSettings, parts: AuditParts) {
    const { sink, log, countLost } = parts
    this.#isRequired = settings.auditRequired
    this.requestLogLevel = sink.isLog ? 'debug' : 'info'
    this.#hasEnd = sink.isLog !== true
    this.#parts = createLineParts(settings, parts)
    const { stream } = sink
    if (stream === undefined)
      this.#file = new AuditFile({
        path: settings.auditFile!,
        log,
        onLost: countLost,
        onRestored: lost => this.record({ event: 'lines-lost', lost }),
      })
    this.#lines = pino({ level: 'info' }, { write: line => this.#writeLine(line, stream) })
  }

  get problems(): readonly string[] {
    const problem = this.#file?.problem ?? (this.isReady ? undefined : 'audit: its file is slower than the calls')
    if (problem === undefined) return []
    return [this.isReady ? problem : `${problem}; calls are refused (AUDIT_REQUIRED)`]
  }

  get isReady(): boolean {
    return !this.#isRequired || this.#file!.takesMore
  }

  readonly write = (ended: RequestEnded): void => {
    // Otherwise a flood of refusals would take the room of calls that have run.
    if (this.#file?.isCrowded && hasRunNothing(ended)) this.#file.dropLine()
    else this.#add(toLine(ended, this.#parts))
  }

  record({ event, caller, service, ...fields }: AuditEvent): void {
    const { clean } = this.#parts
    const named = service === undefined ? undefined : clean.name(String(service))
    this.#add({ event, ...toCallerFields(caller, this.#parts), service: named, ...fields })
  }

  reopen(): void {
    if (this.#isOpen) this.#file?.reopen()
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return
    // Without this line, nobody could see that the end of a file was cut off.
    if (this.#hasEnd && !this.#chain.isEmpty) this.record({ event: 'chain-ended' })
    this.#isOpen = false
    await this.#file?.close()
  }

  // pino omits undefined fields.
  #add(fields: object): void {
    if (this.#isOpen) this.#lines.info({ ...fields, ...this.#chain.next }, 'audit')
  }

  #writeLine(line: string, stream: AuditSink['stream']): void {
    if (stream === undefined && !this.#file!.write(line)) return
    stream?.write(line)
    this.#chain.add(line)
  }
}

const hasRunNothing = ({ source, ending: { outcome, reason } }: RequestEnded): boolean =>
  reason === 'AUDIT_UNAVAILABLE' || (source === 'http' && !isNoError(outcome))

interface LineParts {
  readonly clean: NameCleaner
  describeArguments(args: unknown): unknown
  findTenant(caller: Caller | undefined): string | undefined
  readonly findSender: AuditParts['findSender']
}

function createLineParts({ auditArguments, tenantClaim }: AuditSettings, { mask, findSender }: AuditParts): LineParts {
  const clean = createNameCleaner(mask)
  return {
    clean,
    findSender,
    describeArguments: auditArguments
      ? args => copyArgumentValues(args, { mask, cleanName: clean.name })
      : args => listArgumentNames(args, clean.name),
    findTenant: caller =>
      tenantClaim === undefined ? undefined : ifThere(formatClaim(caller, tenantClaim), clean.identity),
  }
}

function toLine(ended: RequestEnded, parts: LineParts): object {
  const { caller, ending, method, params, durationMs } = ended
  const { name } = parts.clean
  return {
    requestId: ended.requestId,
    traceId: parseTraceId(ended.traceparent) ?? findTraceId(params, ended.headers),
    ...toCallerFields(caller, parts),
    address: caller === undefined ? ended.clientKey.replace('address ', '') : undefined,
    door: ended.door ?? parts.findSender(ended.headers),
    verb: method === undefined ? ended.verb : undefined,
    method: ifThere(method, name),
    ...toTargetFields(ended.target, parts),
    ...(ended.taskId !== undefined && { task: shortenTaskId(ended.taskId) }),
    outcome: toAuditOutcome(ending),
    kind: ending.reason,
    status: ended.status === 200 ? undefined : ended.status,
    durationMs: durationMs === undefined ? undefined : Math.round(durationMs * 100) / 100,
    requestBytes: ended.requestBytes,
    responseBytes: ended.responseJson && Buffer.byteLength(ended.responseJson),
  }
}

function toCallerFields(caller: Caller | undefined, { clean, findTenant }: LineParts): object | undefined {
  return (
    caller && {
      subject: clean.identity(caller.subject),
      client: ifThere(caller.clientId, clean.identity),
      issuer: ifThere(caller.issuer, clean.identity),
      tenant: findTenant(caller),
    }
  )
}

const ifThere = (text: string | undefined, clean: (text: string) => string) =>
  text === undefined ? undefined : clean(text)

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

function toTargetFields(target: Target | undefined, { clean, describeArguments }: LineParts): object | undefined {
  if (target === undefined) return undefined
  const { kind, name, arguments: args } = target
  const text = typeof name === 'string' ? name : undefined
  switch (kind) {
    case 'tool':
    case 'prompt':
      return { [kind]: text && clean.name(text), arguments: describeArguments(args) }
    case 'uri':
      return { uri: text && clean.name(text, MAX_URI_LENGTH) }
    case 'task':
      return { task: text && clean.name(shortenTaskId(text)) }
  }
}
