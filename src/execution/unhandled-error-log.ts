// Counts the unhandled errors of tools and their files, and logs them at a limited rate.
import type { Log } from '../request/exchange.ts'
import { LogThrottle } from '../request/log-throttle.ts'
import { errorText } from './error-text.ts'
import type { Mask } from './mask.ts'
import { getSourceName, type ReportUnhandledError } from './unhandled-errors.ts'

/** Lines of one source that are logged before any is left out: a timer may throw each time it fires. */
const LINES_AT_ONCE = 5

export interface UnhandledErrorLogOptions {
  readonly log: Log
  readonly mask: Mask
  /** Log fields with the origin of an error. */
  describeOrigin(fault: unknown): object
  /** Called for each error with the name of its source. */
  count(source: string): void
  /** A monotonic clock, ms. */
  readonly now?: () => number
}

export function createUnhandledErrorLog(options: UnhandledErrorLogOptions): ReportUnhandledError {
  const { log, mask, describeOrigin, count, now } = options
  const throttle = new LogThrottle({ now, atOnce: LINES_AT_ONCE })
  return (source, fault) => {
    const name = getSourceName(source)
    count(name)
    const repeated = throttle.pass(`${Object.keys(source)} ${name}`)
    if (repeated === undefined) return
    const fields = { ...source, reason: errorText(fault, mask), ...describeOrigin(fault), ...repeated }
    if ('tool' in source) log.error(fields, 'unhandled error of a tool')
    else log.error(fields, 'unhandled error of a tool file')
  }
}
