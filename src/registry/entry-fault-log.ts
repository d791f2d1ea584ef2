// Tells what in a tools folder cannot be read: each entry once, for as long as it stays so, however often that is found.
import type { Log } from '../exchange.ts'
import { fileName } from './file-name.ts'
import type { UnreadEntry } from './read-folder.ts'

/** Entries that are named at a time. */
const MAX_NAMED = 100

export class EntryFaultLog {
  readonly #log: Log
  /** The reasons that were told, by path. */
  readonly #told = new Map<string, string>()
  #unnamed = 0

  constructor(log: Log) {
    this.#log = log
  }

  tell(faults: ReadonlyMap<string, UnreadEntry>): void {
    for (const path of this.#told.keys()) if (!faults.has(path)) this.#told.delete(path)
    let unnamed = 0
    for (const [path, { reason }] of faults) {
      if (this.#told.get(path) === reason) continue
      if (this.#told.size >= MAX_NAMED && !this.#told.has(path)) {
        unnamed++
        continue
      }
      this.#told.set(path, reason)
      this.#log.error({ file: fileName(path), reason }, 'entry of the tools folder not read')
    }
    if (unnamed > 0 && unnamed !== this.#unnamed) {
      this.#log.error({ more: unnamed }, 'more entries of the tools folder are not read')
    }
    this.#unnamed = unnamed
  }
}
