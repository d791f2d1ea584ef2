// The secret that seals values that clients send back. It stays in the file, so that it can open
// them after a restart.
import { randomBytes } from 'node:crypto'
import type { SecretStore } from 'toolrack/stores'
import type { StateFile } from './file.ts'

const BYTES = 32

export class SqliteSecret implements SecretStore {
  readonly backend: StateFile
  /** Stays the same if the file is replaced while the server runs. */
  #secret: string | undefined

  constructor(file: StateFile) {
    this.backend = file
    file.addChores({ open: ({ hasStateSecret }) => void (hasStateSecret || this.#keep()) })
  }

  follow(listener: (secret: string) => void): void {
    listener(this.#secret ?? this.#keep())
  }

  #keep(): string {
    const known = this.backend.get("SELECT value FROM meta WHERE key = 'secret'")?.['value']
    const secret = this.#secret ?? (typeof known === 'string' ? known : randomBytes(BYTES).toString('base64url'))
    if (secret !== known) this.backend.run("INSERT OR REPLACE INTO meta VALUES ('secret', ?)", secret)
    this.#secret = secret
    return secret
  }
}
