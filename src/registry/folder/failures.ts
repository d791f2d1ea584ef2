// What a tools folder fails at: logged, and kept for who asks.
import type { Log } from '../../request/exchange.ts'
import type { LoadErrorReport } from '../hints/load-error.ts'
import type { CloseFailure } from './lifecycle.ts'
import type { LoadGuard } from './load-guard.ts'
import { listImportedElsewhere } from './modules.ts'
import type { FolderContents } from './scan.ts'
import { fileName } from './tool-roots.ts'
import { UnreadableEntryLog } from './unreadable-entries.ts'

/** A file, or a definition of it, that is not served as it should be. */
export interface FileFailure extends LoadErrorReport {
  /** Relative to the working directory. */
  readonly file: string
  /** The name of the definition that is refused, if it has one. */
  readonly definition?: string | undefined
}

/** As one line, with the place. */
export function formatFailure({ file, line, at, reason }: FileFailure): string {
  const place = line === undefined ? file : `${file}:${line}`
  return `${place}: ${reason}${at === undefined ? '' : ` (at ${at})`}`
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
  #ofFiles: FileFailure[] = []
  #hanging: FileFailure[] = []
  #ofHooks: FileFailure[] = []

  constructor(options: FolderFailuresOptions) {
    this.#options = options
    this.#unreadable = new UnreadableEntryLog(options.log)
  }

  /** Those of the latest load. */
  get latest(): readonly FileFailure[] {
    return [...this.#ofFiles, ...this.#hanging, ...this.#ofHooks]
  }

  /** Those of files that have ended loading, but for the hooks. */
  get ofFiles(): readonly FileFailure[] {
    return this.#ofFiles
  }

  /** What could not be closed at the shutdown. */
  get closing(): readonly CloseFailure[] {
    return this.#closing
  }

  /** Forgets the failures of the load before. */
  startLoad({ helpers, skipped }: FolderContents): void {
    this.#helpers = helpers
    this.#unreadable.log(skipped)
    this.#ofFiles = [...skipped].map(([path, { reason }]) => ({ file: fileName(path), reason }))
    this.#hanging = []
    this.#ofHooks = []
  }

  /** A file is loaded again. */
  forget(path: string): void {
    const file = fileName(path)
    this.#ofFiles = this.#ofFiles.filter(each => each.file !== file)
  }

  /** @param hasEarlier the file serves what it served before */
  async addThrown(file: string, thrown: unknown, hasEarlier: boolean): Promise<void> {
    this.#addNotLoaded(this.#ofFiles, await this.#describe(file, thrown), hasEarlier)
  }

  addHanging(file: string, reason: string, hasEarlier: boolean): void {
    this.#addNotLoaded(this.#hanging, { file: fileName(file), reason }, hasEarlier)
  }

  /** @param of the name of the definition, and whether its earlier version stays */
  addRefused(file: string, thrown: unknown, of: { definition?: string | undefined; hasEarlier?: boolean }): void {
    const failure = { file: fileName(file), reason: this.#options.guard.explain(thrown), definition: of.definition }
    this.#add(this.#ofFiles, failure, of.hasEarlier ? 'tool not served; its earlier version stays' : 'tool not served')
  }

  /** @param consequence for the folder @returns the reason */
  async addHooks(file: string, thrown: unknown, consequence: string): Promise<string> {
    const failure = await this.#describe(file, thrown)
    this.#add(this.#ofHooks, failure, `hooks not loaded; ${consequence}`)
    return `${failure.file}: ${failure.reason}`
  }

  addClosing(failure: CloseFailure): void {
    this.#closing.push(failure)
  }

  #addNotLoaded(list: FileFailure[], failure: FileFailure, hasEarlier: boolean): void {
    this.#add(list, failure, hasEarlier ? 'tool file not loaded; its earlier tools stay' : 'tool file not loaded')
  }

  #add(list: FileFailure[], failure: FileFailure, text: string): void {
    list.push(failure)
    const { column: _column, definition: _definition, ...fields } = failure
    this.#options.log.error(fields, text)
  }

  async #describe(file: string, thrown: unknown): Promise<FileFailure> {
    const { root, guard } = this.#options
    const helpers = [...this.#helpers, ...listImportedElsewhere([{ path: root }])]
    const { describeLoadError } = await import('../hints/load-error.ts')
    const report = await describeLoadError(thrown, file, { root, helpers, explain: guard.explain })
    return { file: fileName(file), ...report }
  }
}
