// What a source that reads files gets of the server, beside the target of every source.
import type { Log } from '../request/exchange.ts'
import type { Catalog } from './catalog.ts'
import type { Hooks } from './hooks.ts'
import type { ToolServer } from './tool-server.ts'

/** Runs what belongs to a tool file so that its errors are attributed to it. */
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

/** Variables of tools that files have, such as `GITHUB_TOKEN` by `GITHUB_TOKEN_FILE`. */
export interface VariableFiles {
  readonly names: readonly string[]
  /**
   * Sets the variable, unless something else has set it.
   *
   * @returns another number after each change
   * @throws Error naming the variable of the file
   */
  load(name: string): number
  /** Calls back when a file changes. The files are watched as long as anybody listens. @returns stops that */
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
  /** Whether the server is not ready before all that the folders have was served at one time. */
  readonly isStrict: boolean
  /** Logs on behalf of a file, outside of calls. @param file the name for logs */
  readonly fileLog: (file: string) => ToolServer['log']
  /** What is served has changed since the first load. @param fields the names, by kind of change */
  readonly onChanged: (fields: Readonly<Record<string, string>>) => void
}
