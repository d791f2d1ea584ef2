import { createServer } from 'toolrack'
import { memory, type UsedTokens } from 'toolrack/state'
import { type Database, openDatabase } from './database.ts'

export class DatabaseTokens implements UsedTokens {
  readonly name = 'the database'
  readonly outlivesProcess = true
  #database!: Database

  async start() {
    this.#database = await openDatabase()
  }

  consumeOnce(id: string, expiresAtMs: number) {
    return this.#database.insertIfAbsent('used_tokens', { id, expiresAtMs })
  }

  release(id: string) {
    return this.#database.delete('used_tokens', { id })
  }

  close() {
    return this.#database.close()
  }
}

export const app = await createServer({ state: { ...memory(), usedTokens: new DatabaseTokens() } })
