// Logs failed handlers. An unexpected error is an `error`, or a warning on a terminal, throttled for
// each handler; expected ones are `info`.
import type { Log } from '../request/exchange.ts'
import { LogThrottle } from '../request/log-throttle.ts'
import {
  type ErrorOrigin,
  findErrorOrigin,
  formatStackTrace,
  isExpected,
  type Masks,
  toClientText,
  toDeveloperText,
} from './error-text.ts'

export interface HandlerErrorLogOptions extends Masks {
  /** Whether the log is written to a terminal. */
  readonly isForPeople: boolean
  readonly now?: () => number
}

/** `fields` is called only if the level is on. */
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
    this.#throttle = new LogThrottle({ now: options.now })
  }

  /** Whether a developer at a terminal reads the log, and the answers. */
  get isForPeople(): boolean {
    return this.#options.isForPeople
  }

  /**
   * The text of a value that a handler threw. If it is unexpected and `explains` is set, with its
   * causes.
   */
  toText(thrown: unknown, explains = false): string {
    return explains && !isExpected(thrown)
      ? toDeveloperText(thrown, this.#options)
      : toClientText(thrown, this.#options)
  }

  /** Logs one `warn` or `error` in 10 s for each text and name, and the others as `info`. */
  log(log: Log, level: 'warn' | 'error', entry: LogEntry): void {
    const repeated = isLevelOn(log, level) ? this.#throttle.pass(`${entry.text} ${entry.name}`) : undefined
    if (repeated === undefined) this.logInfo(log, entry)
    else log[level]({ ...entry.fields(), ...repeated }, entry.text)
  }

  logInfo(log: Log, { text, fields }: Omit<LogEntry, 'name'>): void {
    if (isLevelOn(log, 'info')) log.info(fields(), text)
  }

  /**
   * Logs a thrown value. A ToolError and a client's refusal are expected, so they are `info`.
   * Anything else is a bug in production; on a terminal, a developer is at work on it.
   */
  logThrown(log: Log, thrown: unknown, entry: LogEntry): void {
    if (isExpected(thrown)) this.logInfo(log, entry)
    else this.log(log, this.#options.isForPeople ? 'warn' : 'error', entry)
  }

  /** Where it was thrown, and its causes. On a terminal or at level `debug`, also the stack. */
  describeOrigin(log: Log, thrown: unknown): ErrorOrigin & { readonly err?: { readonly stack: string } } {
    const { mask, secretMask, isForPeople } = this.#options
    const origin = findErrorOrigin(thrown, mask)
    const hasStack = !isExpected(thrown) && (isForPeople || log.isLevelEnabled?.('debug') === true)
    return hasStack ? { ...origin, err: { stack: formatStackTrace(thrown, { mask, secretMask }) } } : origin
  }
}

// A log without `isLevelEnabled` takes all levels.
const isLevelOn = (log: Log, level: string) => log.isLevelEnabled?.(level) !== false
