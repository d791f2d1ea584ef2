// Serves other issuers when ISSUERS_FILE changes, or the file of JWT_SECRET, while the server runs.
import { FileWatch } from 'toolrack/access'
import type { Log } from 'toolrack/protocol'
import type { IssuerSpec, Issuers } from './issuers.ts'

export interface LiveIssuersOptions {
  readonly issuers: Issuers
  /** The files on which the issuers depend. */
  readonly files: readonly string[]
  /** Reads all of them. @throws Error naming the setting */
  read(): readonly IssuerSpec[]
  /** Others are trusted than before. */
  onChange(specs: readonly IssuerSpec[]): void
  readonly log: Log
}

export class LiveIssuers {
  readonly #options: LiveIssuersOptions
  readonly #watches: readonly FileWatch[]
  #problem: string | undefined

  constructor(options: LiveIssuersOptions) {
    this.#options = options
    this.#watches = options.files.map(file => new FileWatch({ file, onChange: () => void this.reload() }))
  }

  start(): void {
    for (const watch of this.#watches) watch.start()
  }

  close(): void {
    for (const watch of this.#watches) watch.close()
  }

  /** If a file is not valid, the issuers before that stay. */
  async reload(): Promise<void> {
    const { issuers, read, onChange, log } = this.#options
    try {
      const specs = read()
      this.#setProblem(undefined)
      if (await issuers.replace(specs)) onChange(specs)
      log.info({ issuers: specs.length }, 'issuers')
    } catch (error) {
      this.#setProblem((error as Error).message)
    }
  }

  /** Logs the same fault once: the file may stay so for long. */
  #setProblem(problem: string | undefined): void {
    if (problem !== undefined && problem !== this.#problem)
      this.#options.log.warn({ reason: problem }, 'could not read the issuers; using those before')
    this.#problem = problem
    this.#options.issuers.setProblem(problem && `${problem}; those known before stay`)
  }
}
