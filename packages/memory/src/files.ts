// Kept files of one process.
import { FILE_BOUNDS, FILE_TTL_MS, type FileStore, type KeptFile } from 'toolrack/stores'

interface Entry {
  readonly file: KeptFile
  readonly ownerKey: string
  readonly untilMs: number
}

export class MemoryFiles implements FileStore {
  readonly #now: () => number
  /** The oldest first. */
  readonly #files = new Map<string, Entry>()

  /** @param now a monotonic clock, ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  put(id: string, ownerKey: string, file: KeptFile): true {
    this.#forgetExpired()
    this.#files.set(id, { file, ownerKey, untilMs: this.#now() + FILE_TTL_MS })
    this.#trim(FILE_BOUNDS.maxOfOwner, entry => entry.ownerKey === ownerKey)
    this.#trim(FILE_BOUNDS.maxTotal, () => true)
    return true
  }

  find(id: string): KeptFile | undefined {
    this.#forgetExpired()
    return this.#files.get(id)?.file
  }

  #trim(maxBytes: number, isCounted: (entry: Entry) => boolean): void {
    const counted = [...this.#files].filter(([, entry]) => isCounted(entry))
    let bytes = counted.reduce((sum, [, { file }]) => sum + file.bytes.byteLength, 0)
    for (const [id, { file }] of counted) {
      if (bytes <= maxBytes) return
      this.#files.delete(id)
      bytes -= file.bytes.byteLength
    }
  }

  #forgetExpired(): void {
    for (const [id, { untilMs }] of this.#files) {
      if (this.#now() < untilMs) return
      this.#files.delete(id)
    }
  }
}
