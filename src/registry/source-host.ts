// The parts of the server that a source that reads files gets, in addition to the target of every
// source.
import type { Log } from '../request/exchange.ts'
import type { Catalog } from './catalog.ts'
import type { Hooks } from './hooks.ts'
import type { ToolServer } from './tool-server.ts'

/** Runs code of a tool file so that its errors are attributed to the file. */
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

/** Variables of tools that are read from files, such as `GITHUB_TOKEN` from `GITHUB_TOKEN_FILE`. */
export interface VariableFiles {
  readonly names: readonly string[]
  /**
   * Sets the variable, unless something else has set it.
   *
   * @returns a number that differs after each change
   * @throws Error naming the variable of the file
   */
  load(name: string): number
  /**
   * Calls back when a file changes. Watches the files while somebody listens.
   *
   * @returns stops listening
   */
  onChange(listener: () => void): () => void
}

export interface VariableParts {
  /** Called with each value that replaces another one. */
  onRenewed(name: string, value: string): void
  readonly log: Log
}

/** The seam of variables that files have; the tools folders of a server share them. */
export type OpenVariables = (parts: VariableParts) => VariableFiles

export interface SourceHost {
  readonly catalog: Catalog
  /** Gets the rules of each folder. */
  readonly hooks: Hooks
  /** The server's. */
  readonly log: Log
  readonly guard: LoadGuard
  readonly variables: VariableFiles
  /** Whether changes of files load them. */
  readonly isWatched: boolean
  /**
   * If true, the server is ready only once all definitions of the folders are served at the same
   * time.
   */
  readonly isStrict: boolean
  /** Logs on behalf of a file, outside of calls. @param file the name for logs */
  readonly fileLog: (file: string) => ToolServer['log']
  /**
   * Called when the served definitions have changed since the first load.
   *
   * @param fields the names, by kind of change
   */
  readonly onChanged: (fields: Readonly<Record<string, string>>) => void
}
