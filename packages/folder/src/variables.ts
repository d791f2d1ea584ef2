// Sets variables of tools from files, such as `GITHUB_TOKEN` from `GITHUB_TOKEN_FILE`.
import type { VariableFiles } from 'toolrack/definitions'
import type { Log } from 'toolrack/source'

export class Variables {
  readonly #files: VariableFiles
  readonly #log: Log
  /** Why variables could not be set, by name. */
  readonly #unset = new Map<string, string>()
  /** The versions of variables that are set. */
  readonly #versions = new Map<string, number>()

  constructor(files: VariableFiles, log: Log) {
    this.#files = files
    this.#log = log
  }

  /** Why variables could not be set, one line each. */
  get problems(): readonly string[] {
    return [...this.#unset.values()]
  }

  /** A text that changes with the value of any variable. */
  get hash(): string {
    return [...this.#versions].join(' ')
  }

  /** Sets a variable that the files of the tools name. */
  set(name: string): void {
    try {
      this.#versions.set(name, this.#files.load(name))
      this.#unset.delete(name)
    } catch (error) {
      const reason = (error as Error).message
      if (reason !== this.#unset.get(name)) this.#log.error({ reason }, "could not read the file of a tool's variable")
      this.#unset.set(name, reason)
    }
  }
}
