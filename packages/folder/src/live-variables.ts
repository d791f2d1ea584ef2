// Variables of tools that files have, such as GITHUB_TOKEN by GITHUB_TOKEN_FILE: the files change
// while the server runs.
import { FileWatch } from 'toolrack/access'
import type { VariableFiles, VariableParts } from 'toolrack/definitions'
import { hasSetting, SETTINGS, toFileName } from 'toolrack/settings'
import { findFileVariables, getFilePath, setFromFile } from './file-variables.ts'

interface Variable {
  readonly value: string
  readonly version: number
}

export class LiveVariables implements VariableFiles {
  readonly names = findFileVariables().filter(name => !Object.hasOwn(SETTINGS, name))
  readonly #parts: VariableParts
  /** Those that the server has set. */
  readonly #variables = new Map<string, Variable>()
  readonly #watches = new Map<string, FileWatch>()
  readonly #listeners = new Set<() => void>()

  constructor(parts: VariableParts) {
    this.#parts = parts
  }

  load(name: string): number {
    const known = this.#variables.get(name)
    if (known === undefined && hasSetting(name)) return 0
    this.#watch(name)
    const value = setFromFile(name, { own: known?.value })
    if (value === undefined || value === known?.value) return known?.version ?? 0
    const version = (known?.version ?? 0) + 1
    this.#variables.set(name, { value, version })
    if (known !== undefined) this.#renew(name, value)
    return version
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) for (const watch of this.#watches.values()) watch.close()
    }
  }

  #watch(name: string): void {
    const file = getFilePath(name)
    if (file === undefined || this.#watches.has(name)) return
    const watch = new FileWatch({ file, onChange: () => this.#announce() })
    this.#watches.set(name, watch)
    watch.start()
  }

  #announce(): void {
    for (const listener of this.#listeners) listener()
  }

  #renew(name: string, value: string): void {
    const { onRenewed, log } = this.#parts
    onRenewed(name, value)
    log.info({ setting: toFileName(name) }, 'secret renewed')
  }
}
