// Keeps the log of a task for its client: the newest entries, written at most twice a second.
import { countJsonBytes } from '../protocol/json-size.ts'
import type { JsonObject } from '../protocol/messages.ts'
import { STATUS_INTERVAL_MS } from './status-progress.ts'

/** Maximum number of entries of a task. */
export const MAX_LOGGED = 50
/** Maximum size of one entry as JSON, bytes. */
const MAX_LOGGED_BYTES = 2048

/** @param before entries that were left out before these */
type Keep = (entries: readonly JsonObject[], before: number) => Promise<unknown>

export class StatusLog {
  readonly #keep: Keep
  #held: JsonObject[] = []
  #before = 0
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(keep: Keep) {
    this.#keep = keep
  }

  add(entry: JsonObject): void {
    if (this.#isClosed) return
    this.#held.push(toBounded(entry))
    if (this.#held.length > MAX_LOGGED) {
      this.#held.shift()
      this.#before++
    }
    this.#timer ??= setTimeout(() => void this.flush(), STATUS_INTERVAL_MS).unref()
  }

  /** Writes the held entries. An entry that cannot be stored is lost. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const [held, before] = [this.#held, this.#before]
    this.#held = []
    this.#before = 0
    if (held.length > 0) await this.#keep(held, before)
  }

  close(): void {
    this.#isClosed = true
    this.#held = []
    clearTimeout(this.#timer)
  }
}

function toBounded(entry: JsonObject): JsonObject {
  const bytes = countJsonBytes(entry)
  if (bytes <= MAX_LOGGED_BYTES) return entry
  return { ...entry, data: `an entry of ${bytes} bytes, which is in the log of the server` }
}
