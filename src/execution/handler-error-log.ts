// The lines of the log about handlers that fail. What their author did not expect is a warning: of
// each handler one in a while, so that one which always fails floods nothing; the others are
// `info`.
import type { Log } from '../request/exchange.ts'
import { LogThrottle } from '../request/log-throttle.ts'
import { type ErrorOrigin, findErrorOrigin, formatStackTrace, isExpected } from './error-text.ts'
import type { Mask } from './mask.ts'

export interface HandlerErrorLogOptions {
  readonly mask: Mask
  /** Takes secrets out and leaves paths, without which a stack says nothing. */
  readonly secretMask: Mask
  /** Whether lines are read by people at a terminal. */
  readonly isForPeople: boolean
  readonly now?: () => number
}

/**
 * What is told: its kind, the handler or tool, and the fields, which are made only if somebody
 * takes them.
 */
interface LogEntry {
  readonly text: string
  readonly name: string
  fields(): object
}

export class HandlerErrorLog {
  readonly #options: HandlerErrorLogOptions
  readonly #throttle: LogThrottle

  constructor(options: HandlerErrorLogOptions) {
    this.#options = options
    this.#throttle = new LogThrottle(options.now)
  }

  /** One line of level `warn` or `error` in 10 s for each text and name; the others are `info`. */
  log(log: Log, level: 'warn' | 'error', entry: LogEntry): void {
    const before = isLevelOn(log, level) ? this.#throttle.count(`${entry.text} ${entry.name}`) : undefined
    if (before === undefined) this.logInfo(log, entry)
    else log[level]({ ...entry.fields(), ...(before > 0 && { before }) }, entry.text)
  }

  /** Of level `info`. */
  logInfo(log: Log, { text, fields }: Omit<LogEntry, 'name'>): void {
    if (isLevelOn(log, 'info')) log.info(fields(), text)
  }

  /** What was thrown by a handler: expected where its author or the client has said so. */
  logThrown(log: Log, thrown: unknown, entry: LogEntry): void {
    if (isExpected(thrown)) this.logInfo(log, entry)
    else this.log(log, 'warn', entry)
  }

  /** Where it was thrown, and what had caused it; with its stack for who debugs, or reads along. */
  describeOrigin(log: Log, thrown: unknown): ErrorOrigin & { readonly err?: { readonly stack: string } } {
    const { mask, secretMask, isForPeople } = this.#options
    const origin = findErrorOrigin(thrown, mask)
    const hasStack = !isExpected(thrown) && (isForPeople || log.isLevelEnabled?.('debug') === true)
    return hasStack ? { ...origin, err: { stack: formatStackTrace(thrown, { mask, secretMask }) } } : origin
  }
}

// A log that does not say takes all.
const isLevelOn = (log: Log, level: string) => log.isLevelEnabled?.(level) !== false
