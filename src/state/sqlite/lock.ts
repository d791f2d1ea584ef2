// One process a file: an empty database beside it, locked for as long as the process lives. The
// system frees the lock of a process that is killed. The file itself stays readable for backups.
import { type DatabaseSync, loadSqlite } from './module.ts'
import { createPrivately } from './open.ts'

export const getLockPath = (path: string): string => `${path}-lock`

export class FileLock {
  #database: DatabaseSync | undefined

  /** @throws an error of SQLite, `locked` if another process holds the lock */
  take(path: string): void {
    const { DatabaseSync } = loadSqlite()
    createPrivately(getLockPath(path))
    const database = new DatabaseSync(getLockPath(path))
    try {
      // Nothing is ever written.
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    } catch (error) {
      database.close()
      throw error
    }
    this.#database = database
  }

  release(): void {
    this.#database?.close()
    this.#database = undefined
  }
}
