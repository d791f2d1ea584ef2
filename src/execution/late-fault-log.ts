// What tools and their files leave behind, in the log and counted. A timer that throws each time it fires must not be a
// flood of lines: of each source some are told at once, then one in a while, with how many there were since the last.
import type { Log } from '../exchange.ts'
import { Allowance } from './allowance.ts'
import { errorText } from './error-text.ts'
import { type FaultSource, type LateFaultReport, sourceName } from './late-faults.ts'
import type { Mask } from './mask.ts'

/** Lines of one source at once; then one in ten seconds. */
const BURST = 5
const PER_SECOND = 0.1
/** Sources whose lines are counted; the one that was first heard of is forgotten. */
const MAX_SOURCES = 1000

interface Heard {
  readonly allowance: Allowance
  untold: number
}

export interface LateFaultLogOptions {
  readonly log: Log
  readonly mask: Mask
  /** Where a fault comes from, as fields of the log. */
  originOf(fault: unknown): object
  /** Told of each fault, by the name of its source. */
  count(source: string): void
  /** A clock that never steps back, ms. */
  readonly now?: () => number
}

export function lateFaultLog({ log, mask, originOf, count, now }: LateFaultLogOptions): LateFaultReport {
  const sources = new Map<string, Heard>()

  function heardOf(source: FaultSource): Heard {
    const key = `${'tool' in source ? 'tool' : 'file'} ${sourceName(source)}`
    let heard = sources.get(key)
    if (heard !== undefined) return heard
    if (sources.size === MAX_SOURCES) sources.delete(sources.keys().next().value!)
    sources.set(key, (heard = { allowance: new Allowance(BURST, PER_SECOND, now), untold: 0 }))
    return heard
  }

  return (source, fault) => {
    count(sourceName(source))
    const heard = heardOf(source)
    if (!heard.allowance.take()) {
      heard.untold++
      return
    }
    const before = heard.untold > 0 && { before: heard.untold }
    heard.untold = 0
    const fields = { ...source, reason: errorText(fault, mask), ...originOf(fault), ...before }
    if ('tool' in source) log.error(fields, 'tool left an error behind')
    else log.error(fields, 'tool file left an error behind')
  }
}
