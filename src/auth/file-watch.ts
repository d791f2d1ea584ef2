// Looks at a file again and again, and tells when it has changed. This notices every way of
// replacing it, on every file system.
import { type BigIntStats, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'

/** How soon a change is noticed, ms. */
export const FILE_CHECK_MS = 1000

export interface FileWatchOptions {
  readonly file: string
  /** Called after each change, also when the file has gone or come back. */
  onChange(): void
  /** Called after each look without a change. */
  onSame?(): void
  readonly checkMs?: number | undefined
}

export class FileWatch {
  readonly #options: FileWatchOptions
  #version: string | undefined
  #checking: NodeJS.Timeout | undefined
  #isChecking = false

  /** Create it before the file is read, so that no change is missed. */
  constructor(options: FileWatchOptions) {
    this.#options = options
    this.#version = readVersion(options.file)
  }

  start(): void {
    const { checkMs = FILE_CHECK_MS } = this.#options
    this.#checking = setInterval(() => void this.#check(), checkMs).unref()
  }

  close(): void {
    clearInterval(this.#checking)
    this.#checking = undefined
  }

  async #check(): Promise<void> {
    // A network file system may take its time.
    if (this.#isChecking) return
    this.#isChecking = true
    const { file, onChange, onSame } = this.#options
    try {
      const version = await stat(file, { bigint: true }).then(toVersion, () => undefined)
      if (this.#checking === undefined) return
      if (version === this.#version) return onSame?.()
      this.#version = version
      onChange()
    } finally {
      this.#isChecking = false
    }
  }
}

/** @returns undefined if there is no such file */
function readVersion(file: string): string | undefined {
  try {
    return toVersion(statSync(file, { bigint: true }))
  } catch {
    return undefined
  }
}

const toVersion = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  [dev, ino, size, mtimeNs, ctimeNs].join(' ')
