// One process per file: an empty database beside it is locked as long as the process lives. The
// system frees the lock of a killed process. The file itself stays readable for backups.
import { type Stats, statSync } from 'node:fs'
import { type DatabaseSync, loadSqlite } from './module.ts'
import { createPrivately } from './open.ts'

const getLockPath = (path: string): string => `${path}-lock`

export class FileLock {
  #database: DatabaseSync | undefined
  #opened: Stats | undefined

  /** @throws an error of SQLite, `locked` if another process holds the lock */
  take(path: string): void {
    this.release()
    const { DatabaseSync } = loadSqlite()
    createPrivately(getLockPath(path))
    const database = new DatabaseSync(getLockPath(path))
    try {
      // Nothing is written to it.
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    } catch (error) {
      database.close()
      throw error
    }
    this.#database = database
    this.#opened = statSync(getLockPath(path))
  }

  /** False if the lock is not held, or its file was removed: another process may then take it, too. */
  isOn(path: string): boolean {
    return isSameFile(getLockPath(path), this.#opened)
  }

  release(): void {
    this.#database?.close()
    this.#database = undefined
    this.#opened = undefined
  }
}

/** Whether the file at a path is still the one that was opened. */
export function isSameFile(path: string, opened: Stats | undefined): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && found.ino === opened?.ino && found.dev === opened.dev
}
