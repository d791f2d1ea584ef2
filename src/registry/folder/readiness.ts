// Whether a server with tools folders may be sent calls. After a bad change it stays ready with what
// it had.
import type { Log } from '../../request/exchange.ts'
import type { SourceStatus } from '../source.ts'
import type { FolderError } from './folder-reader.ts'

export interface ReadinessOptions {
  readonly log: Log
  /** Whether the server is not ready before all that the folders have was served at one time. */
  readonly isStrict: boolean
}

export class Readiness {
  readonly #options: ReadinessOptions
  /** Whether all that the folders have was served at one time. */
  #wasWhole = false
  #wasWarned = false

  constructor(options: ReadinessOptions) {
    this.#options = options
  }

  /** @param errors of folders that cannot be read */
  describe(problems: readonly string[], errors: readonly FolderError[]): SourceStatus {
    // A missing folder may be intended, and may be created later.
    const isRead = errors.every(({ wasRead, isMissing }) => wasRead || isMissing)
    return { isReady: isRead && (this.#wasWhole || !this.#options.isStrict), problems }
  }

  /** Call after a load. */
  follow(problems: readonly string[]): void {
    const { log, isStrict } = this.#options
    if (!isStrict || this.#wasWhole) return
    this.#wasWhole = problems.length === 0
    if (this.#wasWhole && this.#wasWarned) log.info({}, 'ready: everything of the tools folder has loaded')
    if (!this.#wasWhole && !this.#wasWarned) {
      const hint = 'GET /ready says why; TOOLS_STRICT=false would serve the rest'
      log.warn({ hint }, 'not ready until everything of the tools folder has loaded')
    }
    this.#wasWarned = !this.#wasWhole
  }
}
