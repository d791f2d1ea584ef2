// What a tools folder fails at: logged, and kept for who asks.
import type { Log } from '../../request/exchange.ts'
import type { CloseFailure } from './lifecycle.ts'
import { describeLoadError, type LoadErrorReport, UnreadableEntryLog } from './load-error.ts'
import type { LoadGuard } from './load-guard.ts'
import { fileName } from './modules.ts'
import type { FolderContents } from './scan.ts'

/** A file, or a definition of it, that is not served as it should be. */
export interface FileFailure extends LoadErrorReport {
  /** Relative to the working directory. */
  readonly file: string
  /** The name of the definition that is refused, if it has one. */
  readonly definition?: string | undefined
}

export interface FolderFailuresOptions {
  readonly root: string
  readonly log: Log
  readonly guard: LoadGuard
}

export class FolderFailures {
  readonly #options: FolderFailuresOptions
  readonly #unreadable: UnreadableEntryLog
  readonly #closing: CloseFailure[] = []
  #helpers: readonly string[] = []
  #latest: FileFailure[] = []

  constructor(options: FolderFailuresOptions) {
    this.#options = options
    this.#unreadable = new UnreadableEntryLog(options.log)
  }

  /** Those of the latest load. */
  get latest(): readonly FileFailure[] {
    return this.#latest
  }

  /** What could not be closed at the shutdown. */
  get closing(): readonly CloseFailure[] {
    return this.#closing
  }

  /** Forgets the failures of the load before. */
  startLoad({ helpers, skipped }: FolderContents): void {
    this.#helpers = helpers
    this.#unreadable.log(skipped)
    this.#latest = [...skipped].map(([path, { reason }]) => ({ file: fileName(path), reason }))
  }

  /** @param hasEarlier the file serves what it served before */
  async addThrown(file: string, thrown: unknown, hasEarlier: boolean): Promise<void> {
    this.#addNotLoaded(await this.#describe(file, thrown), hasEarlier)
  }

  addHanging(file: string, reason: string, hasEarlier: boolean): void {
    this.#addNotLoaded({ file: fileName(file), reason }, hasEarlier)
  }

  addRefused(file: string, thrown: unknown, definition?: string): void {
    this.#add({ file: fileName(file), reason: this.#options.guard.explain(thrown), definition }, 'tool not served')
  }

  /** @param consequence for the folder @returns the reason */
  async addHooks(file: string, thrown: unknown, consequence: string): Promise<string> {
    const failure = await this.#describe(file, thrown)
    this.#add(failure, `hooks not loaded; ${consequence}`)
    return `${failure.file}: ${failure.reason}`
  }

  addClosing(failure: CloseFailure): void {
    this.#closing.push(failure)
  }

  #addNotLoaded(failure: FileFailure, hasEarlier: boolean): void {
    this.#add(failure, hasEarlier ? 'tool file not loaded; its earlier tools stay' : 'tool file not loaded')
  }

  #add(failure: FileFailure, text: string): void {
    this.#latest.push(failure)
    const { column: _column, definition: _definition, ...fields } = failure
    this.#options.log.error(fields, text)
  }

  async #describe(file: string, thrown: unknown): Promise<FileFailure> {
    const { root, guard } = this.#options
    const report = await describeLoadError(thrown, file, { root, helpers: this.#helpers, explain: guard.explain })
    return { file: fileName(file), ...report }
  }
}
