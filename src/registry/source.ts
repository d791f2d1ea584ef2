// The contract of a source: where definitions come from, and what the server tells it.
import type { Log } from '../request/exchange.ts'
import type { Definition } from './catalog.ts'
import type { DefinitionKind } from './definition-kind.ts'
import type { Refused } from './definition-set.ts'

/** Where definitions come from: a folder, an API, another server. */
export interface DefinitionSource {
  /** Shown in the log, in `/ready` and in reports, such as `folder ./tools`. */
  readonly name: string
  /** How long the start of a server waits for `start`, ms; default: 2,000, at most 60,000. */
  readonly startWithinMs?: number | undefined
  /**
   * Resolves once the first set is put. If it rejects or takes longer, the server starts without it:
   * the log and `/ready` give the reason, and a reload tries again.
   */
  start(target: SourceTarget): Promise<void>
  /** On `SIGHUP` and `app.toolrack.reload()`. A source whose start failed is started again instead. */
  reload?(options: SourceReload): Promise<void>
  /** Called for `/ready`, the console and the start-up report. Must return at once. */
  status?(): SourceStatus
  /** Called at the shutdown, after the last call has ended. The server waits 5 s at most. */
  close?(): Promise<void>
}

/** The parts of the server that a source gets. */
export interface SourceTarget {
  /**
   * Hands over the whole set. Definitions of an earlier set that are missing in this one are no longer
   * served. The same definition object stays the same tool; clients are notified of visible changes
   * only.
   *
   * @throws RangeError if the set is too large; the earlier set stays then
   */
  readonly put: (definitions: readonly Definition[]) => PutReport
  /** The server's log, with the name of the source. */
  readonly log: Log
  /** Aborted when the server shuts down. Afterwards `put` does nothing. */
  readonly signal: AbortSignal
}

/** The facts on a reload, for a source. */
export interface SourceReload {
  /** The caller gives up rules that are gone: `app.toolrack.reload({ dropRules: true })`. */
  readonly dropRules: boolean
}

/** Whether a source is ready, and its problems. */
export interface SourceStatus {
  /** If false, `/ready` answers 503. */
  readonly isReady: boolean
  /** One line each. A line names its subject: it stands beside lines of other sources. */
  readonly problems: readonly string[]
}

/** A definition of a set. */
export interface PutEntry {
  readonly kind: DefinitionKind
  /** The name of a tool or prompt; the URI or the template of a resource. */
  readonly key: string
  readonly definition: Definition
}

/** The result for each definition of a set. */
export interface PutReport {
  readonly served: readonly PutEntry[]
  /** An earlier source has the same; `by` names it, or its file. Served once that one goes. */
  readonly hidden: readonly (PutEntry & { readonly by: string })[]
  /** `needs`: missing variables, such as `A or B`; none if the operator excludes the tool. */
  readonly withheld: readonly (PutEntry & { readonly needs: readonly string[] })[]
  /** Invalid, or the second with the same name. `error.message` names it and says why. */
  readonly refused: readonly Refused[]
}

/** A function from a set to a set, without side effects. */
export type Transform = (definitions: readonly Definition[]) => readonly Definition[]

export function isSource(value: unknown): value is DefinitionSource {
  const { name, start } = Object(value) as Partial<DefinitionSource>
  return typeof name === 'string' && typeof start === 'function'
}
