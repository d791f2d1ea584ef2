// Runs what belongs to a tool file so that its errors are attributed to it.
import { types } from 'node:util'

export interface LoadGuard {
  /**
   * Runs a file's top level so that its later errors are attributed to it.
   *
   * @param file the name for logs
   */
  load<T>(file: string, work: () => T): T
  /** Formats a thrown value as one line for the log. */
  explain(thrown: unknown): string
}

export const UNGUARDED: LoadGuard = Object.freeze({
  load: <T>(_file: string, work: () => T) => work(),
  explain: (thrown: unknown) =>
    types.isNativeError(thrown) ? thrown.message : String(typeof thrown === 'object' ? 'an object' : thrown),
})
