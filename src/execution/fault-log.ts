// The lines of the log about handlers that fail. What their author did not expect is a warning: of each handler one in a
// while, so that one which always fails floods nothing; the others are `info`.
import type { Log } from '../exchange.ts'
import { Silences } from '../silence.ts'
import { isExpected } from './error-text.ts'
import type { Mask } from './mask.ts'
import { type Origin, originOf, stackTextOf } from './thrown.ts'

export interface FaultLogOptions {
  readonly mask: Mask
  /** Takes secrets out and leaves paths, without which a stack says nothing. */
  readonly secretMask: Mask
  /** Whether lines are read by people at a terminal. */
  readonly isForPeople: boolean
  readonly now?: () => number
}

/** What is told: its kind, the handler or tool, and the fields, which are made only if somebody takes them. */
interface Told {
  readonly text: string
  readonly name: string
  fields(): object
}

export class FaultLog {
  readonly #options: FaultLogOptions
  readonly #silences: Silences

  constructor(options: FaultLogOptions) {
    this.#options = options
    this.#silences = new Silences(options.now)
  }

  /** One line of level `warn` or `error` in 10 s for each text and name; the others are `info`. */
  tell(log: Log, level: 'warn' | 'error', told: Told): void {
    const before = isOn(log, level) ? this.#silences.count(`${told.text} ${told.name}`) : undefined
    if (before === undefined) this.note(log, told)
    else log[level]({ ...told.fields(), ...(before > 0 && { before }) }, told.text)
  }

  /** Of level `info`. */
  note(log: Log, { text, fields }: Omit<Told, 'name'>): void {
    if (isOn(log, 'info')) log.info(fields(), text)
  }

  /** What was thrown by a handler: expected where its author or the client has said so. */
  threw(log: Log, thrown: unknown, told: Told): void {
    if (isExpected(thrown)) this.note(log, told)
    else this.tell(log, 'warn', told)
  }

  /** Where it was thrown, and what had caused it; with its stack for who debugs, or reads along. */
  originOf(log: Log, thrown: unknown): Origin & { readonly err?: { readonly stack: string } } {
    const { mask, secretMask, isForPeople } = this.#options
    const origin = originOf(thrown, mask)
    const hasStack = !isExpected(thrown) && (isForPeople || log.isLevelEnabled?.('debug') === true)
    return hasStack ? { ...origin, err: { stack: stackTextOf(thrown, { mask, secretMask }) } } : origin
  }
}

// A log that does not say takes all.
const isOn = (log: Log, level: string) => log.isLevelEnabled?.(level) !== false
