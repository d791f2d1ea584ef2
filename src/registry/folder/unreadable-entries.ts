// Logs the entries of a tools folder that cannot be read, each once while its reason stays.
import type { Log } from '../../request/exchange.ts'
import type { SkippedEntry } from './scan.ts'
import { fileName } from './tool-roots.ts'

/** Entries that are named at a time; the rest are counted. */
const MAX_LOGGED_ENTRIES = 100

export class UnreadableEntryLog {
  readonly #log: Log
  /** The logged reasons, by path: an entry is logged once while its reason stays. */
  readonly #logged = new Map<string, string>()
  #unnamed = 0

  constructor(log: Log) {
    this.#log = log
  }

  log(faults: ReadonlyMap<string, SkippedEntry>): void {
    for (const path of this.#logged.keys()) if (!faults.has(path)) this.#logged.delete(path)
    let unnamed = 0
    for (const [path, { reason }] of faults) {
      if (this.#logged.get(path) === reason) continue
      if (this.#logged.size >= MAX_LOGGED_ENTRIES && !this.#logged.has(path)) {
        unnamed++
        continue
      }
      this.#logged.set(path, reason)
      this.#log.error({ file: fileName(path), reason }, 'entry of the tools folder not read')
    }
    if (unnamed > 0 && unnamed !== this.#unnamed) {
      this.#log.error({ more: unnamed }, 'more entries of the tools folder are not read')
    }
    this.#unnamed = unnamed
  }
}
