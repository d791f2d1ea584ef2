// Looks at a file again and again, and tells when it has changed. This notices every way of
// replacing it, on every file system.
import { stat } from 'node:fs/promises'

/** How soon a change is noticed, ms. */
export const FILE_CHECK_MS = 1000

export interface FileWatchOptions {
  readonly file: string
  /** Called after each change, also when the file has gone or come back. */
  onChange(): void
  readonly checkMs?: number
}

export class FileWatch {
  readonly #options: FileWatchOptions
  #version: string | undefined
  #checking: NodeJS.Timeout | undefined
  #isChecking = false

  constructor(options: FileWatchOptions) {
    this.#options = options
  }

  /** Call before the file is read, so that no change is missed. */
  async start(): Promise<void> {
    const { file, checkMs = FILE_CHECK_MS } = this.#options
    this.#version = await readVersion(file)
    this.#checking = setInterval(() => void this.#check(), checkMs).unref()
  }

  close(): void {
    clearInterval(this.#checking)
  }

  async #check(): Promise<void> {
    // A network file system may take its time.
    if (this.#isChecking) return
    this.#isChecking = true
    try {
      const version = await readVersion(this.#options.file)
      if (version === this.#version) return
      this.#version = version
      this.#options.onChange()
    } finally {
      this.#isChecking = false
    }
  }
}

/** @returns undefined if there is no such file */
async function readVersion(file: string): Promise<string | undefined> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
  } catch {
    return undefined
  }
}
