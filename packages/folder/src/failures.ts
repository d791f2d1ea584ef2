// Load failures of a tools folder: described with their place, and logged.
import type { LoadGuard } from 'toolrack/definitions'
import type { Log } from 'toolrack/source'
import type { LoadErrorReport } from './hints/load-error.ts'
import { listImportedElsewhere } from './modules.ts'
import { fileName } from './tool-roots.ts'

/** A file, or a definition of it, that is not served as it should be. */
export interface FileFailure extends LoadErrorReport {
  /** The name of the file, as in the log. */
  readonly file: string
  /** The name of the definition that is refused, if it has one. */
  readonly definition?: string | undefined
}

/** One line, with the place. */
export function formatFailure({ file, line, at, reason }: FileFailure): string {
  const place = line === undefined ? file : `${file}:${line}`
  return `${place}: ${reason}${at === undefined ? '' : ` (at ${at})`}`
}

/** Other places where the error of a file may be. */
export interface FailurePlace {
  /** The tools folder of the file. */
  readonly root: string
  /** The other files of the folder. */
  readonly helpers: readonly string[]
}

/** Finds the line of an error that a file has thrown while it loaded. */
export async function describeFailure(
  file: string,
  thrown: unknown,
  { root, helpers }: FailurePlace,
  { explain }: LoadGuard,
): Promise<FileFailure> {
  const { describeLoadError } = await import('./hints/load-error.ts')
  const all = [...helpers, ...listImportedElsewhere([{ path: root }])]
  return { file: fileName(file), ...(await describeLoadError(thrown, file, { root, helpers: all, explain })) }
}

export function logFailure(log: Log, failure: FileFailure, text: string): void {
  const { column: _column, definition: _definition, ...fields } = failure
  log.error(fields, text)
}

/** @param hasEarlier whether the file still serves its earlier definitions */
export const logNotLoaded = (log: Log, failure: FileFailure, hasEarlier: boolean): void =>
  logFailure(log, failure, hasEarlier ? 'tool file not loaded; its earlier tools stay' : 'tool file not loaded')

/** @param hasEarlier whether the earlier version of the definition is served */
export const logRefused = (log: Log, failure: FileFailure, hasEarlier: boolean): void =>
  logFailure(log, failure, hasEarlier ? 'tool not served; its earlier version stays' : 'tool not served')

/** Reasons that were logged. Each is logged once while it lasts. */
export class ToldReasons {
  #told: ReadonlyMap<string, string> = new Map()

  /** @param reasons all current reasons, by their subject @returns the new ones */
  take(reasons: ReadonlyMap<string, string>): readonly (readonly [about: string, reason: string])[] {
    const news = [...reasons].filter(([about, reason]) => this.#told.get(about) !== reason)
    this.#told = reasons
    return news
  }
}
